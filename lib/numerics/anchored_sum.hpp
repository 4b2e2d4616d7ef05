// Sums of numbers and products in double precision around an anchor: the rests of the roundings are kept, and the bound
// of what is lost beside them is known beforehand. A product takes four operations, where a step of dot2 with the
// product's magnitude takes nine.
//
// An anchor is A = 1.5 2^e, e >= -900, where 2^(e - 1) is more than the sum of the magnitudes of all terms. So A plus
// any part of the sum lies between 2^e and 2^(e + 1), and so does that number rounded. Let h = 2^(e - 53). A step for
// the term t, a number or a product, computes
//   next = RN(near + t), which is off by at most h;
//   next - near, a multiple of 2 h below 2^e, which is a double;
//   RN(t - (next - near)), a number of at most h, which is exact if t is a number, and off by at most 2^-53 h (or
//   2^-1075, since e >= -900) if it is a product;
//   the sum of these rests, at most (i + 1) h after i terms, so that an addition is off by 2^-53 (i + 1) h, times a
//   number that is nearly 1.
// After k terms near - A, which is a double, and the sum of rests together are off by less than (k + 3)^2 2^-54 h.
#pragma once

#include "lib/numerics/eft.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// Returns a bound of the error of a sum of k + 1 terms around this anchor.
ACCUBLAS_HD constexpr double anchored_error(double anchor, int k) {
  const double steps = k + 3;
  return anchor * (steps * steps * 0x1p-107);  // the anchor is 1.5 2^53 h, which covers the roundings
}

/// The upper word of an anchor; its lower word is zero. NaN: there is no anchor.
struct Anchor {
  std::uint32_t high;

  /// Returns the anchor for terms whose magnitudes have a sum of at most `bound`, up to a relative error of 2^-30. A
  /// bound that is infinite, near overflow or NaN has no anchor.
  ACCUBLAS_HD static Anchor above(double bound) {
    constexpr std::uint32_t least = 1023 - 900, none = 2043, nan = 0x7FF80000;
    const auto word = static_cast<std::uint32_t>(to_bits(bound * (1 + 0x1p-20)) >> 32);
    const std::uint32_t exponent = (word >> 20) + 2;
    if (word >= none << 20) return {nan};
    return {(exponent < least ? least : exponent) << 20 | 0x80000};
  }
  ACCUBLAS_HD double value() const {
#ifdef __CUDA_ARCH__
    return __hiloint2double(static_cast<int>(high), 0);
#else
    return from_bits<double>(std::uint64_t{high} << 32);
#endif
  }
};

/// A sum of terms that the same anchor covers.
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
  /// Adds a product.
  ACCUBLAS_HD void step(double x, double y) {
    const double next = fma_rn(x, y, near), moved = add_rn(next, -near);
    rest = add_rn(rest, fma_rn(x, y, -moved));
    near = next;
  }
  /// Returns the sum. The parts may be of any size.
  ACCUBLAS_HD DoublePair sum(double anchor) const { return {add_rn(near, -anchor), rest}; }
};

}  // namespace accublas
