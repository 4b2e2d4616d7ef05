// NRM2 and ASUM in modes dot2 and cr. One pass gives dot2's pair. All terms have one sign, so that the pair has a
// relative error of about 2^-95 (float: 2^-47). cr rounds the results that this bound decides, and exact accumulators
// compute the others.
#include "lib/call/accuracy.hpp"
#include "lib/cpu/dot2/dot2.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/finish_root.hpp"

namespace accublas::cpu {

namespace {

/// Returns the largest magnitude, which may be Inf, or NaN if an entry is NaN.
template <class T>
T largest_magnitude(const Reduction<T>& r) {
  T largest = 0;
  bool any_nan = false;
  for (Index i = 0; i < r.n; ++i) {
    const T a = std::fabs(r.x[i]);
    any_nan |= is_nan(a);
    largest = a > largest ? a : largest;
  }
  return any_nan ? canonical_nan<T>() : largest;
}

/// Returns sigma of docs/modes.md, NRM2 in dot2: entries are multiplied by 2^-sigma before they are squared.
int square_scale(double largest) {
  if (largest < 0x1p-400) return -600;
  return largest < 0x1p+480 ? 0 : 600;
}

/// Returns the sum that the tree of dot2 computes.
template <class T>
Dot2Sum<T> sum_of(Dot2Terms terms, const Reduction<T>& r) {
  return {terms, r.n, r.x};
}

/// The sum of squares is 2^(2 scale) (s + c). If it is not `known`, the norm is `largest`, which is 0, Inf or NaN.
template <class T>
struct Squares {
  Dot2Pair pair;
  int scale;
  T largest;
  bool known;
};

template <class T>
Squares<T> sum_squares(const Reduction<T>& r, Execution& execution) {
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  Dot2Sum<T> sum = sum_of(Dot2Terms::squares, r);
  Dot2Pair pair = dot2_pair(sum, execution);
  // M^2 <= sum <= n M^2 for the largest magnitude M, so the sum nearly always shows that entries need no scaling.
  constexpr bool wide = sizeof(T) == sizeof(double);
  const double least = wide ? 0x1p-799 * static_cast<double>(r.n) : 0x1p-300, most = wide ? 0x1p+959 : 0x1p+400;
  if (pair.s >= least && pair.s < most) return {pair, 0, 0, true};
  const T largest = largest_magnitude(r);
  if (is_zero(largest) || !accublas::is_finite(largest)) return {pair, 0, largest, false};
  int scale = 0;
  if constexpr (wide) {
    scale = square_scale(largest);
    if (scale != 0) {
      sum.factor = scale > 0 ? 0x1p-600 : 0x1p+600;
      pair = dot2_pair(sum, execution);
    }
  }
  return {pair, scale, largest, true};
}

/// Signals the overflow of a norm of finite entries.
template <class T>
void signal_overflow(const Squares<T>& squares, T norm) {
  if (squares.known && !accublas::is_finite(norm)) signal_exceptions(exceptions::overflow);
}

template <class T>
Dot2Pair sum_magnitudes(const Reduction<T>& r, Execution& execution) {
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  return dot2_pair(sum_of(Dot2Terms::magnitudes, r), execution);
}

/// Returns a bound of the error of the pair of n terms, none negative, without that of products that underflow.
template <class T>
double pair_error(Index n, Dot2Pair pair) {
  return dot2_bound(dot2_depth_dot(n), n, unit_roundoff<T>()).componentwise * pair.s * (1 + 0x1p-40);
}

template <class T>
void report_dot2(Index n, Execution& execution) {
  dot2_report_bound(dot2_depth_dot(n), n, T(1), execution.report);
  execution.report.bound_absolute = least_subnormal<T>();
}

template <class T>
void report_cr(bool decided, Execution& execution) {
  execution.report.undecided += !decided;
  put_bound(execution.report, rounded_once<T>());
}

}  // namespace

template <class T>
void dot2_nrm2(const Reduction<T>& r, Execution& execution) {
  report_dot2<T>(r.n, execution);
  const Squares<T> squares = sum_squares(r, execution);
  const T out = squares.known ? finish_root_pair<T>(squares.pair.s, squares.pair.c, squares.scale) : squares.largest;
  signal_overflow(squares, out);
  *r.result = out;
}

template <class T>
void dot2_asum(const Reduction<T>& r, Execution& execution) {
  report_dot2<T>(r.n, execution);
  const Dot2Pair pair = sum_magnitudes(r, execution);
  *r.result = is_finite(pair) ? dot2_sum<T>(pair) : exact_asum(r.n, r.x);
}

template <class T>
void cr_nrm2(const Reduction<T>& r, Execution& execution) {
  const Squares<T> squares = sum_squares(r, execution);
  T out = squares.largest;
  bool decided = !squares.known;
  if (!decided) {
    const Dot2Pair pair = squares.pair;
    // Entries that are scaled up are multiples of 2^-474, and their products of 2^-948, so that nothing underflows. For
    // float nothing ever does.
    const bool may_underflow = sizeof(T) == sizeof(double) && squares.scale >= 0;
    const double underflow = may_underflow ? static_cast<double>(r.n) * product_underflow : 0;
    decided = finish_root_within(pair.s, pair.c, pair_error<T>(r.n, pair) + underflow, squares.scale, &out);
  }
  if (!decided) {
    PhaseTimer timer(execution, &accublas_report_t::ms_exact);
    out = exact_nrm2(r.n, r.x);
  }
  signal_overflow(squares, out);
  *r.result = out;
  report_cr<T>(decided, execution);
}

template <class T>
void cr_asum(const Reduction<T>& r, Execution& execution) {
  const Dot2Pair pair = sum_magnitudes(r, execution);
  T out = 0;
  bool decided = false;
  if (is_finite(pair))
    decided = finish_triple(T(1), {pair.s, pair.c, 0, pair_error<T>(r.n, pair)}, 0, T(0), T(0), &out);
  if (!decided) {
    PhaseTimer timer(execution, &accublas_report_t::ms_exact);
    out = exact_asum(r.n, r.x);
  }
  *r.result = out;
  report_cr<T>(decided, execution);
}

#define ACCUBLAS_INSTANTIATE(T)                             \
  template void dot2_nrm2(const Reduction<T>&, Execution&); \
  template void dot2_asum(const Reduction<T>&, Execution&); \
  template void cr_nrm2(const Reduction<T>&, Execution&);   \
  template void cr_asum(const Reduction<T>&, Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
