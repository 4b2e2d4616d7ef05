// Multiword arithmetic (docs/modes.md): an entry as a sum of words of fewer bits, the power of two by which a line is
// scaled first, and the error bounds of both. The backends and the tests share this definition.
#pragma once

#include <bit>
#include <cstdint>

#include "include/accublas.h"
#include "lib/base/host_device.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// The number format of a word. TF32 and FP16 have significands of 11 bits and are accumulated in FP32; TF64's words
/// are FP32 numbers and are accumulated in FP64.
enum class MultiwordFormat { tf32, fp16, tf64 };

struct MultiwordMode {
  MultiwordFormat format;
  int products;  ///< 1: w1 v1; 3: w1 v2 and w2 v1 besides; 4: w2 v2, too

  ACCUBLAS_HD constexpr int words() const { return products == 1 ? 1 : 2; }
};

/// `mode` is one of the multiword modes.
ACCUBLAS_HD constexpr MultiwordMode multiword_of(accublas_mode mode) {
  switch (mode) {
    case ACCUBLAS_MODE_TF32X1:
      return {MultiwordFormat::tf32, 1};
    case ACCUBLAS_MODE_TF32X3:
      return {MultiwordFormat::tf32, 3};
    case ACCUBLAS_MODE_TF32X4:
      return {MultiwordFormat::tf32, 4};
    case ACCUBLAS_MODE_FP16X1:
      return {MultiwordFormat::fp16, 1};
    case ACCUBLAS_MODE_FP16X3:
      return {MultiwordFormat::fp16, 3};
    case ACCUBLAS_MODE_TF64X1:
      return {MultiwordFormat::tf64, 1};
    case ACCUBLAS_MODE_TF64X3:
      return {MultiwordFormat::tf64, 3};
    default:
      return {MultiwordFormat::tf64, 4};
  }
}

/// The nearest TF32 number, ties away from zero, as the hardware rounds; the largest TF32 number if rounding would
/// overflow. x is finite. Subnormals are multiples of 2^-136.
ACCUBLAS_HD constexpr float tf32_word(float x) {
  const std::uint32_t bits = to_bits(x), rounded = (bits + 0x1000u) & 0xFFFFE000u;
  return from_bits<float>((rounded & 0x7F800000u) == 0x7F800000u ? bits & 0xFFFFE000u : rounded);
}

/// The nearest FP16 number, ties to even; abs(x) < 65504. Subnormals are multiples of 2^-24.
ACCUBLAS_HD constexpr float fp16_word(float x) {
  const std::uint32_t bits = to_bits(x), magnitude = bits & 0x7FFFFFFFu;
  if (magnitude < 0x38800000u) return (x + 0.75f) - 0.75f;  // below 2^-14: numbers in [1/2, 1) are 2^-24 apart
  return from_bits<float>((bits + 0xFFFu + ((bits >> 13) & 1)) & 0xFFFFE000u);
}

/// The word of the format that is nearest to x, as a number of the routine's type.
ACCUBLAS_HD constexpr float nearest_word(MultiwordFormat format, float x) {
  return format == MultiwordFormat::tf32 ? tf32_word(x) : fp16_word(x);
}
ACCUBLAS_HD constexpr double nearest_word(MultiwordFormat, double x) {
  return static_cast<double>(static_cast<float>(x));
}

/// The words of a scaled entry. The second word is the word nearest to the entry minus the first word, a difference
/// that is exact.
template <class T>
struct Words {
  T first, second;
};
template <class T>
ACCUBLAS_HD constexpr Words<T> words_of(MultiwordFormat format, T x) {
  const T first = nearest_word(format, x);
  return {first, nearest_word(format, x - first)};
}

/// The scale of a line. The line is multiplied by 2^scale, so that its largest magnitude lies in [2^14, 2^15) for FP16,
/// in [2^62, 2^63) for TF64, whose words have FP32's range of exponents. TF32 numbers have the exponent range of the
/// entries and need no scale. `exponent` is exponent_above(largest magnitude). A line of zeros has scale 0.
ACCUBLAS_HD constexpr int multiword_scale(MultiwordMode mode, int exponent) {
  return mode.format == MultiwordFormat::tf32 ? 0 : (mode.format == MultiwordFormat::fp16 ? 15 : 63) - exponent;
}

/// x 2^scale, exact except for bits far below the last bit of a word.
ACCUBLAS_HD constexpr float multiword_scaled(float x, int scale) {
  return scale == 0 ? x : static_cast<float>(static_cast<double>(x) * power_of_two(scale));
}
ACCUBLAS_HD constexpr double multiword_scaled(double x, int scale) {
  return x * power_of_two(scale / 2) * power_of_two(scale - scale / 2);  // 2^scale may overflow
}

/// Error bounds of the words of an entry x that is multiplied by 2^scale: abs(x - w1) 2^scale <= first abs(x) 2^scale +
/// underflow, and abs(x - w1 - w2) 2^scale <= both abs(x) 2^scale + underflow. Rounding errs by half a unit in the last
/// place of a normal word, and by half the quantum of subnormal words. (The largest TF32 number in place of an overflow
/// errs by less than 2^117, for x of at least 2^128 - 2^116: (1 + 2^-11) 2^-11.) The second word has the relative error
/// bound of the first, applied to the error of the first.
struct WordBound {
  double first, both, underflow;
};
ACCUBLAS_HD constexpr WordBound word_bound(MultiwordFormat format) {
  const double u = format == MultiwordFormat::tf64 ? 0x1p-24 : 0x1p-11 * (1 + 0x1p-11);
  const double underflow = format == MultiwordFormat::tf32   ? 0x1p-137
                           : format == MultiwordFormat::fp16 ? 0x1p-25
                                                             : 0x1p-150;
  return {u, u * u, underflow};
}

/// Error bound of the sum that the words and the products of a mode represent: abs(sum of word products - sum x y) <=
/// `relative` times sum abs(x y), if no word underflows. For x = w1 + w2 + d, y = v1 + v2 + e: x1 leaves out (x - w1) y
/// + w1 (y - v1), x4 leaves out d y + (w1 + w2) e, and x3 leaves out w2 v2 besides, abs(w2) <= (1 + u) first abs(x).
ACCUBLAS_HD constexpr double word_product_bound(MultiwordMode mode) {
  const WordBound b = word_bound(mode.format);
  if (mode.products == 1) return b.first * (2 + b.first) * detail::slack;
  const double both = b.both * (2 + b.both), second = (1 + b.first) * b.first;
  return (mode.products == 3 ? both + second * second : both) * detail::slack;
}

/// Error bound of the accumulation: abs(accumulated - sum of word products) <= this times sum abs(x y). The
/// accumulation makes products k additions, in any order, of exact products whose magnitudes sum to at most (1 + 2
/// first)^2 sum abs(x y). An addition in FP32 errs by 2^-24, but a tensor core truncates by 2^-23; an addition in FP64
/// errs by 2^-53. Like gamma, the bound is infinite from products k = 2^23 (2^53) on.
ACCUBLAS_HD constexpr double accumulation_bound(MultiwordMode mode, long long k) {
  const double u = mode.format == MultiwordFormat::tf64 ? unit_roundoff_double : 2 * unit_roundoff_float;
  const double additions = static_cast<double>(mode.products) * static_cast<double>(k),
               growth = 1 + 2 * word_bound(mode.format).first;
  return gamma_bound(additions, u) * growth * growth;
}

}  // namespace accublas
