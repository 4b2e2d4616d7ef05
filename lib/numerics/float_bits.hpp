// Binary floating-point numbers taken apart and put together, on bits: no rounding mode, no flush to zero and no
// compiler flag can touch what is computed here.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "lib/base/host_device.hpp"
#include "lib/base/test_hooks.hpp"

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

template <class T>
ACCUBLAS_HD constexpr bool is_finite(T x) {
  return (to_bits(x) & FloatFormat<T>::infinity) != FloatFormat<T>::infinity;
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

/// x, or the canonical NaN where x is a NaN.
template <class T>
ACCUBLAS_HD T canonical(T x) {
  return is_nan(x) && !mutant(Mutant::nan_payload) ? canonical_nan<T>() : x;
}

/// abs(x) = mantissa * 2^exponent.
struct Decoded {
  std::uint64_t mantissa;
  int exponent;
  bool negative;
};

/// Exact, subnormals by value. x is finite.
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

/// RN(+-(top + rest) 2^exponent), where 2^63 <= top < 2^64 and 0 <= rest < 1; `sticky` says whether rest > 0. Gradual
/// underflow, overflow to infinity, the sign kept. Every rounding of a bit-defined mode goes through here.
template <class T>
ACCUBLAS_HD T round_to(bool negative, std::uint64_t top, bool sticky, int exponent) {
  using F = FloatFormat<T>;
  using Bits = typename F::Bits;
  const Bits sign = negative ? F::sign : Bits{0};
  int drop = 64 - F::digits;
  if (exponent + drop < F::min_exponent) drop = F::min_exponent - exponent;
  const int last = exponent + drop;  // exponent of the last bit kept
  if (last > F::max_exponent) return from_bits<T>(sign | F::infinity);
  // Beyond 64 dropped bits the value is below half of the least subnormal.
  std::uint64_t kept = 0;
  if (drop <= 64) {
    kept = drop < 64 ? top >> drop : 0;
    const std::uint64_t rest = drop < 64 ? top << (64 - drop) : top;
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    if (mutant(Mutant::tie_sticky)) sticky = false;
    bool up = rest > half || (rest == half && (sticky || (kept & 1) != 0));
    if (mutant(Mutant::tie_away)) up = rest >= half;
    if (mutant(Mutant::truncate)) up = false;
    kept += up;
  }
  // kept carries the hidden bit into the exponent field, and a carry out of the mantissa likewise, up to infinity.
  const Bits magnitude = (static_cast<Bits>(last - F::min_exponent) << (F::digits - 1)) + static_cast<Bits>(kept);
  if (mutant(Mutant::subnormal_flush) && (magnitude & F::infinity) == 0) return from_bits<T>(sign);
  return from_bits<T>(sign | magnitude);
}

}  // namespace accublas
