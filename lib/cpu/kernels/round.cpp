// These kernels apply Ziv's test to vectors of results. ComponentTerms (lib/numerics/ziv_component.hpp) applies it to a
// single result. The kernels also decide results whose sums are exact, including zeros.
#include <type_traits>

#include "lib/cpu/kernels/cr_chain.hpp"
#include "lib/cpu/kernels/round_kernels.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

/// The sum of a result's terms, high + middle + low. Only `high` and `middle` are added without error.
struct TermSum {
  V high = zero(), middle = zero(), low = zero();
  V lows = zero();     ///< magnitudes of the numbers that were added to `low`
  V error = zero();    ///< error bounds of the sums in the terms
  V inexact = zero();  ///< not zero if these parts may differ from the sum
};

/// Adds factor (first + rest), without a middle part.
ACCUBLAS_INLINE void add_term(TermSum& sum, V factor, V first, V rest) {
  const V p = mul(factor, first), p_low = fms(factor, first, p), high = add(sum.high, p),
          sum_low = sum_error(sum.high, p, high), tail = mul(factor, rest);
  sum.low = add(sum.low, add(sum_low, add(p_low, tail)));
  sum.lows = add(sum.lows, add(magnitude(sum_low), add(magnitude(p_low), magnitude(tail))));
  // The error of a product that underflows is not representable.
  const V underflow = where_greater(splat(0x1p-900), magnitude(p), magnitude(first), zero());
  sum.inexact = add(sum.inexact, add(magnitude(rest), underflow));
  sum.high = high;
}

/// Replaces (a, b) by their sum and its error.
ACCUBLAS_INLINE void add_exactly(V& a, V& b) {
  const V sum = add(a, b);
  b = sum_error(a, b, sum);
  a = sum;
}

ACCUBLAS_INLINE void add_to_low(TermSum& sum, V x) {
  sum.low = add(sum.low, x);
  sum.lows = add(sum.lows, magnitude(x));
}

/// Adds factor (first + second + third). Numbers that cancel in `high` and `middle` leave no error.
ACCUBLAS_INLINE void add_three(TermSum& sum, V factor, V first, V second, V third) {
  V p = mul(factor, first), q = mul(factor, second), p_low = fms(factor, first, p);
  add_to_low(sum, fms(factor, second, q));
  add_to_low(sum, mul(factor, third));
  const V underflow = where_greater(splat(0x1p-900), magnitude(p), magnitude(first), zero());
  sum.inexact = add(sum.inexact, add(add(magnitude(second), magnitude(third)), underflow));
  add_exactly(sum.high, p);
  const auto add_to_middle = [&](V x) __attribute__((always_inline)) {
    add_exactly(sum.middle, x);
    add_to_low(sum, x);
  };
  add_to_middle(p);
  add_to_middle(p_low);
  add_to_middle(q);
}

/// `Careful` sums have middle parts. They decide results whose terms cancel to 2^-53 of them.
template <bool Careful, class T>
ACCUBLAS_INLINE void add_part(TermSum& sum, const RoundTerms<T>& part, Index i) {
  const auto or_zero = [i](const double* x) __attribute__((always_inline)) { return x ? load(x + i) : zero(); };
  if (part.alpha != 0) {
    const V factor = splat(part.alpha), error = or_zero(part.error);
    if constexpr (Careful)
      add_three(sum, factor, load(part.a1 + i), or_zero(part.a2), or_zero(part.a3));
    else
      add_term(sum, factor, load(part.a1 + i), add(or_zero(part.a2), or_zero(part.a3)));
    sum.error = add(sum.error, mul(magnitude(factor), error));
    sum.inexact = add(sum.inexact, error);
  }
  if (part.beta != 0) {
    if constexpr (Careful)
      add_three(sum, splat(part.beta), load(part.c + i), zero(), zero());
    else
      add_term(sum, splat(part.beta), load(part.c + i), zero());
  }
}

/// The sum lies within `wide` of high + low; `wide` is zero if they are equal, and NaN if nothing is known.
struct Interval {
  V high, low, wide;
};

/// `more` joins the width of sums that are not exact.
ACCUBLAS_INLINE Interval interval_of(const TermSum& sum, V more) {
  const V inexact = add(sum.inexact, sum.lows);
  // At most 30 operations on low parts are rounded, and no result of one exceeds `lows`. 2^-1000 covers underflow.
  const V wide = add(mul(add(sum.error, add(mul(sum.lows, splat(0x1p-48)), mul(magnitude(sum.low), splat(0x1p-52)))),
                         splat(1 + 0x1p-30)),
                     add(splat(0x1p-1000), more));
  // A NaN makes the width NaN, so that Ziv's test fails.
  return {sum.high, sum.low, where_greater(inexact, zero(), wide, mul(inexact, zero()))};
}

/// Writes W results. Returns the lanes, as bits, that the interval decides.
template <class T>
ACCUBLAS_INLINE unsigned round_sum(const TermSum& sum, T* out) {
  constexpr bool single = sizeof(T) == sizeof(float);
  // For float, 2^-51 abs(high) covers the rounding to double that precedes the rounding to float.
  const Interval x = interval_of(sum, single ? mul(magnitude(sum.high), splat(0x1p-51)) : zero());
  V low_end = add(x.high, sub(x.low, x.wide)), high_end = add(x.high, add(x.low, x.wide));
  if (single) {
    low_end = to_single(low_end);
    high_end = to_single(high_end);
  }
  store(out, high_end);
  // Results that overflow stay pending, because the code that computes them signals exceptions. A zero is decided
  // only if its sum is exact.
  constexpr double most = single ? 0x1.fffffep+127 : 0x1.fffffffffffffp+1023;
  return equal(low_end, high_end) & at_least(splat(most), magnitude(high_end)) &
         (differing(high_end, zero()) | equal(x.wide, zero()));
}

