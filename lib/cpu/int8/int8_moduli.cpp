// How many moduli a pass of cr takes: the fewest that leave few elements undecided, by the lines and by sampled
// elements.
#include "lib/cpu/int8/int8_moduli.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/escalation.hpp"

namespace accublas::cpu {

namespace {

/// Returns the sum of x y 2^-(E + F), or the least normal number if all products underflow that are not zero.
template <class T>
double scaled_product(const Vector<const T>& x, int x_exponent, const Vector<const T>& y, int y_exponent, Index k) {
  const ScaleDown x_scale(x_exponent), y_scale(y_exponent);
  double sum = 0, size = 0;
  bool any = false;
  for (Index p = 0; p < k; ++p) {
    const double product = x_scale(x[p]) * y_scale(y[p]);
    sum += product;
    size += std::fabs(product);
    any |= x[p] != 0 && y[p] != 0;
  }
  return any && size == 0 ? std::numeric_limits<double>::min() : sum;
}

/// Returns the part of the elements that a pass may leave undecided. It is larger if the caches hold the operands.
template <class T>
double accepted_part(Index m, Index n, Index k) {
  const UndecidedTuning& undecided = tuning().undecided;
  const bool cached = (m + n) * k * static_cast<Index>(sizeof(T)) <= undecided.cached_bytes;
  return cached ? undecided.accepted_cached : undecided.accepted;
}

/// Samples elements of the wanted tiles, as many as their number and k make worth reading. Returns how many were found.
template <class T>
int sample_elements(const Int8Call<T>& call, UndecidedSample* samples) {
  const Index k = call.problem.k;
  const bool small = call.rows.operand.count * call.cols.operand.count < tuning().undecided.small_elements;
  const Index wanted = small ? tuning().undecided.small_samples : tuning().undecided.sample_terms / k + 8;
  const int most = static_cast<int>(std::min<Index>(most_samples, wanted));
  int found = 0;
  SampleSequence sequence;
  for (int attempt = 0; attempt < 8 * most && found < most; ++attempt) {
    const Index i = sequence.next(call.rows.operand.count), j = sequence.next(call.cols.operand.count);
    if (!call.wanted[call.tiling.tile_of(i, j)]) continue;
    if (call.rows.lines.norm[i] <= 0 || call.cols.lines.norm[j] <= 0) continue;
    const double sum = scaled_product(call.rows.operand.line(i), call.rows.lines.exponent[i], call.cols.operand.line(j),
                                      call.cols.lines.exponent[j], k);
    if (sum == 0) continue;
    samples[found++] = undecided_sample<T>(sum, call.rows.lines.norm[i], call.rows.lines.lambda[i],
                                           call.cols.lines.norm[j], call.cols.lines.lambda[j]);
  }
  return found;
}

}  // namespace

template <class T>
int int8_fixed_moduli(const Int8Call<T>& call, int t) {
  double row_norm = 0, col_norm = 0;
  for (Index i = 0; i < call.rows.operand.count; ++i) row_norm = std::max(row_norm, call.rows.lines.norm[i]);
  for (Index j = 0; j < call.cols.operand.count; ++j) col_norm = std::max(col_norm, call.cols.lines.norm[j]);
  const int moduli =
      int8_moduli_for(int8_log2_norm(row_norm, t, call.problem.k) + int8_log2_norm(col_norm, t, call.problem.k));
  if (moduli == 0) throw Error(ACCUBLAS_ERROR_INTERNAL, "int8: the sums exceed the range of all moduli");
  return moduli;
}

template <class T>
int int8_fewest_moduli(const Int8Call<T>& call, int t) {
  const int moduli = int8_fixed_moduli(call, t);
  const bool outer_rows = call.cols.operand.k_stride == 1;
  const Int8Operand<T>&outer = outer_rows ? call.rows.operand : call.cols.operand,
        &inner = outer_rows ? call.cols.operand : call.rows.operand;
  const Int8Lines &outer_lines = outer_rows ? call.rows.lines : call.cols.lines,
                  &inner_lines = outer_rows ? call.cols.lines : call.rows.lines;
  const Index k = call.problem.k;
  if (moduli == 1 || inner.k_stride != 1 || k > static_cast<Index>(Int8Pack::count)) return moduli;
  // Sums and limit in units of 2^(E + F); entries are moved by at most half a unit 2^-t.
  const double unit = std::ldexp(1.0, -t), moved = unit / 2 * std::sqrt(static_cast<double>(k));
  const double slack = 1 + 0x1p-30, limit = std::exp2(int8_capacity(moduli - 1) - 2 * t) / slack;
  auto norm_of = [&](const Int8Lines& lines, Index i) { return lines.norm[i] > 0 ? lines.norm[i] + moved : 0; };
  double largest = 0;
  for (Index j = 0; j < inner.count; ++j) largest = std::max(largest, norm_of(inner_lines, j));
  // A pair costs as much as some hundred elements modulo one p.
  Index left = outer.count * inner.count / tuning(call.execution.isa).int8.pair_elements;
  for (Index i = 0; i < outer.count && left >= 0; ++i) {
    const double norm = norm_of(outer_lines, i);
    if (norm * largest <= limit) continue;
    for (Index j = 0; j < inner.count; ++j) left -= norm * norm_of(inner_lines, j) > limit;
  }
  if (left < 0) return moduli;
  // Far from over- and underflow.
  constexpr int most_exponent = 300;
  for (int thread = 0; thread < call.threads; ++thread) call.counts[thread].worst = 0;
  parallel_for(outer.count, call.threads, [&](Index i, int thread) {
    const double norm = norm_of(outer_lines, i);
    double& worst = call.counts[thread].worst;
    if (norm * largest <= limit || worst > limit) return;
    double* const x = call.packs[thread].x;
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
  for (int thread = 0; thread < call.threads; ++thread) worst = std::max(worst, call.counts[thread].worst);
  return worst <= limit ? moduli - 1 : moduli;
}

void int8_split_bits(int moduli, Index k, int& row_bits, int& col_bits) {
  split_bits(capacity_of(int8_capacity(moduli)), most_relative_norm, most_relative_norm, k, row_bits, col_bits);
}

template <class T>
bool int8_at_ends(const Int8Call<T>& call) {
  if (!call.scalars.simple && !call.scalars.combine) return true;
  // Sums of single precision are rounded to a narrower range.
  constexpr int most_exponent = sizeof(T) == sizeof(double) ? 500 : 90;
  int found = 0, at_ends = 0;
  SampleSequence sequence;
  for (int attempt = 0; attempt < most_samples; ++attempt) {
    const Index i = sequence.next(call.rows.operand.count), j = sequence.next(call.cols.operand.count);
    if (call.rows.lines.norm[i] <= 0 || call.cols.lines.norm[j] <= 0) continue;
    const int exponent = call.rows.lines.exponent[i] + call.cols.lines.exponent[j] + call.scalars.alpha_exponent;
    at_ends += std::abs(exponent) > most_exponent;
    ++found;
  }
  return at_ends * tuning().undecided.at_ends > found;
}

template <class T>
int int8_cr_moduli(const Int8Call<T>& call, int least, double share) {
  UndecidedSample samples[most_samples];
  if (int8_at_ends(call)) return 0;
  const int found = sample_elements(call, samples);
  const DroppingLines rows(call.rows.lines), cols(call.cols.lines);
  const double accepted = accepted_part<T>(call.rows.operand.count, call.cols.operand.count, call.problem.k) * found;
  const Int8Tuning& int8 = tuning(call.execution.isa).int8;
  const double most = share * (sizeof(T) == sizeof(float) ? int8.sgemm_moduli : int8.dgemm_moduli);
  for (int moduli = least; moduli <= most; ++moduli) {
    int row_bits, col_bits;
    int8_split_bits(moduli, call.problem.k, row_bits, col_bits);
    const double row_part = rows.part(row_bits), col_part = cols.part(col_bits);
    double chance = 0;
    for (int i = 0; i < found; ++i) chance += samples[i].chance(row_part, col_part);
    if (chance <= accepted) return moduli;
  }
  return 0;
}

#define ACCUBLAS_INSTANTIATE(T)                             \
  template int int8_fixed_moduli(const Int8Call<T>&, int);  \
  template int int8_fewest_moduli(const Int8Call<T>&, int); \
  template bool int8_at_ends(const Int8Call<T>&);           \
  template int int8_cr_moduli(const Int8Call<T>&, int, double);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
