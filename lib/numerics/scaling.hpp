// Fixed-point scaling of a row or column to T bits (docs/modes.md, fixed:T): exponents, rounded entries, dropped bits.
// All quantities are formed on mantissa and exponent, so no power of two needs to be a double, and subnormals count by
// value.
#pragma once

#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// The least integer E with abs(x) < 2^E; x is finite and not zero. The E_i of a row is the exponent of its largest
/// magnitude.
template <class T>
ACCUBLAS_HD int exponent_above(T x) {
  const Decoded d = decode(x);
  return d.exponent + 64 - leading_zeros(d.mantissa);
}

/// The largest integer e such that x is a multiple of 2^e; x finite and not zero. With the least such e over a row, no
/// bit is dropped at T exactly if e >= E - T.
template <class T>
ACCUBLAS_HD int exponent_of_last_bit(T x) {
  const Decoded d = decode(x);
  return d.exponent + 63 - leading_zeros(d.mantissa & (~d.mantissa + 1));
}

/// An integer mantissa * 2^shift, shift >= 0.
struct ScaledInteger {
  std::int64_t mantissa;
  int shift;
};

/// a' = the integer nearest to a 2^(T - E), ties to even; a finite, abs(a) < 2^E. abs(a') <= 2^T, abs(mantissa) <=
/// 2^53, shift <= T.
template <class F>
ACCUBLAS_HD ScaledInteger scale_entry(F a, int exponent, int t) {
  const Decoded d = decode(a);
  const int shift = d.exponent + t - exponent;
  if (d.mantissa == 0 || shift < -54) return {0, 0};  // below 2^53 2^-55
  std::uint64_t q = d.mantissa;
  if (shift < 0) {
    const std::uint64_t half = std::uint64_t{1} << (-shift - 1);
    const std::uint64_t rest = q & (2 * half - 1);
    q >>= -shift;
    if (rest > half || (rest == half && (q & 1) != 0)) ++q;
  }
  const std::int64_t s = static_cast<std::int64_t>(q);
  return {d.negative ? -s : s, shift > 0 ? shift : 0};
}

/// Returns a' 2^-T, an entry as fixed:T rounds it, with a magnitude of at most 1. It is exact as a double.
template <class F>
ACCUBLAS_HD double rounded_entry(F a, int exponent, int t) {
  const ScaledInteger v = scale_entry(a, exponent, t);
  return static_cast<double>(v.mantissa) * power_of_two(v.shift - t);
}

}  // namespace accublas
