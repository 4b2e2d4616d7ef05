// Quotients and roots of exact sums of binary128 numbers, rounded once. For host and device; device code signals no
// exceptions, but returns them.
#pragma once

#include "lib/quad/finish.hpp"

namespace accublas::quad {

/// IEEE's quotient y / pivot where the classes decide: y is infinite, NaN, +-1 for a finite sum, or 0. Adds the
/// exceptions of the result to `raised`.
ACCUBLAS_HD inline Value special_quotient(double y, const Number& pivot, bool any_nan, unsigned& raised) {
  const double x = canonical(y / pivot.representative());
  Value result;
  if (is_nan(x)) {
    if (!any_nan && pivot.kind != Number::Kind::nan) raised |= exceptions::invalid;
    result.quad = canonical_nan<Binary128>();
    return result;
  }
  const Uint128 sign = (to_bits(x) & FloatFormat<double>::sign) != 0 ? FloatFormat<Binary128>::sign : Uint128{0};
  if (x == 0) {
    result.quad = from_bits<Binary128>(y == 0 ? Uint128{0} : sign);
  } else {
    if (is_finite(y)) raised |= exceptions::division_by_zero;
    result.quad = from_bits<Binary128>(sign | FloatFormat<Binary128>::infinity);
  }
  return result;
}

/// RN(y / pivot), where y is the sum of finite terms unless `classes` says that it is not. Adds the exceptions of the
/// result to `raised`.
ACCUBLAS_HD inline Value quotient(const SignedLimbs& y, const TermClasses& classes, const Number& pivot,
                                  unsigned& raised) {
  Value result;
  if (classes.special() || !pivot.finite() || pivot.is_zero()) {
    const double of_y = classes.special() ? classes.value() : y.is_zero() ? 0.0 : y.negative ? -1.0 : 1.0;
    return special_quotient(of_y, pivot, classes.any_nan, raised);
  }
  if (y.is_zero()) return result;
  const Leading128 leading = leading_quotient(y, pivot.part[0]);
  result.quad = round_to_binary128(y.negative != pivot.negative, leading.top, leading.lost, leading.exponent);
  if (!is_finite(result.quad)) raised |= exceptions::overflow;
  return result;
}

/// RN of the square root of a sum of squares, which is finite unless `classes` says that it is not. Adds the exceptions
/// of the result to `raised`.
ACCUBLAS_HD inline Value root(const SignedLimbs& sum, const TermClasses& classes, unsigned& raised) {
  Value result;
  if (classes.special()) {
    result.quad = classes.any_nan ? canonical_nan<Binary128>() : from_bits<Binary128>(FloatFormat<Binary128>::infinity);
  } else if (!sum.is_zero()) {
    const Leading128 leading = leading_root(sum);
    result.quad = round_to_binary128(false, leading.top, leading.lost, leading.exponent);
    if (!is_finite(result.quad)) raised |= exceptions::overflow;
  }
  return result;
}

}  // namespace accublas::quad
