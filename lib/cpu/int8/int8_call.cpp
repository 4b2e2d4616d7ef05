// The preparation of a call of the int8 engine, and its state beside the passes.
#include "lib/cpu/int8/int8_call.hpp"

#include <algorithm>
#include <limits>

#include "lib/base/integers.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cpu {

namespace {

/// Threads that pay for themselves.
int useful_threads(Index m, Index n, Index k, int threads) {
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return work < tuning().int8.thread_work ? 1 : threads;
}

bool is_power_of_two(double x, int& exponent) {
  if (!is_finite(x) || x == 0) return false;
  const Decoded d = decode(x);
  if ((d.mantissa & (d.mantissa - 1)) != 0) return false;
  exponent = d.exponent + 63 - leading_zeros(d.mantissa);
  return true;
}

template <class T>
Int8Scalars scalars_of(const Gemm<T>& g) {
  Int8Scalars s{false, false, 0};
  s.simple = g.beta == 0 && is_power_of_two(g.alpha, s.alpha_exponent);
  s.combine = !s.simple && moderate(g.alpha) && (g.beta == 0 || moderate(g.beta));
  return s;
}

}  // namespace

template <class T>
Int8Call<T>::Int8Call(const Gemm<T>& gemm, const Mode& call_mode, Execution& call_execution, const Int8Tiling* given)
    : problem(gemm),
      execution(call_execution),
      scalars(scalars_of(gemm)),
      kernels{int8_product_kernels(execution.isa), int8_convert_kernels(execution.isa),
              int8_reconstruct_kernels(execution.isa)},
      threads(useful_threads(gemm.m, gemm.n, gemm.k, execution.threads)) {
  const Int8Operand<T> a{problem.a.data, problem.a.row_stride, problem.a.col_stride, problem.m, problem.k};
  const Int8Operand<T> b{problem.b.data, problem.b.col_stride, problem.b.row_stride, problem.n, problem.k};
  // The columns' side runs along C's unit stride: the transposed product where C is column-major.
  transposed = !given && problem.c.row_stride == 1 && problem.m > 1;
  rows.operand = transposed ? b : a;
  cols.operand = transposed ? a : b;
  at = transposed ? problem.c.transposed() : problem.c;

  Workspace& workspace = execution.workspace;
  const std::size_t available = workspace.available();
  const Index row_count = rows.operand.count, col_count = cols.operand.count;
  if (given) {
    tiling = *given;
    const std::size_t of_thread =
        static_cast<std::size_t>((tiling.rows + 32) * tiling.cols) * (sizeof(T) + 1) + Int8Pack::count * sizeof(double);
    while (threads > 1 && of_thread * static_cast<std::size_t>(threads) > available / 2) --threads;
  } else {
    int8_tile(tuning(execution.isa).int8, row_count, col_count, threads, available, tiling.rows, tiling.cols);
    tiling.down = ceil_div(row_count, tiling.rows);
    tiling.across = ceil_div(col_count, tiling.cols);
  }
  const std::size_t elements = static_cast<std::size_t>((tiling.rows + 32) * tiling.cols),
                    thread_count = static_cast<std::size_t>(threads);
  packs = workspace.take<Int8Pack>(thread_count);
  tiles = workspace.take<Int8Tile<T>>(thread_count);
  counts = workspace.take<Int8Counts>(thread_count);
  for (int t = 0; t < threads; ++t) {
    const Int8Pack pack{workspace.take<double>(Int8Pack::count)};
    T* const out = workspace.take<T>(elements);
    std::uint8_t* const open = workspace.take<std::uint8_t>(elements);
    double* const columns = workspace.take<double>(static_cast<std::size_t>(2 * tiling.cols));
    if (workspace.rehearses()) continue;
    packs[t] = pack;
    tiles[t].out = out;
    tiles[t].open = open;
    tiles[t].sums = reinterpret_cast<std::int32_t*>(out);
    tiles[t].columns = columns;
    counts[t] = Int8Counts{};
  }
  wanted = workspace.take<std::uint8_t>(static_cast<std::size_t>(tiling.count()));
  if (wanted) std::fill_n(wanted, tiling.count(), std::uint8_t{1});
  const bool keep_nonzero = call_mode.kind != ACCUBLAS_MODE_FIXED &&
                            static_cast<std::size_t>((row_count + col_count) * (problem.k / 8)) < available / 4;
  for (Int8Side<T>* side : {&rows, &cols})
    side->lines = int8_take_lines(workspace, side->operand.count, problem.k, keep_nonzero);
  for (Int8Side<T>* side : {&rows, &cols}) {
    const std::size_t padded = static_cast<std::size_t>(round_up(side->operand.count, 32));
    side->scaling = {workspace.take<std::int32_t>(padded), workspace.take<std::int32_t>(padded),
                     workspace.take<double>(padded), workspace.take<double>(padded)};
  }
}

template <class T>
void Int8Call<T>::measure() {
  PhaseTimer timer(execution, &accublas_report_t::ms_convert);
  for (Int8Side<T>* side : {&rows, &cols}) int8_measure(side->operand, side->lines, kernels.convert, packs, threads);
  any_special = false;
  for (const Int8Side<T>* side : {&rows, &cols})
    for (Index i = 0; i < side->lines.count && !any_special; ++i) any_special = side->lines.special[i] != 0;
}

template <class T>
void Int8Call<T>::take_arena(int moduli) {
  const Int8Blocking whole = int8_blocking(rows.operand.count, cols.operand.count, problem.k, moduli, tiling.rows,
                                           tiling.cols, 1, threads, std::numeric_limits<std::size_t>::max());
  const Int8Blocking least = int8_blocking(rows.operand.count, cols.operand.count, problem.k, max_moduli, tiling.rows,
                                           tiling.cols, 1, threads, 0);
  const Int8Blocking sums = int8_blocking(rows.operand.count, cols.operand.count, 2 * int8_k_step, 1, tiling.rows,
                                          tiling.cols, 8, threads, 0);
  auto bytes = [](const Int8Blocking& b) { return b.row_bytes + b.col_bytes + b.result_bytes; };
  const std::size_t available = execution.workspace.available();
  arena_bytes = std::max({std::min(bytes(whole), available), bytes(least), 2 * bytes(sums)});
  arena = execution.workspace.template take<std::uint8_t>(arena_bytes);
}

template <class T>
bool Int8Call<T>::any_wanted() const {
  for (Index t = 0; t < tiling.count(); ++t)
    if (wanted[t] != 0) return true;
  return false;
}

template <class T>
bool Int8Call<T>::structural_zero(Index row, Index col) const {
  if (!rows.lines.nonzero || !cols.lines.nonzero) return false;
  const std::uint64_t* a = rows.lines.nonzero + row * rows.lines.words;
  const std::uint64_t* b = cols.lines.nonzero + col * cols.lines.words;
  for (Index w = 0; w < rows.lines.words; ++w)
    if ((a[w] & b[w]) != 0) return false;
  return true;
}

template <class T>
T Int8Call<T>::exact(Index row, Index col) const {
  const T* c = &at(row, col);
  // A NaN in the row or the column is the answer.
  if (rows.lines.special[row] == 2 || cols.lines.special[col] == 2)
    return finish_special(problem.alpha, canonical_nan<T>(), problem.beta, read_addend(problem.beta, c));
  return cr_element<T>(execution.isa, problem.k, problem.alpha, rows.operand.line(row), cols.operand.line(col),
                       problem.beta, c);
}

template struct Int8Call<double>;
template struct Int8Call<float>;

}  // namespace accublas::cpu
