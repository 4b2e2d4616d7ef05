// GEMM by INT8 residue products and the Chinese remainder theorem (Ozaki scheme II): fixed:T, dp and sp reproducible,
// cr.
//
// The entries of op(A) and op(B) become integers a', b' over a power of two per row and column. Modulo pairwise coprime
// p <= 256 their products are INT8 products; from the residues of a tile of C the integer S = sum a' b' is
// reconstructed and rounded once with alpha and beta c. fixed:T prescribes the integers. cr chooses them and knows how
// far S may be from the exact sum: Ziv's test rounds both ends, and what they do not decide is computed again with more
// bits, at last by an exact accumulator.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/int8/int8_gemm.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas::cpu {

namespace {

/// Threads that pay for themselves: below some 0.1 ms of products one is faster.
int useful_threads(Index m, Index n, Index k, int threads) {
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return work < 1.5e6 ? 1 : threads;
}

bool power_of_two(double x, int& exponent) {
  if (!is_finite(x) || x == 0) return false;
  const Decoded d = decode(x);
  if ((d.mantissa & (d.mantissa - 1)) != 0) return false;
  exponent = d.exponent + 63 - leading_zeros(d.mantissa);
  return true;
}

/// What the kernels multiply by.
bool moderate(double x) {
  const double size = std::fabs(x);
  return size >= 0x1p-200 && size <= 0x1p200;
}

}  // namespace

template <class T>
Int8Gemm<T>::Int8Gemm(const Gemm<T>& problem, const Mode& mode, Execution& execution)
    : problem_(problem),
      mode_(mode),
      execution_(execution),
      product_(int8_product_kernels(execution.isa)),
      convert_(int8_convert_kernels(execution.isa)),
      reconstruct_(int8_reconstruct_kernels(execution.isa)) {
  const Int8Operand<T> a{problem.a.data, problem.a.row_stride, problem.a.col_stride, problem.m, problem.k};
  const Int8Operand<T> b{problem.b.data, problem.b.col_stride, problem.b.row_stride, problem.n, problem.k};
  // The columns' side runs along C's unit stride: the transposed product where C is column-major.
  const bool transposed = problem.c.row_stride == 1 && problem.m > 1;
  rows_ = transposed ? b : a;
  cols_ = transposed ? a : b;
  at_ = transposed ? problem.c.transposed() : problem.c;
  threads_ = useful_threads(problem.m, problem.n, problem.k, execution.threads);
  alpha_exponent_ = 0;
  const bool kernels_round = !mutant(Mutant::special_beta_zero);
  simple_ = kernels_round && problem.beta == 0 && power_of_two(problem.alpha, alpha_exponent_);
  combine_ = kernels_round && !simple_ && moderate(problem.alpha) && (problem.beta == 0 || moderate(problem.beta));
  tile_rejected_ = nullptr;
  accepted_bits_ = nullptr;

  Workspace& workspace = execution.workspace;
  const std::size_t available = workspace.available();
  int8_tile(rows_.count, cols_.count, threads_, execution.isa >= Isa::amx, available, tile_rows_, tile_cols_);
  row_tiles_ = ceil_div(rows_.count, tile_rows_);
  col_tiles_ = ceil_div(cols_.count, tile_cols_);
  const std::size_t tiles = static_cast<std::size_t>(row_tiles_ * col_tiles_),
                    threads = static_cast<std::size_t>(threads_);
  const std::size_t elements = static_cast<std::size_t>((tile_rows_ + 32) * tile_cols_);
  packs_ = workspace.take<Int8Pack>(threads);
  tiles_ = workspace.take<Int8Tile<T>>(threads);
  counts_ = workspace.take<Int8Counts>(threads);
  for (int t = 0; t < threads_; ++t) {
    packs_[t].x = workspace.take<double>(Int8Pack::count);
    tiles_[t].out = workspace.take<T>(elements);
    tiles_[t].open = workspace.take<std::uint8_t>(elements);
    tiles_[t].sums = reinterpret_cast<std::int32_t*>(tiles_[t].out);
    tiles_[t].columns = workspace.take<double>(static_cast<std::size_t>(2 * tile_cols_));
    counts_[t] = Int8Counts{};
  }
  wanted_ = workspace.take<std::uint8_t>(tiles);
  const bool keep_nonzero = mode.kind != ACCUBLAS_MODE_FIXED &&
                            static_cast<std::size_t>((rows_.count + cols_.count) * (problem.k / 8)) < available / 4;
  row_lines_ = int8_take_lines(workspace, rows_.count, problem.k, keep_nonzero);
  col_lines_ = int8_take_lines(workspace, cols_.count, problem.k, keep_nonzero);
  auto take_lines = [&](Index count, std::int32_t*& scale, std::int32_t*& exponent, double*& error, double*& drop) {
    const std::size_t padded = static_cast<std::size_t>(round_up(count, 32));
    scale = workspace.take<std::int32_t>(padded);
    exponent = workspace.take<std::int32_t>(padded);
    error = workspace.take<double>(padded);
    drop = workspace.take<double>(padded);
  };
  take_lines(rows_.count, row_scale_, row_exponent_, row_error_, row_drop_);
  take_lines(cols_.count, col_scale_, col_exponent_, col_error_, col_drop_);
}

