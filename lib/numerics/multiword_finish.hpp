// The end of a multiword sum on every backend: alpha S 2^-scale + beta c, rounded once (docs/modes.md).
#pragma once

#include "lib/numerics/eft.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/numerics/multiword.hpp"

namespace accublas {

namespace detail {

/// x + y rounded to odd: the sum if it is a double, otherwise the neighbouring double whose last bit is 1. Rounding the
/// result to at most 51 bits rounds the exact sum (Boldo and Melquiond 2008). abs(x), abs(y) < 2^1022.
ACCUBLAS_HD inline double sum_to_odd(double x, double y) {
  const DoublePair sum = two_sum(x, y);
  const std::uint64_t bits = to_bits(sum.high);
  if (is_zero(sum.low) || (bits & 1) != 0) return sum.high;
  const bool outwards = (sum.low > 0) == (sum.high > 0);
  return from_bits<double>(outwards ? bits + 1 : bits - 1);
}

}  // namespace detail

/// RN(alpha S 2^-scale + beta c) for a finite S. If alpha, beta or c is not finite, the result is IEEE arithmetic on
/// the terms that are not finite. If beta = 0, c is ignored. `scale` is the scale of the row plus that of the column.
ACCUBLAS_HD inline float finish_multiword(float alpha, float sum, int scale, float beta, float c) {
  // Both products are exact: 48 bits, and from 2^-640 to 2^500 by the ranges of FP32 and of the scales.
  const double product = static_cast<double>(alpha) * static_cast<double>(sum) * power_of_two(-scale);
  double result = product;
  if (!is_zero(beta)) {
    const double addend = static_cast<double>(beta) * static_cast<double>(c);
    result = product + addend;
    if (is_finite(result)) result = detail::sum_to_odd(product, addend);
  }
  return is_zero(result) ? 0.0f : canonical(static_cast<float>(result));  // +0 instead of -0
}
ACCUBLAS_HD inline double finish_multiword(double alpha, double sum, int scale, double beta, double c) {
  if (alpha == 1 && scale == 0 && is_zero(beta)) return sum + 0.0;  // +0 instead of -0
  const Decoded d = decode(sum);
  const Wide<1> s = wide_from<1>(static_cast<std::int64_t>(d.mantissa));
  return finish(alpha, wide_negate_if(s, d.negative), d.exponent - scale, beta, c);
}

}  // namespace accublas
