#include "lib/quad/residues.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "lib/cpu/int8/int8_blocks.hpp"
#include "lib/cpu/int8/int8_moduli.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/escalation.hpp"
#include "lib/quad/elements.hpp"
#include "lib/quad/interval_finish.hpp"
#include "lib/quad/line_scan.hpp"
#include "lib/quad/lines.hpp"
#include "lib/quad/moduli_choice.hpp"

namespace accublas::quad {

namespace {

/// A term of an exact sum takes as long as a term modulo so many p.
double moduli_of_exact_term(cpu::Isa isa) { return isa == cpu::Isa::avx512_vnni || isa == cpu::Isa::amx ? 1500 : 150; }

/// Bits of a result beyond which nothing matters. The low part of a pair begins a bit below the high one or later.
int digits_of(Format format) { return format == Format::binary128 ? 113 : format == Format::pair ? 108 : 53; }

/// A side of the product in the engine's coordinates.
struct Side {
  LineOperand operand;
  cpu::Int8Lines lines;
  cpu::Int8Scaling scaling;
};

bool has_pairs(const Side& side) { return side.operand.entries.format == Format::pair; }

struct Kernels {
  const cpu::Int8ProductKernels& product;
  const cpu::Int8ConvertKernels& convert;
  const cpu::Int8ReconstructKernels& reconstruct;
};

/// Counters of a thread.
struct alignas(64) Counts {
  std::int64_t undecided = 0, product_ns = 0, reconstruct_ns = 0;
};

/// One product. The members up to `packs` are those that int8_for_each_tile uses.
struct Call {
  Call(const Product& p, Execution& e)
      : product(p),
        execution(e),
        threads(e.threads),
        kernels{cpu::int8_product_kernels(e.isa), cpu::int8_convert_kernels(e.isa),
                cpu::int8_reconstruct_kernels(e.isa)} {
    // The columns' side runs along the shorter stride of C.
    transposed = std::abs(p.c.place.row_stride) < std::abs(p.c.place.col_stride);
    const LineOperand a{p.a, p.m, p.k}, b{p.b.transposed(), p.n, p.k};
    rows.operand = transposed ? b : a;
    cols.operand = transposed ? a : b;
    Workspace& workspace = e.workspace;
    int8_tile(cpu::tuning(e.isa).int8, rows.operand.count, cols.operand.count, threads, workspace.available(),
              tiling.rows, tiling.cols);
    tiling.down = ceil_div(rows.operand.count, tiling.rows);
    tiling.across = ceil_div(cols.operand.count, tiling.cols);
    packs = workspace.take<LimbPack>(static_cast<std::size_t>(threads));
    integers = workspace.take<std::uint64_t*>(static_cast<std::size_t>(threads));
    const bool rehearses = workspace.rehearses();
    for (int t = 0; t < threads; ++t) {
      double* const pack = workspace.take<double>(LimbPack::count);
      std::uint64_t* const of_row =
          workspace.take<std::uint64_t>(static_cast<std::size_t>(integer_stride() * crt_limbs));
      if (rehearses) continue;
      packs[t].x = pack;
      integers[t] = of_row;
    }
    wanted = workspace.take<std::uint8_t>(static_cast<std::size_t>(tiling.count()));
    for (Index t = 0; t < tiling.count() && !rehearses; ++t) wanted[t] = tile_wanted(t);
    for (Side* side : {&rows, &cols}) {
      side->lines = cpu::int8_take_numbers(workspace, side->operand.count, p.k);
      const std::size_t padded = static_cast<std::size_t>(round_up(side->operand.count, cpu::int8_panel));
      side->scaling = {workspace.take<std::int32_t>(padded), workspace.take<std::int32_t>(padded),
                       workspace.take<double>(padded), workspace.take<double>(padded)};
    }
  }

  Index integer_stride() const { return tiling.cols + cpu::int8_panel; }
  Index row_of(Index row, Index col) const { return transposed ? col : row; }
  Index col_of(Index row, Index col) const { return transposed ? row : col; }
  bool element_wanted(Index row, Index col) const {
    return holds(product.elements, row_of(row, col), col_of(row, col));
  }
  bool tile_wanted(Index t) const {
    const Index r = t / tiling.across * tiling.rows, c = t % tiling.across * tiling.cols;
    const Index height = std::min(tiling.rows, rows.operand.count - r),
                width = std::min(tiling.cols, cols.operand.count - c);
    return transposed ? holds_some(product.elements, c, width, r, height)
                      : holds_some(product.elements, r, height, c, width);
  }

