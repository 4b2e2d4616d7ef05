// Every result is assembled from its bits here, by the one rounding and with the one NaN.
#pragma once

#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// Returns x, or the canonical NaN if x is a NaN.
template <class T>
ACCUBLAS_HD T canonical(T x) {
  return is_nan(x) ? canonical_nan<T>() : x;
}

/// RN(+-(top + rest) 2^exponent), where 2^63 <= top < 2^64 and 0 <= rest < 1; `sticky` says whether rest > 0. Underflow
/// is gradual, overflow gives infinity, and the sign is kept. Every rounding of a bit-defined mode goes through this
/// function.
template <class T>
ACCUBLAS_HD T round_to(bool negative, std::uint64_t top, bool sticky, int exponent) {
  using F = FloatFormat<T>;
  using Bits = typename F::Bits;
  const Bits sign = negative ? F::sign : Bits{0};
  int drop = 64 - F::digits;
  if (exponent + drop < F::min_exponent) drop = F::min_exponent - exponent;
  const int last = exponent + drop;  // exponent of the last bit kept
  if (last > F::max_exponent) return from_bits<T>(sign | F::infinity);
  // If more than 64 bits are dropped, the value is below half of the least subnormal.
  std::uint64_t kept = 0;
  if (drop <= 64) {
    kept = drop < 64 ? top >> drop : 0;
    const std::uint64_t rest = drop < 64 ? top << (64 - drop) : top;
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    bool up = rest > half || (rest == half && (sticky || (kept & 1) != 0));
    kept += up;
  }
  // The addition carries the hidden bit of `kept` into the exponent field, and also a carry out of the mantissa, up to
  // infinity.
  const Bits magnitude = (static_cast<Bits>(last - F::min_exponent) << (F::digits - 1)) + static_cast<Bits>(kept);
  return from_bits<T>(sign | magnitude);
}

}  // namespace accublas
