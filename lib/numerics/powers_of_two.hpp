// Functions that read exponents of numbers and multiply numbers by powers of two, by their bits.
#pragma once

#include "lib/numerics/rounding.hpp"

namespace accublas {

inline constexpr int no_exponent = -1 << 20;    ///< the exponent of zero
inline constexpr int greatest_exponent = 1024;  ///< the greatest exponent of a finite number

/// The least e with abs(x) < 2^e; for infinities and NaN one more than `greatest_exponent`.
ACCUBLAS_HD inline int exponent_of(double x) {
  const Decoded d = decode(x);
  return d.mantissa == 0 ? no_exponent : 64 - leading_zeros(d.mantissa) + d.exponent;
}

/// x 2^e, rounded. x is finite.
ACCUBLAS_HD inline double scaled_by(double x, int e) {
  const Decoded d = decode(x);
  if (d.mantissa == 0) return x;
  const int zeros = leading_zeros(d.mantissa);
  return round_to<double>(d.negative, d.mantissa << zeros, false, d.exponent - zeros + e);
}

/// Replaces x by x 2^e, rounded, and returns whether rounding changed the value.
ACCUBLAS_HD inline bool scale_loses(double& x, int e) {
  const double before = x;
  x = scaled_by(before, e);
  return scaled_by(x, -e) != before;
}

}  // namespace accublas