  const Product& product;
  Execution& execution;
  int threads;
  Kernels kernels;
  bool transposed;
  Side rows, cols;
  cpu::Int8Tiling tiling{};
  std::uint8_t* wanted;
  std::uint8_t* arena = nullptr;
  LimbPack* packs;
  std::uint64_t** integers;  ///< of each thread: the integers of a row of a tile
};

/// Returns the number of moduli that costs least, by sampled elements; 0 if sums of all elements cost less.
int choose_moduli(const Call& call, const ElementWorkers& workers, bool forced) {
  const cpu::Int8Lines &rows = call.rows.lines, &cols = call.cols.lines;
  const int digits = digits_of(call.product.c.place.format);
  UndecidedSample samples[most_samples];
  // A sum takes microseconds: at most one element in 64 is sampled.
  const double elements = static_cast<double>(rows.count) * static_cast<double>(cols.count);
  const int most = std::clamp(static_cast<int>(std::min(elements / 64, 1e3)), 1, most_samples);
  int found = 0;
  Index positions[most_samples][2];
  SampleSequence sequence;
  for (int attempt = 0; attempt < 8 * most && found < most; ++attempt) {
    const Index i = sequence.next(rows.count), j = sequence.next(cols.count);
    if (!call.element_wanted(i, j) || rows.norm[i] <= 0 || cols.norm[j] <= 0) continue;
    positions[found][0] = i;
    positions[found++][1] = j;
  }
  parallel_for(found, call.threads, [&](Index t, int thread) {
    const Index i = positions[t][0], j = positions[t][1];
    const SignedLimbs s = workers[static_cast<std::size_t>(thread)]->sum(call.row_of(i, j), call.col_of(i, j));
    // The chance is that of a sum in units of 2^(E + F). An exact zero is decided only if no bit is dropped.
    const std::int64_t size = s.is_zero() ? -2000 : s.top() - rows.exponent[i] - cols.exponent[j];
    const double sum = std::ldexp(1.0, static_cast<int>(std::max<std::int64_t>(size, -900)) - 1);
    const UndecidedSample u =
        undecided_sample<Binary128>(sum, rows.norm[i], rows.lambda[i], cols.norm[j], cols.lambda[j]);
    samples[t] = {std::ldexp(u.row_term, digits - 113), std::ldexp(u.col_term, digits - 113)};
  });
  const cpu::DroppingLines dropping_rows(rows), dropping_cols(cols);
  return cheapest_moduli(
      samples, found, [&](int bits) { return dropping_rows.part(bits); },
      [&](int bits) { return dropping_cols.part(bits); }, call.product.k, moduli_of_exact_term(call.execution.isa),
      forced);
}

void scale_lines(const cpu::Int8Lines& lines, const cpu::Int8Scaling& to, int bits, bool row, bool pairs) {
  for (Index i = 0; i < lines.count; ++i) {
    const LineScaling scaling =
        line_scaling({lines.exponent[i], lines.last_bit[i], lines.norm[i], lines.lambda[i], lines.special[i]}, bits,
                     row, pairs, lines.k);
    to.scale[i] = scaling.scale;
    to.exponent[i] = -scaling.scale;
    to.drop[i] = scaling.error.drop;
    to.error[i] = scaling.error.error;
  }
  for (Index i = lines.count; i < round_up(lines.count, cpu::int8_panel); ++i) to.scale[i] = 0;
}

/// Rounds the elements of tiles.
class TileFinish {
 public:
  TileFinish(const Call& call, const ElementWorkers& workers, int moduli, Counts* counts)
      : call_(call),
        workers_(workers),
        crt_(cpu::int8_crt_table(moduli)),
        limbs_(std::min(crt_limbs, wide_bit_length(crt_.product) / 64 + 1)),
        counts_(counts),
        simple_(workers[0]->finish().simple() && workers[0]->finish().format() == Format::binary128),
        scale_(simple_ ? workers[0]->finish().scale() : Finish::Scale{}) {}

  void operator()(const cpu::Int8TileTask& task, Index tile_plane) const {
    const Index stride = call_.integer_stride();
    std::uint64_t* const integers = call_.integers[task.thread];
    for (Index r = 0; r < task.rows; ++r) {
      const Index row = task.row + r;
      cpu::Int8Integers t{&crt_,      reinterpret_cast<const std::int8_t*>(task.result) + r * call_.tiling.cols,
                          tile_plane, task.cols,
                          limbs_,     integers,
                          stride};
      call_.kernels.reconstruct.to_integers(t);
      for (Index c = 0; c < task.cols; ++c) {
        if (!call_.element_wanted(row, task.col + c)) continue;
        if (!simple_ || !put_usual(row, task.col + c, integers + c, stride))
          put(row, task.col + c, integers + c, stride, task.thread);
      }
    }
  }

