// Bounds that are rounded outward (docs/certified.md). Every operation is rounded to nearest and then taken to the next
// number by its bits: of a result to nearest the exact one lies within half a unit in the last place, so that the next
// number is no smaller, subnormals and overflow to infinity included. Contraction cannot pass the step on bits, and the
// rounding mode stays.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/base/test_hooks.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// The next number above a positive one or +0; infinity and NaN stay.
inline double above(double x) {
  return is_finite(x) && !mutant(Mutant::certified_rounding) ? from_bits<double>(to_bits(x) + 1) : x;
}
/// The next number below a positive one; what is not positive becomes 0.
inline double below(double x) { return x > 0 && is_finite(x) ? from_bits<double>(to_bits(x) - 1) : 0; }

/// No smaller than the exact results; no operand is negative. A zero sum is exact.
inline double add_up(double a, double b) {
  const double sum = a + b;
  return sum == 0 ? 0 : above(sum);
}
inline double mul_up(double a, double b) { return above(a * b); }
inline double div_up(double a, double b) { return above(a / b); }

/// No smaller than the exact sum of `terms` products or numbers, none negative, whose sum in double precision, in any
/// order, is `sum`. Each product and each addition loses at most a share u of what it gives, and a product 2^-1075: the
/// exact sum is at most sum (1 - u)^-terms + terms 2^-1075, and (1 - u)^-terms <= 1 + 2 terms u below 2^51 terms.
inline double sum_up(double sum, std::int64_t terms) {
  const double count = static_cast<double>(terms);
  return add_up(mul_up(sum, above(1 + count * 0x1p-52)), mul_up(count, least_subnormal<double>()));
}

/// x 2^e for x >= 0, no smaller.
inline double scale_up(double x, int e) {
  const double scaled = std::ldexp(x, e);
  return std::ldexp(scaled, -e) == x ? scaled : above(scaled);
}

}  // namespace accublas
