// IEEE binary128 numbers, taken apart and rounded by their bits. No compiler needs a type for them: the numbers are 16
// bytes in memory, in the machine's order.
#pragma once

#include <cstdint>

#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas {

/// A binary128 number in memory. The caller's numbers need no alignment of 16 bytes.
struct Binary128 {
  std::uint64_t word[2];
};

template <>
struct FloatFormat<Binary128> {
  using Bits = Uint128;
  static constexpr int digits = 113;
  static constexpr int min_exponent = -16494;
  static constexpr int max_exponent = 16271;
  static constexpr Bits sign = Bits{1} << 127;
  static constexpr Bits infinity = Bits{0x7FFF} << 112;
  static constexpr Bits quiet_nan = Bits{0xFFFF} << 111;
};

/// abs(x) = mantissa 2^exponent for a finite x.
struct Decoded128 {
  Uint128 mantissa;
  int exponent;
  bool negative;
};

/// Decodes a finite x exactly, subnormals by value.
ACCUBLAS_HD constexpr Decoded128 decode128(Binary128 x) {
  using F = FloatFormat<Binary128>;
  const Uint128 bits = to_bits(x), fraction = bits & ((Uint128{1} << 112) - 1);
  const int field = static_cast<int>((bits & F::infinity) >> 112), normal = field != 0;
  return {fraction | static_cast<Uint128>(normal) << 112, field - normal + F::min_exponent, (bits & F::sign) != 0};
}
ACCUBLAS_HD constexpr Decoded128 decode128(double x) {
  const Decoded d = decode(x);
  return {d.mantissa, d.exponent, d.negative};
}

/// Number of significant bits; 0 for 0.
ACCUBLAS_HD constexpr int bit_length(Uint128 x) {
  const std::uint64_t high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 128 - leading_zeros(high) : 64 - leading_zeros(static_cast<std::uint64_t>(x));
}

/// RN(+-(top + rest) 2^exponent) in binary128, where 2^127 <= top and 0 <= rest < 1; `sticky` says whether rest > 0.
/// Underflow is gradual, overflow gives infinity, and the sign is kept, as in `round_to`.
ACCUBLAS_HD constexpr Binary128 round_to_binary128(bool negative, Uint128 top, bool sticky, std::int64_t exponent) {
  using F = FloatFormat<Binary128>;
  const Uint128 sign = negative ? F::sign : Uint128{0};
  std::int64_t last = exponent + 15;  // exponent of the last bit kept
  if (last < F::min_exponent) last = F::min_exponent;
  if (last > F::max_exponent) return from_bits<Binary128>(sign | F::infinity);
  const std::int64_t drop = last - exponent;
  // If more than 128 bits are dropped, the value is below half of the least subnormal.
  if (drop > 128) return from_bits<Binary128>(sign);
  const int cut = static_cast<int>(drop);
  const Uint128 kept = cut == 128 ? 0 : top >> cut, rest = top << (128 - cut), half = Uint128{1} << 127;
  const bool up = rest > half || (rest == half && (sticky || (kept & 1) != 0));
  // The addition carries the hidden bit into the exponent field, and also a carry out of the mantissa, up to infinity.
  return from_bits<Binary128>(sign | ((static_cast<Uint128>(last - F::min_exponent) << 112) + kept + up));
}

}  // namespace accublas
