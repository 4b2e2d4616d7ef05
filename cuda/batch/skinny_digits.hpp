// Cuts the lines of skinny products into digits of 8 bits, and bounds what sums of products of digits leave out.
//
// A line (a row of op(A), a column of op(B)) has an exponent E with abs(a) < 1.99 2^E for its finite entries. An entry
// becomes nine digits:
//   a = 2^(E - 70) (sum over i < 9 of d_i 256^(8 - i) + r),  -128 <= d_i <= 127,  abs(r) < 1.
// Pairs of digits with i + j <= 10 are multiplied exactly, in one sum L_w for each weight w = i + j, so that
//   S = 2^(E + F - 92) (sum over w <= 10 of L_w 256^(10 - w) + rest),
// and skinny_error bounds the rest.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

inline constexpr int skinny_digits = 9, skinny_weights = 11;
inline constexpr int skinny_unit = 92;  ///< sums of products of digits are in units of 2^(E + F - skinny_unit)

/// Returns the exponent field by which a line is scaled whose largest entry has this high word, without its sign. It is
/// the entry's own field less one, or the field itself if the mantissa is 1.984 or more: then the first digit, with the
/// carry of the digits below, is at most 127 in magnitude.
ACCUBLAS_HD constexpr int skinny_field(std::uint32_t high_word) {
  const int field = static_cast<int>((high_word + 0x4000u) >> 20) - 1;
  return field > 1 ? field : 1;
}

/// Digits as signed bytes: the first one in the top byte of `leading`, the last one in the lowest byte of `last`.
struct NineDigits {
  std::uint64_t leading;
  std::uint32_t last;
};

/// The bits of a line's magnitudes that its digits hold, and how many entries have more.
struct LineMarks {
  std::uint64_t leading = 0;  ///< bits that any of the entries has
  std::uint32_t last = 0;
  std::uint32_t dropped = 0;

  /// Returns the index of the last digit that is not zero in some entry; -1 if there is none.
  ACCUBLAS_HD int last_digit() const {
    if (last != 0) return 8;
    if (leading == 0) return -1;
    const std::uint64_t lowest = leading & (~leading + 1);
    return 7 - (63 - leading_zeros(lowest)) / 8;
  }
  /// Shifts the marks as the line's field rises by `steps`. Sums of earlier terms may then lose bits.
  ACCUBLAS_HD void rise(int steps) {
    const std::uint64_t bits = leading << 8 | last;  // all but the eight highest ones
    const std::uint64_t top = leading >> 56;
    const auto below = [](std::uint64_t x, int count) {
      return count >= 64 ? x : x & ((std::uint64_t{1} << count) - 1);
    };
    const bool lost = below(bits, steps) != 0 || (steps > 64 && below(top, steps - 64) != 0);
    const auto down = [](std::uint64_t x, int count) { return count >= 64 ? 0 : x >> count; };
    leading = down(leading, steps);
    last = static_cast<std::uint32_t>(
        (steps >= 64 ? down(top, steps - 64) : down(bits, steps) | (steps == 0 ? 0 : top << (64 - steps))) & 0xFF);
    dropped += lost;
  }
};

/// Returns x / 2^steps, rounded down; the shift of a device clamps `steps`.
ACCUBLAS_HD inline std::uint64_t shift_down(std::uint64_t x, int steps) {
#ifdef __CUDA_ARCH__
  std::uint64_t result;
  asm("shr.b64 %0, %1, %2;" : "=l"(result) : "l"(x), "r"(steps));
  return result;
#else
  return steps < 64 ? x >> steps : 0;
#endif
}

/// An entry in a line of some field: the mantissa with its first bit on top, and how far it moves down so that the top
/// eight digits are 64 bits.
struct ShiftedMantissa {
  std::uint64_t bits;
  int shift;
  std::uint32_t sign;  ///< all bits, for negative numbers, or none

  ACCUBLAS_HD ShiftedMantissa(double x, int field) {
    const std::uint64_t all = to_bits(x);
    const std::uint32_t high = static_cast<std::uint32_t>(all >> 32), low = static_cast<std::uint32_t>(all);
    const int exponent = static_cast<int>(high >> 20 & 0x7FF), own = std::max(exponent, 1);
    const std::uint32_t top = exponent == 0 ? 0 : 0x80000000u;
    bits = std::uint64_t{((high << 11 | low >> 21) & 0x7FFFFFFFu) | top} << 32 | low << 11;
    // Smaller shifts are of lines with NaN or Inf, whose digits do not matter.
    shift = std::max(field + 2 - own, 1);
    sign = static_cast<std::uint32_t>(static_cast<std::int32_t>(high) >> 31);
  }
  /// Returns whether the digits may not hold all bits. The last 11 bits are zero.
  ACCUBLAS_HD bool is_far() const { return shift > 19; }
  ACCUBLAS_HD bool is_dropped() const {
    const int below = shift - 8;
    return is_far() && (below >= 64 ? bits != 0 : (bits & ((std::uint64_t{1} << below) - 1)) != 0);
  }
};

/// Returns the digits of an entry, and adds the bits that they hold to the marks.
ACCUBLAS_HD inline NineDigits cut_nine(const ShiftedMantissa& x, LineMarks& marks) {
  constexpr std::uint64_t halves = 0x8080808080808080u;  // 128 in every digit
  const std::uint64_t leading = shift_down(x.bits, x.shift);
  const std::uint32_t last = static_cast<std::uint32_t>(shift_down(x.bits, std::max(x.shift - 8, 0))) & 0xFF;
  marks.leading |= leading;
  marks.last |= last;
  // A negative number is its complement plus one. Every digit plus 128 is a byte; subtracting 128 from that gives the
  // signed digit.
  const std::uint32_t low = ((last ^ x.sign) & 0xFF) + 0x80 - x.sign;
  const std::uint64_t sign = std::uint64_t{x.sign} << 32 | x.sign;
  return {((leading ^ sign) + halves + (low >> 8)) ^ halves, low ^ 0x80};
}

/// Findings about the digits of both lines of an element: the sum of squares of digits 3 to 8 of each line, the last
/// nonzero digits (or -1), and numbers of entries with bits that digits do not hold; `shifts` is how often a part of
/// the sum was rounded down to a multiple of its unit.
struct SkinnyFindings {
  double row_squares, col_squares;
  int row_last, col_last;
  double dropped, shifts;
};

/// Returns an upper bound of abs(rest) for a sum of k terms; zero only if nothing is left out.
///
/// Pairs with i + j = 11 have i and j from 3 to 8 and a weight of 1/256. By Cauchy's inequality, over terms and over i,
/// they are at most the product of the roots of both sums of squares. For i + j >= 12 and each i from 4 to 8, digit i
/// is at most 128 256^(8 - i) and the digits from j on together are below 0.502 256^(9 - j), which are 64.3 / 256 units
/// a term. An r is below 1, and the other factor below 2^71: 2^23 units. Each shift loses less than one unit. The
/// factor covers the roundings here and those of tail +- bound in finish_sum.
ACCUBLAS_HD inline double skinny_error(const SkinnyFindings& f, double k) {
  if (f.row_last + f.col_last <= 10 && f.dropped == 0) return 0;
  const double pairs = sqrt(f.row_squares * f.col_squares) / 256 + 1.26 * k;
  return 1.01 * (pairs + 0x1p23 * f.dropped + f.shifts) + 1;
}

}  // namespace accublas::cuda
