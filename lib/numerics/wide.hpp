// Fixed-size two's complement integers of 64-bit limbs, for host and device.
#pragma once

#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

/// A signed integer of 64 L bits, little endian limbs, wrap-around arithmetic.
template <int L>
struct Wide {
  std::uint64_t limb[L];
};

template <int L>
ACCUBLAS_HD constexpr Wide<L> wide_zero() {
  return Wide<L>{};
}

template <int L>
ACCUBLAS_HD constexpr bool wide_negative(const Wide<L>& a) {
  return (a.limb[L - 1] >> 63) != 0;
}

/// Extends the sign, or truncates modulo 2^(64 M).
template <int M, int L>
ACCUBLAS_HD constexpr Wide<M> wide_cast(const Wide<L>& a) {
  const std::uint64_t fill = wide_negative(a) ? ~std::uint64_t{0} : 0;
  Wide<M> r{};
  ACCUBLAS_WORDS(M)
  for (int i = 0; i < M; ++i) r.limb[i] = i < L ? a.limb[i] : fill;
  return r;
}

template <int L>
ACCUBLAS_HD constexpr Wide<L> wide_from(std::int64_t value) {
  return wide_cast<L>(Wide<1>{{static_cast<std::uint64_t>(value)}});
}

template <int L>
ACCUBLAS_HD constexpr Wide<L> wide_add(const Wide<L>& a, const Wide<L>& b) {
  Wide<L> r{};
  std::uint64_t carry = 0;
  ACCUBLAS_WORDS(L)
  for (int i = 0; i < L; ++i) {
    const Uint128 t = static_cast<Uint128>(a.limb[i]) + b.limb[i] + carry;
    r.limb[i] = static_cast<std::uint64_t>(t);
    carry = static_cast<std::uint64_t>(t >> 64);
  }
  return r;
}

/// negate ? -a : a.
template <int L>
ACCUBLAS_HD constexpr Wide<L> wide_negate_if(const Wide<L>& a, bool negate) {
  const std::uint64_t mask = negate ? ~std::uint64_t{0} : 0;
  Wide<L> r{};
  std::uint64_t carry = negate;
  ACCUBLAS_WORDS(L)
  for (int i = 0; i < L; ++i) {
    const Uint128 t = static_cast<Uint128>(a.limb[i] ^ mask) + carry;
    r.limb[i] = static_cast<std::uint64_t>(t);
    carry = static_cast<std::uint64_t>(t >> 64);
  }
  return r;
}

template <int L>
ACCUBLAS_HD constexpr Wide<L> wide_sub(const Wide<L>& a, const Wide<L>& b) {
  return wide_add(a, wide_negate_if(b, true));
}

/// a * factor.
template <int L>
ACCUBLAS_HD constexpr Wide<L> wide_mul(const Wide<L>& a, std::uint64_t factor) {
  Wide<L> r{};
  std::uint64_t carry = 0;
  ACCUBLAS_WORDS(L)
  for (int i = 0; i < L; ++i) {
    const Uint128 t = static_cast<Uint128>(a.limb[i]) * factor + carry;
    r.limb[i] = static_cast<std::uint64_t>(t);
    carry = static_cast<std::uint64_t>(t >> 64);
  }
  return r;
}

/// a * 2^shift, 0 <= shift < 64 L.
template <int L>
ACCUBLAS_HD constexpr Wide<L> wide_shift_left(const Wide<L>& a, int shift) {
  const int words = shift >> 6, bits = shift & 63;
  Wide<L> r{};
  ACCUBLAS_WORDS(L)
  for (int i = L - 1; i >= words; --i) {
    r.limb[i] = a.limb[i - words] << bits;
    if (bits != 0 && i > words) r.limb[i] |= a.limb[i - words - 1] >> (64 - bits);
  }
  return r;
}

/// Number of significant bits of a taken as unsigned; 0 for 0.
template <int L>
ACCUBLAS_HD constexpr int wide_bit_length(const Wide<L>& a) {
  ACCUBLAS_WORDS(L)
  for (int i = L - 1; i >= 0; --i)
    if (a.limb[i] != 0) return 64 * (i + 1) - leading_zeros(a.limb[i]);
  return 0;
}

/// The leading significant bits of a, taken as unsigned: abs = (high 2^64 + low + rest) 2^shift with 2^63 <= high <
/// 2^64 and 0 <= rest < 1; `lost` says whether rest > 0. All members are zero if a = 0.
struct WideTop {
  std::uint64_t high, low;
  int shift;
  bool lost;
};

template <int L>
ACCUBLAS_HD constexpr WideTop wide_top(const Wide<L>& a) {
  int t = L - 1;
  while (t > 0 && a.limb[t] == 0) --t;
  std::uint64_t x2 = a.limb[t], x1 = t > 0 ? a.limb[t - 1] : 0, x0 = t > 1 ? a.limb[t - 2] : 0;
  if (x2 == 0) return {0, 0, 0, false};
  std::uint64_t below = 0;
  for (int i = 0; i < t - 2; ++i) below |= a.limb[i];
  const int z = leading_zeros(x2);
  if (z != 0) {
    x2 = x2 << z | x1 >> (64 - z);
    x1 = x1 << z | x0 >> (64 - z);
    x0 <<= z;
  }
  return {x2, x1, 64 * (t - 1) - z, (x0 | below) != 0};
}

}  // namespace accublas
