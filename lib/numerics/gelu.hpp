// GELU by its formula with tanh, and its derivative, in binary64. The operations are fixed, so that the CPU and every
// GPU return the same bits.
#pragma once

#include "lib/numerics/eft.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// Returns exp(-x) for x >= 0, with a relative error below 2^-51 if the result is normal. The function reduces the
/// argument by a multiple k of log 2 to at most 0.347. There Taylor's polynomial of degree 13 has an error below 2^-57.
ACCUBLAS_HD inline double exp_of_negative(double x) {
  if (!(x < 746)) return x == x ? 0 : x;
  constexpr double log2e = 0x1.71547652b82fep0, ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56,
                   to_integer = 0x1.8p52;
  const double k = add_rn(add_rn(mul_rn(-x, log2e), to_integer), -to_integer);
  const double r = fma_rn(-k, ln2_low, fma_rn(-k, ln2_high, -x));
  constexpr double coefficients[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
      1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       1.0 / 2,      1.0,         1.0};
  double sum = 0;
  for (const double coefficient : coefficients) sum = fma_rn(sum, r, coefficient);
  const int exponent = static_cast<int>(k), half = exponent / 2;  // 2^exponent may be subnormal
  return mul_rn(mul_rn(sum, power_of_two(exponent - half)), power_of_two(half));
}

/// Parts of GELU(x) = 0.5 x (1 + tanh of t / 2) = x / (1 + exp(-t)), with t = 2 sqrt(2 / pi) (x + 0.044715 x^3). They
/// are computed without cancellation.
struct GeluParts {
  double exp;       ///< exp(-abs(t))
  double weight;    ///< 1 / (1 + exp(-t))
  double opposite;  ///< 1 - weight
  double slope;     ///< dt / dx
};
ACCUBLAS_HD inline GeluParts gelu_parts(double x) {
  constexpr double linear = 0x1.9884533d43651p0,
                   cubic = 0x1.2444f2a4d8b4bp-4;  // 2 sqrt(2 / pi), and 0.044715 times that
  const double square = mul_rn(x, x), t = mul_rn(x, fma_rn(cubic, square, linear));
  const double e = exp_of_negative(t < 0 ? -t : t), large = 1 / add_rn(1, e), small = e / add_rn(1, e);
  return {e, t < 0 ? small : large, t < 0 ? large : small, fma_rn(3 * cubic, square, linear)};
}

/// Returns GELU(x). The relative error is below (7 + 4 abs(t)) 2^-53 if the result is normal: t has four roundings, exp
/// an error below 2^-51, and the other operations three roundings. GELU(-Inf) is -0.
ACCUBLAS_HD inline double gelu(double x) {
  const double weight = gelu_parts(x).weight;
  return weight == 0 ? -0.0 : mul_rn(x, weight);
}

/// Returns the derivative of GELU at x, with an absolute error below 2^-47, since abs(t)^2 exp(-abs(t)) is below 0.55.
/// The derivative is 1 for Inf and 0 for -Inf.
ACCUBLAS_HD inline double gelu_derivative(double x) {
  const GeluParts p = gelu_parts(x);
  if (p.exp == 0) return p.weight;
  return fma_rn(mul_rn(x, p.slope), mul_rn(p.weight, p.opposite), p.weight);
}

}  // namespace accublas
