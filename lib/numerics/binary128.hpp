// IEEE binary128 numbers, taken apart by their bits; lib/numerics/wide_sum.hpp puts them together. No compiler needs a
// type for them: the numbers are 16 bytes in memory, in the machine's order.
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

/// Number of zeros below the lowest set bit; x is not 0.
ACCUBLAS_HD constexpr int trailing_zeros(Uint128 x) { return bit_length(x & (~x + 1)) - 1; }

}  // namespace accublas
