#include "lib/cpu/dot2/dot2.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "lib/base/integers.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cpu {

namespace {

/// Returns the exact error of s = RN(a + b), s finite. It uses Dekker's sequence on the ordered operands, because
/// TwoSum's can overflow if b is the largest finite number.
double sum_error(double a, double b, double s) {
  if (std::fabs(a) < std::fabs(b)) std::swap(a, b);
  return b - (s - a);
}

/// Adds x y to a pair (step of docs/modes.md).
template <class T>
void step(Dot2Pair& pair, T x, T y) {
  const double p = static_cast<double>(x) * static_cast<double>(y), s = pair.s + p;
  if constexpr (compensated<T>) {
    const double e = std::fma(x, y, -p);
    pair.c = pair.c + (sum_error(pair.s, p, s) + e);
  }
  pair.s = s;
}

/// The pairs of the lanes of a tree.
struct Lanes {
  Dot2Pair lane[dot2_lanes] = {};
};

template <class T>
void step_term(Dot2Pair& pair, const Dot2Sum<T>& sum, Index i) {
  const T x = sum.x[i];
  switch (sum.terms) {
    case Dot2Terms::products:
      return step(pair, x, sum.y[i]);
    case Dot2Terms::squares:
      return step(pair, x * sum.factor, x * sum.factor);
    case Dot2Terms::magnitudes:
      return step(pair, std::fabs(x), T(1));  // the product's error is 0
  }
}

/// Returns the tree over blocks first .. first + count - 1.
template <class T>
Lanes tree(const Dot2Sum<T>& sum, Index first, Index count) {
  Lanes lanes;
  if (count == 1) {
    const Index begin = first * dot2_dot_block, end = std::min(begin + dot2_dot_block, sum.n);
    for (Index i = begin; i < end; ++i) step_term(lanes.lane[(i - begin) % dot2_lanes], sum, i);
    return lanes;
  }
  const Index half = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(count - 1)));
  lanes = tree(sum, first, half);
  const Lanes right = tree(sum, first + half, count - half);
  for (int l = 0; l < dot2_lanes; ++l) lanes.lane[l] = dot2_combine<T>(lanes.lane[l], right.lane[l]);
  return lanes;
}

}  // namespace

template <class T>
Dot2Pair dot2_combine(Dot2Pair left, Dot2Pair right) {
  const double s = left.s + right.s;
  return {s, compensated<T> ? (left.c + right.c) + sum_error(left.s, right.s, s) : 0.0};
}

template <class T>
Dot2Pair dot2_chain(Index k, Vector<const T> x, Vector<const T> y) {
  Dot2Pair total = {0, 0};
  for (Index first = 0; first < k; first += dot2_block) {
    Dot2Pair block = {0, 0};
    for (Index p = first; p < std::min(first + dot2_block, k); ++p) step(block, x[p], y[p]);
    total = dot2_combine<T>(total, block);
  }
  return total;
}

template <class T>
Dot2Pair dot2_tree(const Dot2Sum<T>& sum) {
  Lanes lanes = tree(sum, 0, std::max<Index>(ceil_div(sum.n, dot2_dot_block), 1));
  for (int half = dot2_lanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) lanes.lane[l] = dot2_combine<T>(lanes.lane[l], lanes.lane[l + half]);
  return lanes.lane[0];
}

template <class T>
T dot2_element(Dot2Pair pair, Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, const T* y) {
  // The kernel's s is the defined one. Its c may overflow where the defined one does not
  // (lib/cpu/kernels/dot2_kernels.hpp).
  if (std::isfinite(pair.s) && !std::isfinite(pair.c)) pair = dot2_chain(k, row, col);
  if (!is_finite(pair)) return exact_element(k, alpha, row, col, beta, y);
  return finish_pair(alpha, pair.s, pair.c, beta, read_addend(beta, y));
}

template <class T>
void dot2_report_bound(double depth, Index terms, T alpha, accublas_report_t& report) {
  const Dot2Bound bound = dot2_bound(depth, 0, unit_roundoff<T>());
  report.bound_relative = bound.relative;
  report.bound_componentwise = bound.componentwise;
  // The absolute bound is 5 abs(alpha) terms least subnormals for products that underflow (for float none does), and
  // one more for the result. This number of least subnormals is also the bit pattern of their sum; a product would take
  // the CPU's slow path.
  const double factor = std::max(1.0, std::fabs(static_cast<double>(alpha)));
  const double count = compensated<T> ? std::ceil(5 * factor * static_cast<double>(terms)) + 1 : 1;
  report.bound_absolute = !compensated<T>  ? std::numeric_limits<T>::denorm_min()
                          : count < 0x1p52 ? std::bit_cast<double>(static_cast<std::uint64_t>(count))
                                           : count * std::numeric_limits<double>::denorm_min();
}

#define ACCUBLAS_INSTANTIATE(T)                                                               \
  template Dot2Pair dot2_combine<T>(Dot2Pair, Dot2Pair);                                      \
  template Dot2Pair dot2_chain(Index, Vector<const T>, Vector<const T>);                      \
  template Dot2Pair dot2_tree(const Dot2Sum<T>&);                                             \
  template T dot2_element(Dot2Pair, Index, T, Vector<const T>, Vector<const T>, T, const T*); \
  template void dot2_report_bound(double, Index, T, accublas_report_t&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