 private:
  double error_of(Index row, Index col) const {
    const cpu::Int8Scaling &of_row = call_.rows.scaling, &of_col = call_.cols.scaling;
    return element_error({of_row.drop[row], of_row.error[row]}, {of_col.drop[col], of_col.error[col]});
  }

  /// Writes an element of a finite row and column whose leading 192 bits decide a normal result. Returns false for the
  /// others.
  bool put_usual(Index row, Index col, const std::uint64_t* limb, Index stride) const {
    if ((call_.rows.lines.special[row] | call_.cols.lines.special[col]) != 0) return false;
    // abs(S), with two limbs of zeros below.
    std::uint64_t magnitude[crt_limbs + 2] = {};
    const std::uint64_t sign = limb[(limbs_ - 1) * stride] >> 63 != 0 ? ~std::uint64_t{0} : 0;
    std::uint64_t carry = sign & 1;
    for (int l = 0; l < limbs_; ++l) {
      const std::uint64_t w = limb[l * stride] ^ sign;
      magnitude[l + 2] = w + carry;
      carry = magnitude[l + 2] < w;
    }
    int t = limbs_ + 1;
    while (t >= 2 && magnitude[t] == 0) --t;
    if (t < 2) return false;
    const int z = leading_zeros(magnitude[t]);
    const auto window = [&](int i) { return magnitude[i] << z | (i > 0 ? magnitude[i - 1] >> 1 >> (63 - z) : 0); };
    const Uint128 top = static_cast<Uint128>(window(t)) << 64 | window(t - 1);
    const std::uint64_t next = window(t - 2);
    const int unit = 64 * (t - 4) - z;  // of `next`
    const std::int64_t exponent =
        std::int64_t{call_.rows.scaling.exponent[row]} + call_.cols.scaling.exponent[col] + scale_.exponent + unit + 64;
    if (exponent < FloatFormat<Binary128>::min_exponent || exponent > FloatFormat<Binary128>::max_exponent - 20)
      return false;
    std::uint64_t below = 0;
    for (int i = 2; i < t - 2; ++i) below |= magnitude[i];
    bool sticky = true;
    if (!decide_cut_bits(top, next, below != 0, unit, error_of(row, col), sticky)) return false;
    Value value;
    value.quad = round_to_binary128((sign != 0) != scale_.negative, top, sticky, exponent);
    call_.product.c.put(call_.row_of(row, col), call_.col_of(row, col), value);
    return true;
  }

  void put(Index row, Index col, const std::uint64_t* limb, Index stride, int thread) const {
    ElementSums& worker = *workers_[static_cast<std::size_t>(thread)];
    const Index i = call_.row_of(row, col), j = call_.col_of(row, col);
    const std::uint8_t row_special = call_.rows.lines.special[row], col_special = call_.cols.lines.special[col];
    if (row_special == 2 || col_special == 2) return worker.put_nan(i, j);
    if (row_special != 0 || col_special != 0) return worker.compute(i, 1, j);
    Wide<crt_limbs> s{};
    const std::uint64_t fill = limb[(limbs_ - 1) * stride] >> 63 != 0 ? ~std::uint64_t{0} : 0;
    for (int l = 0; l < crt_limbs; ++l) s.limb[l] = l < limbs_ ? limb[l * stride] : fill;
    const std::int64_t exponent = std::int64_t{call_.rows.scaling.exponent[row]} + call_.cols.scaling.exponent[col];
    const double error = error_of(row, col);
    const Number c = worker.addend(i, j);
    if (!worker.finish().finite(c)) return worker.compute(i, 1, j);
    if (error == 0) {
      std::uint64_t magnitude[crt_limbs];
      return call_.product.c.put(i, j, worker.finish().finish(signed_limbs(s, exponent, magnitude), c));
    }
    // Both ends of the interval that holds the exact sum.
    const Wide<crt_limbs> bound = integer_above(error);
    std::uint64_t ends[2][crt_limbs];
    const SignedLimbs least = signed_limbs(wide_sub(s, bound), exponent, ends[0]),
                      most = signed_limbs(wide_add(s, bound), exponent, ends[1]);
    if (least.negative == most.negative && !least.is_zero() && !most.is_zero()) {
      const Value low = worker.finish().round(least, c);
      if (worker.finish().same(low, worker.finish().round(most, c))) {
        worker.finish().signal_finite(low);
        return call_.product.c.put(i, j, low);
      }
    }
    ++counts_[thread].undecided;
    worker.compute(i, 1, j);
  }

