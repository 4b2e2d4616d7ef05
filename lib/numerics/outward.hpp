// Bounds that are rounded outward (docs/certified.md). Every operation is rounded to nearest and its result is then
// replaced by the next number, by its bits. The exact result lies within half a unit in the last place of the rounded
// one, so the next number is no smaller, also for subnormals and for overflow to infinity. Contraction cannot cross the
// step on bits, and the rounding mode is not changed.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// The next number above x, a positive number or +0; infinity and NaN are returned unchanged.
ACCUBLAS_HD inline double above(double x) { return is_finite(x) ? from_bits<double>(to_bits(x) + 1) : x; }
/// The next number below a positive x; 0 if x is not positive.
ACCUBLAS_HD inline double below(double x) { return x > 0 && is_finite(x) ? from_bits<double>(to_bits(x) - 1) : 0; }

/// The results are no smaller than the exact results. No operand is negative. A zero sum is exact.
ACCUBLAS_HD inline double add_up(double a, double b) {
  const double sum = a + b;
  return sum == 0 ? 0 : above(sum);
}
ACCUBLAS_HD inline double mul_up(double a, double b) { return above(a * b); }
ACCUBLAS_HD inline double div_up(double a, double b) { return above(a / b); }

/// No smaller than the exact sum of `terms` products or numbers, none negative, whose sum in double precision, in any
/// order, is `sum`. Each product and each addition loses at most a fraction u of its result, and a product 2^-1075 in
/// addition. The exact sum is therefore at most sum (1 - u)^-terms + terms 2^-1075, and (1 - u)^-terms <= 1 + 2 terms u
/// below 2^51 terms.
ACCUBLAS_HD inline double sum_up(double sum, std::int64_t terms) {
  const double count = static_cast<double>(terms);
  return add_up(mul_up(sum, above(1 + count * 0x1p-52)), mul_up(count, least_subnormal<double>()));
}

/// An upper bound of x 2^e for x >= 0.
ACCUBLAS_HD inline double scale_up(double x, int e) {
  const double scaled = std::ldexp(x, e);
  return std::ldexp(scaled, -e) == x ? scaled : above(scaled);
}

}  // namespace accublas
