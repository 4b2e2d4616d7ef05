#include "lib/cpu/int8/int8_accumulate.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_blocks.hpp"
#include "lib/cpu/int8/int8_finish.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/escalation.hpp"
#include "lib/numerics/held_lines.hpp"

namespace accublas::cpu {

namespace {

constexpr Mode fixed_mode{ACCUBLAS_MODE_FIXED};

/// Adds the errors of the lines of a panel to those of earlier panels. The sums are rounded upwards.
void add_errors(const Int8Residues::Side& side, const Int8Lines& lines, bool row) {
  for (Index i = 0; i < side.count; ++i) {
    const LineError e =
        line_error(lines.norm[i], lines.lambda[i], lines.exponent[i], lines.last_bit[i], side.scale[i], lines.k, row);
    side.error[i] = add_upwards(side.error[i], e.error);
    side.dropped[i] |= e.drop != 0;
  }
}

void set_scale(const Int8Residues::Side& side, const Int8Scaling& scaling) {
  for (Index i = 0; i < round_up(side.count, int8_panel); ++i) scaling.scale[i] = i < side.count ? side.scale[i] : 0;
}

/// Fills the scaling in the form that the rounding of a pass reads. Returns whether some line drops no bits.
bool set_errors(const Int8Residues::Side& side, const Int8Scaling& scaling, int alpha_exponent) {
  bool any_exact = false;
  for (Index i = 0; i < round_up(side.count, int8_panel); ++i) {
    const bool line = i < side.count;
    scaling.exponent[i] = alpha_exponent - (line ? side.scale[i] : 0);
    scaling.error[i] = line ? side.error[i] : 0;
    scaling.drop[i] = line ? side.dropped[i] : 0;
    any_exact |= line && !side.dropped[i];
  }
  return any_exact;
}

/// Takes memory for the residues of the panel, or for a block of them if the workspace has no more.
template <class T>
void take_arena(Int8Call<T>& call, int moduli) {
  const auto bytes = [&](std::size_t available) {
    const Int8Blocking b = int8_blocking(call.rows.operand.count, call.cols.operand.count, call.problem.k, moduli,
                                         call.tiling.rows, call.tiling.cols, 0, call.threads, available);
    return b.row_bytes + b.col_bytes;
  };
  const std::size_t available = call.execution.workspace.available();
  call.arena_bytes = std::max(std::min(bytes(std::numeric_limits<std::size_t>::max()), available), bytes(0));
  call.arena = call.execution.workspace.template take<std::uint8_t>(call.arena_bytes);
}

/// Multiplies a panel at once.
template <class T>
void multiply(Int8Call<T>& call, const Int8Residues& sums) {
  const Int8Tiling& tiling = sums.tiling;
  const Index terms = call.problem.k;
  const Int8Blocking b = int8_blocking(call.rows.operand.count, call.cols.operand.count, terms, sums.moduli,
                                       tiling.rows, tiling.cols, 0, call.threads, call.arena_bytes);
  const Int8Bytes row_bytes{
      false,        false,        call.rows.scaling.scale, int8_limbs(sums.rows.bits), sums.moduli, call.arena,
      b.row_stride, b.row_plane()};
  const Int8Bytes col_bytes{
      true, false,        call.cols.scaling.scale, int8_limbs(sums.cols.bits), sums.moduli, call.arena + b.row_bytes,
      0,    b.col_plane()};
  int8_for_each_tile(call, b, row_bytes, col_bytes, terms, [&](Int8TileTask task) {
    task.result = sums.tile(task.tile);
    task.first_chunk = false;
    int8_multiply_tile(call.kernels.product, task, sums.moduli, row_bytes, col_bytes, b.tile_plane(), tiling.cols);
  });
}

/// Converts a panel for a later product.
template <class T>
void keep_waiting(Int8Call<T>& call, const Int8Residues& sums) {
  Int8Waiting& w = *sums.waiting;
  const Index terms = call.problem.k;
  if (w.terms + terms > w.depth) int8_multiply_waiting(sums, call.threads, call.execution.isa);
  const Int8Bytes row_bytes{
      false,        false,      call.rows.scaling.scale, int8_limbs(sums.rows.bits), sums.moduli, w.rows + w.terms,
      w.row_stride, w.row_plane};
  const Int8Bytes col_bytes{true,
                            false,
                            call.cols.scaling.scale,
                            int8_limbs(sums.cols.bits),
                            sums.moduli,
                            w.cols + int8_panel * w.terms,
                            0,
                            w.col_plane,
                            w.panel_stride};
  int8_convert(call.rows.operand, call.rows.lines, row_bytes, 0, sums.rows.count, 0, terms, call.kernels.convert,
               call.packs, call.threads);
  int8_convert(call.cols.operand, call.cols.lines, col_bytes, 0, sums.cols.count, 0, terms, call.kernels.convert,
               call.packs, call.threads);
  w.terms += round_up(terms, 4);
}

}  // namespace

Int8Waiting::Int8Waiting(const Int8Tiling& tiling, Index k) : depth(std::min(round_up(k, int8_k_step), most_terms)) {
  // A panel is written up to a multiple of 64 terms.
  const Index room = depth + int8_k_step;
  row_stride = int8_row_stride(room);
  row_plane = int8_plane((tiling.rows * tiling.down + 32) * row_stride);
  panel_stride = int8_panel * room;
  col_plane = int8_plane(tiling.cols * tiling.across * room);
}

void int8_multiply_waiting(const Int8Residues& sums, int threads, Isa isa) {
  Int8Waiting& w = *sums.waiting;
  if (w.terms == 0) return;
  const Index padded = round_up(w.terms, int8_k_step), rest = padded - w.terms;
  const Int8Tiling& tiling = sums.tiling;
  parallel_for(sums.moduli, threads, [&](Index l, int) {
    for (Index i = 0; i < sums.rows.count; ++i)
      std::memset(w.rows + l * w.row_plane + i * w.row_stride + w.terms, 0, static_cast<std::size_t>(rest));
    for (Index i = 0; i < sums.cols.count; i += int8_panel)
      std::memset(w.cols + l * w.col_plane + i / int8_panel * w.panel_stride + int8_panel * w.terms, 0,
                  static_cast<std::size_t>(int8_panel * rest));
  });
  const Int8Bytes row_bytes{false, false, nullptr, 0, sums.moduli, w.rows, w.row_stride, w.row_plane},
      col_bytes{true, false, nullptr, 0, sums.moduli, w.cols, 0, w.col_plane};
  const Int8ProductKernels& kernels = int8_product_kernels(isa);
  parallel_for(tiling.count(), threads, [&](Index number, int) {
    Int8TileTask task{};
    task.row = number / tiling.across * tiling.rows;
    task.col = number % tiling.across * tiling.cols;
    task.product.rows_data = task.product.next_rows = w.rows + task.row * w.row_stride;
    task.product.row_stride = w.row_stride;
    task.product.columns_data = task.product.next_columns =
        reinterpret_cast<const std::int8_t*>(w.cols) + task.col / int8_panel * w.panel_stride;
    task.product.panel_stride = w.panel_stride;
    task.product.rows = std::min(tiling.rows, sums.rows.count - task.row);
    task.product.cols = std::min(tiling.cols, sums.cols.count - task.col);
    task.product.k = padded;
    task.first_chunk = false;
    task.result = sums.tile(number);
    int8_multiply_tile(kernels, task, sums.moduli, row_bytes, col_bytes, int8_tile_plane(tiling.rows, tiling.cols),
                       tiling.cols);
  });
  w.terms = 0;
}

Int8Tiling int8_residue_tiling(Index rows, Index cols, int threads, Isa isa) {
  Int8Tiling tiling{};
  int8_tile(tuning(isa).int8, rows, cols, threads, std::numeric_limits<std::size_t>::max(), tiling.rows, tiling.cols);
  tiling.down = ceil_div(rows, tiling.rows);
  tiling.across = ceil_div(cols, tiling.cols);
  return tiling;
}

template <class T>
void int8_add_panel(const Int8Residues& sums, const Int8Operand<T>& rows, const Int8Operand<T>& cols,
                    const std::function<void(const Int8Lines& rows, const Int8Lines& cols)>& known,
                    Execution& execution) {
  const Gemm<T> product{rows.count,
                        cols.count,
                        rows.k,
                        T(1),
                        {rows.data, rows.stride, rows.k_stride},
                        {cols.data, cols.k_stride, cols.stride},
                        T(0),
                        {nullptr, cols.count, 1}};
  Int8Call<T> call(product, fixed_mode, execution, &sums.tiling);
  const bool waits = rows.k <= sums.waiting->depth;
  if (!waits) take_arena(call, sums.moduli);
  if (execution.workspace.rehearses()) return;
  call.measure();
  known(call.rows.lines, call.cols.lines);
  set_scale(sums.rows, call.rows.scaling);
  set_scale(sums.cols, call.cols.scaling);
  if (waits) {
    keep_waiting(call, sums);
  } else {
    multiply(call, sums);
  }
  if (!sums.rounds) return;
  add_errors(sums.rows, call.rows.lines, true);
  add_errors(sums.cols, call.cols.lines, false);
}

template <class T>
void int8_measure_lines(const Int8Operand<T>& operand, const std::function<void(const Int8Lines&)>& body,
                        Execution& execution) {
  Workspace& workspace = execution.workspace;
  const std::size_t most = workspace.available() / 2 / (Int8Pack::count * sizeof(double)),
                    threads = std::clamp<std::size_t>(most, 1, static_cast<std::size_t>(execution.threads));
  Int8Pack* const packs = workspace.take<Int8Pack>(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    const Int8Pack pack{workspace.take<double>(Int8Pack::count)};
    if (packs) packs[t] = pack;
  }
  const Int8Lines lines = int8_take_lines(workspace, operand.count, operand.k, false);
  if (workspace.rehearses()) return;
  int8_measure(operand, lines, int8_convert_kernels(execution.isa), packs, static_cast<int>(threads));
  body(lines);
}

template <class T>
void int8_round_sums(const Int8Residues& sums, const Int8Rounding<T>& rounding, Execution& execution) {
  // Rounding a sum takes as long as this many terms. The call chooses its threads by that.
  constexpr Index terms = 64;
  const Gemm<T> product{sums.rows.count, sums.cols.count, terms, rounding.alpha, {}, {}, rounding.beta, rounding.c};
  Int8Call<T> call(product, fixed_mode, execution, &sums.tiling);
  if (execution.workspace.rehearses()) return;
  call.any_special = false;
  bool ties = set_errors(sums.rows, call.rows.scaling, call.scalars.alpha_exponent);
  ties &= set_errors(sums.cols, call.cols.scaling, 0);
  const Int8Pass pass{sums.rounds, Int8Pass::Elements::all, sums.rows.bits, sums.cols.bits, sums.moduli, false};
  const Int8Verdict verdict;
  const Int8Finish<T> finish(call, verdict, pass, int8_crt_table(sums.moduli), ties);
  const Int8Tiling& tiling = sums.tiling;
  parallel_for(tiling.count(), call.threads, [&](Index number, int thread) {
    Int8TileTask task{};
    task.row = number / tiling.across * tiling.rows;
    task.col = number % tiling.across * tiling.cols;
    task.rows = std::min(tiling.rows, sums.rows.count - task.row);
    task.cols = std::min(tiling.cols, sums.cols.count - task.col);
    task.tile = number;
    task.result = sums.tile(number);
    task.thread = thread;
    Int8Tile<T>& tile = call.tiles[thread];
    const auto result = [&](Index r, Index c) { return &tile.results[r * tile.stride + c]; };
    finish.round_tile(task, rounding.writes, [&] {
      if (!rounding.any_known) return;
      for (Index r = 0; r < task.rows; ++r)
        for (Index c = 0; c < task.cols; ++c)
          if (rounding.known(task.row + r, task.col + c, result(r, c))) tile.open[r * tiling.cols + c] = int8_done;
    });
    finish.for_each_open(task, [&](Index r, Index c) {
      if (rounding.undecided(task.row + r, task.col + c, thread, result(r, c)))
        tile.open[r * tiling.cols + c] = int8_done;
    });
    if (rounding.writes) finish.write_tile(task, false);
  });
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                      \
  template void int8_add_panel(const Int8Residues&, const Int8Operand<T>&, const Int8Operand<T>&,                    \
                               const std::function<void(const Int8Lines&, const Int8Lines&)>&, Execution&);          \
  template void int8_measure_lines(const Int8Operand<T>&, const std::function<void(const Int8Lines&)>&, Execution&); \
  template void int8_round_sums(const Int8Residues&, const Int8Rounding<T>&, Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
