// Cuts lines of small matrices into digits of 8 bits, in shared memory, and multiplies these on the INT8 tensor cores.
//
// Every line (a row of op(A), a column of op(B)) has an exponent E with abs(a) < 2^E for all of its entries. An entry
// becomes D digits, 10 for double, 6 for float:
//   a = 2^(E - 78) (sum over i < D of d_i 256^(9 - i) + r),  abs(d_0) <= 64,  -128 <= d_i <= 127,
// where r, with the sign of a, is the part that the digits do not hold: abs(r) < 256^(10 - D). Pairs of digits are
// multiplied exactly, in one sum for each weight i + j.
#pragma once

#include "cuda/batch/batch_kernels.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

template <class T>
inline constexpr int batch_digits = static_cast<int>(sizeof(T)) + 2;

/// The digits of an entry as signed bytes: all but two in `leading`, with the first one in the top byte, and two in
/// `last`.
template <class T>
struct PackedDigits {
  typename FloatFormat<T>::Bits leading;
  std::uint32_t last;
};

/// Returns the exponent field by which finite numbers of a format are scaled; subnormals have the least one.
template <class T>
ACCUBLAS_HD constexpr int scale_field(typename FloatFormat<T>::Bits magnitude) {
  const int field = static_cast<int>(magnitude >> (FloatFormat<T>::digits - 1));
  return field > 1 ? field : 1;
}

/// Returns E of a line whose largest scale_field is `field`.
template <class T>
ACCUBLAS_HD constexpr int line_exponent(int field) {
  return field + FloatFormat<T>::min_exponent + FloatFormat<T>::digits - 1;
}

/// Returns the digits of x, finite, in a line whose largest scale_field is `field`; sets *dropped if r is not zero.
template <class T>
ACCUBLAS_HD PackedDigits<T> cut_entry(T x, int field, bool* dropped) {
  using F = FloatFormat<T>;
  using Bits = typename F::Bits;
  constexpr int width = 8 * static_cast<int>(sizeof(Bits)), zeros = width - F::digits;
  constexpr Bits halves = static_cast<Bits>(0x8080808080808080u);  // 128 in every digit
  const Bits bits = to_bits(x), magnitude = bits & ~F::sign;
  const bool negative = (bits & F::sign) != 0;
  // This takes the mantissa with its first bit on top; `shift` moves it to a number of `leading`, below 1/4 of its
  // range.
  const Bits mantissa = static_cast<Bits>(magnitude << zeros) | (magnitude >> (F::digits - 1) != 0 ? F::sign : Bits{0});
  const int shift = field - scale_field<T>(magnitude) + 2;
  Bits leading = shift < width ? mantissa >> shift : Bits{0};
  std::int32_t last = 0;
  if (shift > zeros) {             // the mantissa reaches below `leading`
    const int below = shift - 16;  // bits that are lost
    if (shift <= width) {
      last = static_cast<std::int32_t>(static_cast<Bits>(mantissa << (width - shift)) >> (width - 16));
    } else if (below < width) {
      last = static_cast<std::int32_t>(mantissa >> below);
    }
    if (below >= width) {
      *dropped |= mantissa != 0;
    } else if (below > 0) {
      *dropped |= static_cast<Bits>(mantissa << (width - below)) != 0;
    }
  }
  // Every digit of x + 128 (1 + 256 + ...) is a byte; subtracting 128 from it gives the signed digit.
  const std::int32_t low = 0x8080 + (negative ? -last : last);
  leading = static_cast<Bits>(halves + (negative ? Bits{0} - leading : leading) +
                              static_cast<Bits>(static_cast<std::make_signed_t<Bits>>(low >> 16)));
  return {static_cast<Bits>(leading ^ halves), static_cast<std::uint32_t>(low & 0xFFFF) ^ 0x8080u};
}

/// Flags of a line's digits: bit i is set if a digit i is not zero, bit D if an r is not zero, line_is_special if there
/// is an Inf or NaN.
inline constexpr std::uint32_t line_is_special = 0x80000000u;

template <class T>
ACCUBLAS_HD std::uint32_t digit_mask(const PackedDigits<T>& any, bool dropped) {
  constexpr int digits = batch_digits<T>;
  std::uint32_t mask = static_cast<std::uint32_t>(dropped) << digits;
  for (int i = 0; i < digits; ++i) {
    const auto byte = i < digits - 2 ? any.leading >> (8 * (digits - 3 - i)) : any.last >> (8 * (digits - 1 - i));
    mask |= static_cast<std::uint32_t>((byte & 0xFF) != 0) << i;
  }
  return mask;
}

/// Returns a factor of the bound of the left-out part of S = sum a b, in units of 2^(E + F - 92). The products of
/// digits i and j with i + j <= D are computed. The rest is at most 65 256^(10 - D) k times the factor. The factor
/// counts 1 for every i >= 1 that the row has if the column has a j > D - i: d_i 256^(9 - i) is at most 128 256^(9 -
/// i), and the digits from j on together are below 0.502 256^(10 - j). It counts 256 for an r on either side, times
/// numbers below 2^78.
template <class T>
ACCUBLAS_HD int left_out(std::uint32_t row_mask, std::uint32_t col_mask) {
  constexpr int digits = batch_digits<T>;
  constexpr std::uint32_t all = (1u << digits) - 1;
  const int last = 63 - leading_zeros(col_mask & all);  // -1 if there is none
  const std::uint32_t pairs = (row_mask & all) >> (digits + 1 - last);
#ifdef __CUDA_ARCH__
  const int count = __popc(pairs);
#else
  const int count = std::popcount(pairs);
#endif
  return count + 256 * static_cast<int>((row_mask >> digits & 1) + (col_mask >> digits & 1));
}

}  // namespace accublas::cuda