template <class T>
void Int8Gemm<T>::run() {
  {
    PhaseTimer timer(execution_, &accublas_report_t::ms_convert);
    int8_measure(rows_, row_lines_, convert_, packs_, threads_);
    int8_measure(cols_, col_lines_, convert_, packs_, threads_);
  }
  any_special_ = false;
  for (Index i = 0; i < rows_.count && !any_special_; ++i) any_special_ = row_lines_.special[i] != 0;
  for (Index j = 0; j < cols_.count && !any_special_; ++j) any_special_ = col_lines_.special[j] != 0;
  for (Index t = 0; t < row_tiles_ * col_tiles_; ++t) wanted_[t] = 1;

  execution_.report.bound_relative = unit_roundoff<T>();
  execution_.report.bound_componentwise = 0;
  execution_.report.bound_absolute = least_subnormal<T>();
  switch (mode_.kind) {
    case ACCUBLAS_MODE_FIXED:
      run_fixed(mode_.parameter);
      break;
    case ACCUBLAS_MODE_CR:
      run_cr(Int8Pass::Elements::all);
      break;
    default:
      run_certified();
      break;
  }
  for (int t = 0; t < threads_; ++t) execution_.report.undecided += counts_[t].undecided;
}

/// Memory of the passes, before any of them writes C: what the residues of a whole pass with `moduli` take, if the
/// workspace has it.
template <class T>
void Int8Gemm<T>::take_arena(int moduli) {
  const Int8Blocking whole = int8_blocking(rows_.count, cols_.count, problem_.k, moduli, tile_rows_, tile_cols_, 1,
                                           threads_, std::numeric_limits<std::size_t>::max());
  const Int8Blocking least =
      int8_blocking(rows_.count, cols_.count, problem_.k, max_moduli, tile_rows_, tile_cols_, 1, threads_, 0);
  const Int8Blocking sums =
      int8_blocking(rows_.count, cols_.count, 2 * int8_k_step, 1, tile_rows_, tile_cols_, 8, threads_, 0);
  auto bytes = [](const Int8Blocking& b) { return b.row_bytes + b.col_bytes + b.result_bytes; };
  const std::size_t available = execution_.workspace.available();
  arena_bytes_ = std::max({std::min(bytes(whole), available), bytes(least), 2 * bytes(sums)});
  arena_ = execution_.workspace.template take<std::uint8_t>(arena_bytes_);
}

/// Moduli for fixed:t, by the largest norms of a' and b'.
template <class T>
int Int8Gemm<T>::fixed_moduli(int t) const {
  double row_norm = 0, col_norm = 0;
  for (Index i = 0; i < rows_.count; ++i) row_norm = std::max(row_norm, row_lines_.norm[i]);
  for (Index j = 0; j < cols_.count; ++j) col_norm = std::max(col_norm, col_lines_.norm[j]);
  const int moduli = int8_moduli_for(int8_log2_norm(row_norm, t, problem_.k) + int8_log2_norm(col_norm, t, problem_.k));
  if (moduli == 0) throw Error(ACCUBLAS_ERROR_INTERNAL, "int8: the sums exceed the range of all moduli");
  return moduli;
}