  static SignedLimbs signed_limbs(const Wide<crt_limbs>& s, std::int64_t exponent, std::uint64_t* to) {
    const bool negative = wide_negative(s);
    const Wide<crt_limbs> magnitude = wide_negate_if(s, negative);
    int count = crt_limbs;
    while (count > 0 && magnitude.limb[count - 1] == 0) --count;
    std::copy_n(magnitude.limb, count, to);
    return {to, count, exponent, negative};
  }
  /// An integer that is not below x, 0 < x < 2^300.
  static Wide<crt_limbs> integer_above(double x) {
    const Decoded d = decode(x);
    Wide<crt_limbs> r{};
    r.limb[0] = d.exponent >= 0 ? d.mantissa : d.exponent > -64 ? (d.mantissa >> -d.exponent) + 1 : 1;
    return d.exponent > 0 ? wide_shift_left(r, d.exponent) : r;
  }

  const Call& call_;
  const ElementWorkers& workers_;
  const CrtTable& crt_;
  int limbs_;
  Counts* counts_;
  bool simple_;  ///< results are binary128 numbers S times a power of two
  Finish::Scale scale_;
};

}  // namespace

bool multiply_residues(const Product& product, bool forced, Execution& execution) {
  Call call(product, execution);
  accublas_report_t& report = execution.report;
  const Index row_count = call.rows.operand.count, col_count = call.cols.operand.count;
  int moduli = max_moduli, row_bits, col_bits;
  const auto blocking = [&](std::size_t available) {
    return int8_blocking(row_count, col_count, product.k, moduli, call.tiling.rows, call.tiling.cols, 1, call.threads,
                         available);
  };
  const auto bytes = [](const Int8Blocking& b) { return b.row_bytes + b.col_bytes + b.result_bytes; };
  if (execution.workspace.rehearses()) {
    execution.workspace.take<std::uint8_t>(bytes(blocking(0)));
    return true;
  }
  const ElementWorkers workers = element_workers(product, call.threads);
  {
    PhaseTimer timer(execution, &accublas_report_t::ms_convert);
    measure(call.rows.operand, call.rows.lines, call.threads);
    measure(call.cols.operand, call.cols.lines, call.threads);
    moduli = choose_moduli(call, workers, forced);
    if (moduli == 0) return false;
    cpu::int8_split_bits(moduli, product.k, row_bits, col_bits);
    scale_lines(call.rows.lines, call.rows.scaling, row_bits, true, has_pairs(call.rows));
    scale_lines(call.cols.lines, call.cols.scaling, col_bits, false, has_pairs(call.cols));
  }
  report.bits = std::max(row_bits, col_bits);
  report.parts = moduli;

  const std::size_t arena_bytes =
      std::max(std::min(bytes(blocking(std::numeric_limits<std::size_t>::max())), execution.workspace.available()),
               bytes(blocking(0)));
  call.arena = execution.workspace.take<std::uint8_t>(arena_bytes);
  const Int8Blocking b = blocking(arena_bytes);
  const cpu::Int8Bytes row_bytes{
      false, false, call.rows.scaling.scale, int8_limbs(row_bits), moduli, call.arena, b.row_stride, b.row_plane()};
  const cpu::Int8Bytes col_bytes{
      true, false, call.cols.scaling.scale, int8_limbs(col_bits), moduli, call.arena + b.row_bytes, 0, b.col_plane()};
  std::vector<Counts> counts(static_cast<std::size_t>(call.threads));
  const TileFinish finish(call, workers, moduli, counts.data());
  const Stopwatch watch;
  const double convert_before = report.ms_convert;
  cpu::int8_for_each_tile(call, b, row_bytes, col_bytes, product.k, [&](const cpu::Int8TileTask& task) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    cpu::int8_multiply_tile(call.kernels.product, task, moduli, row_bytes, col_bytes, b.tile_plane(), call.tiling.cols);
    const auto middle = Clock::now();
    if (task.last_chunk) finish(task, b.tile_plane());
    Counts& of = counts[static_cast<std::size_t>(task.thread)];
    of.product_ns += std::chrono::nanoseconds(middle - begin).count();
    of.reconstruct_ns += std::chrono::nanoseconds(Clock::now() - middle).count();
  });
  double multiplied = 0, reconstructed = 0;
  for (const Counts& of : counts) {
    report.undecided += of.undecided;
    multiplied += static_cast<double>(of.product_ns);
    reconstructed += static_cast<double>(of.reconstruct_ns);
  }
  if (report.level >= 2 && multiplied + reconstructed > 0) {
    const double wall = watch.milliseconds() - (report.ms_convert - convert_before);
    report.ms_product += wall * multiplied / (multiplied + reconstructed);
    report.ms_reconstruct += wall * reconstructed / (multiplied + reconstructed);
  }
  return true;
}

}  // namespace accublas::quad