/// Returns a sum without a middle part.
template <bool Careful, class T>
ACCUBLAS_INLINE TermSum sum_of(const RoundRun<T>& run, Index i) {
  TermSum sum;
  add_part<Careful>(sum, run.own, i);
  add_part<Careful>(sum, run.other, i);
  if constexpr (Careful) {
    add_exactly(sum.high, sum.middle);
    add_to_low(sum, sum.middle);
  }
  return sum;
}

/// Decides vectors with pending results again, by careful sums. Returns the results that stay pending, a bit each. This
/// function is out of line, because most calls do not need it.
template <class Decided>
[[gnu::noinline]] std::uint64_t decide_again(std::uint64_t pending, Index count, Decided&& decided) {
  std::uint64_t open = 0;
  for (Index i = 0; i < count; i += W)
    if ((pending >> i & ((1u << W) - 1)) != 0)
      open |= static_cast<std::uint64_t>(~decided(i, std::true_type{}) & ((1u << W) - 1)) << i;
  return open;
}

/// Returns the pending ones of `count` results. decided(i, careful) returns the lanes from result i on that are
/// decided, where `careful` is std::true_type or std::false_type.
template <class Decided>
ACCUBLAS_INLINE std::uint64_t pending_of(Index count, Decided&& decided) {
  std::uint64_t open = 0;
  for (Index i = 0; i < count; i += W)
    open |= static_cast<std::uint64_t>(~decided(i, std::false_type{}) & ((1u << W) - 1)) << i;
  const std::uint64_t wanted = count < round_most ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
  open &= wanted;
  return __builtin_expect(open == 0, 1) ? 0 : decide_again(open, count, decided) & wanted;
}

template <class T>
std::uint64_t round_run(const RoundRun<T>& run) {
  return pending_of(
      run.count, [&](Index i, auto careful)
                     __attribute__((always_inline)) { return round_sum(sum_of<careful()>(run, i), run.out + i); });
}

/// A number that is divided, high = RN(high + low).
ACCUBLAS_INLINE Interval dividend_of(const TermSum& sum) {
  const Interval x = interval_of(sum, zero());
  const V high = add(x.high, x.low);
  return {high, sum_error(x.high, x.low, high), x.wide};
}

/// Adds y times a factor. The product of both low parts counts as an error.
ACCUBLAS_INLINE void add_product(TermSum& sum, const Approximation& factor, const Interval& y) {
  add_term(sum, splat(factor.high), y.high, y.low);
  const V tail = mul(splat(factor.low), y.high), size = splat(__builtin_fabs(factor.high)),
          error = add(mul(magnitude(y.high), splat(factor.error + __builtin_fabs(factor.high) * 0x1p-104)),
                      mul(size, y.wide));
  sum.low = add(sum.low, tail);
  sum.lows = add(sum.lows, magnitude(tail));
  sum.error = add(sum.error, error);
  sum.inexact = add(sum.inexact, add(error, y.wide));
}

template <class T>
std::uint64_t divide_run(const RoundRun<T>& run, const Approximation& reciprocal) {
  return pending_of(
      run.count, [&](Index i, auto careful) __attribute__((always_inline)) {
        TermSum quotient;
        add_product(quotient, reciprocal, dividend_of(sum_of<careful()>(run, i)));
        return round_sum(quotient, run.out + i);
      });
}

template <class T>
std::uint64_t divide_complex_runs(const RoundRun<T> (&runs)[2], const Approximation (&reciprocal)[2]) {
  const Approximation &re = reciprocal[0], &im = reciprocal[1], minus_im{-im.high, -im.low, im.error};
  return pending_of(
      runs[0].count, [&](Index i, auto careful) __attribute__((always_inline)) {
        const Interval y_re = dividend_of(sum_of<careful()>(runs[0], i)),
                       y_im = dividend_of(sum_of<careful()>(runs[1], i));
        TermSum x_re, x_im;
        add_product(x_re, re, y_re);
        add_product(x_re, minus_im, y_im);
        add_product(x_im, re, y_im);
        add_product(x_im, im, y_re);
        return round_sum(x_re, runs[0].out + i) & round_sum(x_im, runs[1].out + i);
      });
}

void add_sums(Index count, const double* high, const double* low, const double* error, double* sums, Index stride) {
  for (Index i = 0; i < count; i += W) {
    double *const a1 = sums + i, *const a2 = a1 + stride, *const a3 = a2 + stride, *const total = a3 + stride;
    V first = load(a1), first_rest = load(high + i), second = load(a2), second_rest = load(low + i);
    add_exactly(first, first_rest);
    add_exactly(second, second_rest);
    V third = second;
    add_exactly(third, first_rest);
    V rest = second_rest, rest_low = first_rest;
    add_exactly(rest, rest_low);
    V last = load(a3), last_low = rest;
    add_exactly(last, last_low);
    const V rounding = add(magnitude(rest_low), magnitude(last_low));
    store(a1, first);
    store(a2, third);
    store(a3, last);
    store(total, mul(add(add(load(total), load(error + i)), rounding), splat(1 + 0x1p-50)));
  }
}

}  // namespace

template <>
const RoundKernel<double>& kernels() {
  static constexpr RoundKernel<double> table{round_run<double>, divide_run<double>, divide_complex_runs<double>,
                                             add_sums};
  return table;
}
template <>
const RoundKernel<float>& kernels() {
  static constexpr RoundKernel<float> table{round_run<float>, divide_run<float>, divide_complex_runs<float>, add_sums};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