/// The same, or one less where that is enough for all but few pairs of lines by their norms, and for these by sum
/// abs(a') abs(b') itself. Only where the lines of one side lie contiguous; those of the other are copied.
template <class T>
int Int8Gemm<T>::fewest_moduli(int t) const {
  const int moduli = fixed_moduli(t);
  const bool outer_rows = cols_.k_stride == 1;
  const Int8Operand<T>&outer = outer_rows ? rows_ : cols_, &inner = outer_rows ? cols_ : rows_;
  const Int8Lines &outer_lines = outer_rows ? row_lines_ : col_lines_,
                  &inner_lines = outer_rows ? col_lines_ : row_lines_;
  const Index k = problem_.k;
  if (moduli == 1 || inner.k_stride != 1 || k > static_cast<Index>(Int8Pack::count)) return moduli;
  // Sums and limit in units of 2^(E + F); entries are moved by at most half a unit 2^-t.
  const double unit = std::ldexp(1.0, -t), moved = unit / 2 * std::sqrt(static_cast<double>(k));
  const double slack = 1 + 0x1p-30, limit = std::exp2(int8_capacity(moduli - 1) - 2 * t) / slack;
  auto norm_of = [&](const Int8Lines& lines, Index i) { return lines.norm[i] > 0 ? lines.norm[i] + moved : 0; };
  double largest = 0;
  for (Index j = 0; j < inner.count; ++j) largest = std::max(largest, norm_of(inner_lines, j));
  // A pair costs as much as some hundred elements modulo one p.
  Index left = outer.count * inner.count / (execution_.isa >= Isa::amx ? 16384 : 1024);
  for (Index i = 0; i < outer.count && left >= 0; ++i) {
    const double norm = norm_of(outer_lines, i);
    if (norm * largest <= limit) continue;
    for (Index j = 0; j < inner.count; ++j) left -= norm * norm_of(inner_lines, j) > limit;
  }
  if (left < 0) return moduli;
  // Far from over- and underflow.
  constexpr int most_exponent = 300;
  for (int thread = 0; thread < threads_; ++thread) counts_[thread].worst = 0;
  parallel_for(outer.count, threads_, [&](Index i, int thread) {
    const double norm = norm_of(outer_lines, i);
    double& worst = counts_[thread].worst;
    if (norm * largest <= limit || worst > limit) return;
    double* const x = packs_[thread].x;
    for (Index p = 0; p < k; ++p) x[p] = std::fabs(static_cast<double>(outer.line(i)[p]));
    for (Index j = 0; j < inner.count && worst <= limit; ++j) {
      if (norm * norm_of(inner_lines, j) <= limit) continue;
      const T* const y = inner.data + j * inner.stride;
      double sums[8] = {};
      Index p = 0;
      for (; p + 8 <= k; p += 8)
        for (int l = 0; l < 8; ++l) sums[l] += x[p + l] * std::fabs(static_cast<double>(y[p + l]));
      for (; p < k; ++p) sums[0] += x[p] * std::fabs(static_cast<double>(y[p]));
      double sum = 0;
      for (double part : sums) sum += part;
      const int e = outer_lines.exponent[i], f = inner_lines.exponent[j];
      const double lambdas = (outer_lines.lambda[i] + inner_lines.lambda[j]) * 0x1p-24;
      const double bound = std::ldexp(sum, -e - f) + unit / 2 * (lambdas + unit / 2 * static_cast<double>(k));
      const bool far = std::max(std::abs(e), std::abs(f)) <= most_exponent;
      worst = std::max(worst, far ? bound : std::numeric_limits<double>::infinity());
    }
  });
  double worst = 0;
  for (int thread = 0; thread < threads_; ++thread) worst = std::max(worst, counts_[thread].worst);
  return worst <= limit ? moduli - 1 : moduli;
}

template <class T>
void Int8Gemm<T>::run_fixed(int t) {
  const int moduli = fewest_moduli(t);
  take_arena(moduli);
  bool exact = true;
  for (Index i = 0; i < rows_.count && exact; ++i) exact = row_lines_.needed_bits(i) <= t;
  for (Index j = 0; j < cols_.count && exact; ++j) exact = col_lines_.needed_bits(j) <= t;
  const double u = unit_roundoff<T>();
  // RN moves the result by u abs(result) <= u (abs(exact) + error).
  double bound = exact ? 0 : std::numeric_limits<double>::infinity();
  if (!exact && execution_.target > 0) bound = componentwise_bound(t) * (1 + 2 * u);
  execution_.report.bound_componentwise = bound;
  if (execution_.target > 0 && !(u + bound <= execution_.target))
    throw Error(ACCUBLAS_ERROR_ACCURACY, "fixed:" + std::to_string(t) + " cannot promise the target on this data");
  run_pass({false, Int8Pass::Elements::all, t, t, moduli, false});
}

template <class T>
void Int8Gemm<T>::run_certified() {
  take_arena(fixed_moduli(certificate_rungs<T>().t[certificate_rungs<T>().count - 1]));
  const int t = certify();
  // The certificate: abs(S - exact) <= (k + 1) u abs(A) abs(B).
  execution_.report.bound_componentwise = (static_cast<double>(problem_.k) + 2) * unit_roundoff<T>();
  if (t == 0) return run_cr(Int8Pass::Elements::all);
  run_pass({false, Int8Pass::Elements::accepted, t, t, fewest_moduli(t), false});
  bool left = false;
  for (Index i = 0; i < row_tiles_ * col_tiles_ && !left; ++i) left = wanted_[i] != 0;
  if (left) run_cr(Int8Pass::Elements::rejected);
}

template <class T>
void Int8Gemm<T>::run_cr(Int8Pass::Elements elements) {
  int moduli = 0;
  {
    PhaseTimer timer(execution_, &accublas_report_t::ms_convert);
    moduli = choose_moduli(first_moduli<T>());
  }
  if (elements == Int8Pass::Elements::all && !tile_rejected_) take_arena(moduli);
  for (;;) {
    Int8Pass pass{true, elements, 0, 0, moduli, moduli < max_moduli};
    int8_split_bits(moduli, problem_.k, pass.row_bits, pass.col_bits);
    run_pass(pass);
    bool left = false;
    for (Index i = 0; i < row_tiles_ * col_tiles_ && !left; ++i) left = wanted_[i] != 0;
    if (!left) return;
    moduli = choose_moduli(next_moduli(moduli));
  }
}

template <class T>
void int8_gemm(const Gemm<T>& problem, const Mode& mode, Execution& execution) {
  Int8Gemm<T>(problem, mode, execution).run();
}

template void int8_gemm(const Gemm<double>&, const Mode&, Execution&);
template void int8_gemm(const Gemm<float>&, const Mode&, Execution&);

}  // namespace accublas::cpu
