// Takes binary floating-point numbers apart by their bits, so that no rounding mode, flush to zero or compiler flag can
// affect the result. lib/numerics/rounding.hpp puts numbers together.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "lib/base/host_device.hpp"

namespace accublas {

/// A finite value is mantissa * 2^exponent with mantissa < 2^digits and exponent >= min_exponent.
template <class T>
struct FloatFormat;

template <>
struct FloatFormat<double> {
  using Bits = std::uint64_t;
  static constexpr int digits = 53;           ///< bits of the mantissa, the hidden one included
  static constexpr int min_exponent = -1074;  ///< exponent of the last bit of subnormals
  static constexpr int max_exponent = 971;    ///< exponent of the last bit of the largest finite numbers
  static constexpr Bits sign = 0x8000000000000000u;
  static constexpr Bits infinity = 0x7FF0000000000000u;
  static constexpr Bits quiet_nan = 0x7FF8000000000000u;
};

template <>
struct FloatFormat<float> {
  using Bits = std::uint32_t;
  static constexpr int digits = 24;
  static constexpr int min_exponent = -149;
  static constexpr int max_exponent = 104;
  static constexpr Bits sign = 0x80000000u;
  static constexpr Bits infinity = 0x7F800000u;
  static constexpr Bits quiet_nan = 0x7FC00000u;
};

template <class T>
ACCUBLAS_HD constexpr typename FloatFormat<T>::Bits to_bits(T x) {
  return std::bit_cast<typename FloatFormat<T>::Bits>(x);
}

template <class T>
ACCUBLAS_HD constexpr T from_bits(typename FloatFormat<T>::Bits bits) {
  return std::bit_cast<T>(bits);
}

/// 2^e for -1022 <= e <= 1023.
ACCUBLAS_HD constexpr double power_of_two(int e) {
#ifdef __CUDA_ARCH__
  if (!std::is_constant_evaluated()) return __hiloint2double((1023 + e) << 20, 0);
#endif
  return from_bits<double>(static_cast<std::uint64_t>(e + 1023) << 52);
}

template <class T>
ACCUBLAS_HD constexpr bool is_finite(T x) {
  return (to_bits(x) & FloatFormat<T>::infinity) != FloatFormat<T>::infinity;
}

/// Whether x is far enough from both ends of the exponent range for kernels to multiply by it.
constexpr bool moderate(double x) {
  const double size = x < 0 ? -x : x;
  return size >= 0x1p-200 && size <= 0x1p200;
}

template <class T>
ACCUBLAS_HD constexpr bool is_nan(T x) {
  return (to_bits(x) & ~FloatFormat<T>::sign) > FloatFormat<T>::infinity;
}

template <class T>
ACCUBLAS_HD constexpr bool is_zero(T x) {
  return (to_bits(x) & ~FloatFormat<T>::sign) == 0;
}

/// The one NaN that is ever written: positive, quiet, no payload.
template <class T>
ACCUBLAS_HD constexpr T canonical_nan() {
  return from_bits<T>(FloatFormat<T>::quiet_nan);
}

/// The largest power of two of which a finite x is a multiple; 2^1023 for zero.
inline constexpr double multiple_of_all = 0x1p1023;
ACCUBLAS_HD constexpr double last_set_bit(double x) {
  const std::uint64_t bits = to_bits(x) & ~FloatFormat<double>::sign, fraction = bits & 0xFFFFFFFFFFFFF;
  if (bits == 0) return multiple_of_all;
  return from_bits<double>(bits) - from_bits<double>(fraction != 0 ? bits & (bits - 1) : 0);
}

/// abs(x) = mantissa * 2^exponent.
struct Decoded {
  std::uint64_t mantissa;
  int exponent;
  bool negative;
};

/// Decodes x exactly, subnormals by value. x is finite.
template <class T>
ACCUBLAS_HD constexpr Decoded decode(T x) {
  using F = FloatFormat<T>;
  const auto bits = to_bits(x);
  const int field = static_cast<int>((bits & F::infinity) >> (F::digits - 1));
  const std::uint64_t fraction = bits & ((typename F::Bits{1} << (F::digits - 1)) - 1);
  const int normal = field != 0;
  return {fraction | (static_cast<std::uint64_t>(normal) << (F::digits - 1)), field - normal + F::min_exponent,
          (bits & F::sign) != 0};
}

/// Leading zeros of x, 64 for 0.
ACCUBLAS_HD constexpr int leading_zeros(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  if (!std::is_constant_evaluated()) return __clzll(static_cast<long long>(x));
#endif
  return std::countl_zero(x);
}

}  // namespace accublas
