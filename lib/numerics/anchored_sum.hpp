// Sums of numbers in double precision around an anchor: the rests of the roundings are kept, and the bound of what is
// lost beside them is known beforehand.
//
// An anchor is A = 1.5 2^e, e >= -900, where 2^(e - 1) is more than the sum of the magnitudes of all terms. So A plus any part of
// the sum lies between 2^e and 2^(e + 1), and so does that number rounded. Let h = 2^(e - 53). A step computes
//   next = RN(near + x), which is off by at most h;
//   next - near, a multiple of 2 h below 2^e, which is a double;
//   x - (next - near), a number of at most h, which is exact;
//   the sum of these rests, at most (i + 1) h after i numbers, so that an addition is off by 2^-53 (i + 1) h, times a
//   number that is nearly 1.
// After k numbers near - A, which is a double, and the sum of rests together are off by less than (k + 3)^2 2^-54 h.
#pragma once

#include "lib/numerics/eft.hpp"

namespace accublas {

/// Returns a bound of the error of a sum of k + 1 numbers around this anchor.
ACCUBLAS_HD constexpr double anchored_error(double anchor, int k) {
  const double steps = k + 3;
  return anchor * (steps * steps * 0x1p-107);  // the anchor is 1.5 2^53 h, which covers the roundings
}

/// A sum of numbers that the same anchor covers.
struct alignas(16) AnchoredSum {
  double near, rest;

  ACCUBLAS_HD static AnchoredSum from(double x, double anchor) {
    const double near = add_rn(anchor, x);
    return {near, add_rn(x, -add_rn(near, -anchor))};
  }
  ACCUBLAS_HD void add(double x) {
    const double next = add_rn(near, x);
    rest = add_rn(rest, add_rn(x, -add_rn(next, -near)));
    near = next;
  }
  /// Returns the sum. The parts may be of any size.
  ACCUBLAS_HD DoublePair sum(double anchor) const { return {add_rn(near, -anchor), rest}; }
};

}  // namespace accublas
