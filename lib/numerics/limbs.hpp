// Integers as spans of limbs, least significant first, for host (64-bit limbs) and device (32-bit limbs). The functions
// allocate nothing. A destination does not overlap a source unless they are equal.
#pragma once

#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas {

template <class Limb>
struct LimbTraits;
template <>
struct LimbTraits<std::uint32_t> {
  using Double = std::uint64_t;
};
template <>
struct LimbTraits<std::uint64_t> {
  using Double = Uint128;
};

template <class Limb>
inline constexpr int limb_bits = static_cast<int>(8 * sizeof(Limb));

template <class Limb>
ACCUBLAS_HD constexpr bool limbs_zero(const Limb* a, int n) {
  for (int i = 0; i < n; ++i)
    if (a[i] != 0) return false;
  return true;
}

/// Number of significant bits, 0 for 0.
template <class Limb>
ACCUBLAS_HD constexpr int limbs_bit_length(const Limb* a, int n) {
  for (int i = n - 1; i >= 0; --i)
    if (a[i] != 0) return limb_bits<Limb> * i + 64 - leading_zeros(static_cast<std::uint64_t>(a[i]));
  return 0;
}

template <class Limb>
ACCUBLAS_HD constexpr bool limbs_bit(const Limb* a, int n, int bit) {
  const int at = bit / limb_bits<Limb>;
  return at < n && (a[at] >> (bit % limb_bits<Limb>)&1) != 0;
}

/// Whether any of the lowest `bits` bits is set.
template <class Limb>
ACCUBLAS_HD constexpr bool limbs_any_below(const Limb* a, int n, int bits) {
  const int whole = bits / limb_bits<Limb>, rest = bits % limb_bits<Limb>;
  for (int i = 0; i < whole && i < n; ++i)
    if (a[i] != 0) return true;
  return rest != 0 && whole < n && (a[whole] & ((Limb{1} << rest) - 1)) != 0;
}

/// The limb that holds bits from .. from + limb_bits - 1 of a; bits outside of a are zero, `from` may be negative.
template <class Limb>
ACCUBLAS_HD constexpr Limb limbs_window(const Limb* a, int n, int from) {
  constexpr int bits = limb_bits<Limb>;
  const int at = from >= 0 ? from / bits : -ceil_div(-from, bits), shift = from - at * bits;
  const Limb low = at >= 0 && at < n ? a[at] : 0;
  if (shift == 0) return low;
  const Limb high = at + 1 >= 0 && at + 1 < n ? a[at + 1] : 0;
  return static_cast<Limb>(low >> shift | high << (bits - shift));
}

/// r (rn limbs) = floor(a / 2^from), or a 2^-from for from < 0, modulo 2^(limb_bits rn).
template <class Limb>
ACCUBLAS_HD constexpr void limbs_extract(Limb* r, int rn, const Limb* a, int n, int from) {
  for (int i = 0; i < rn; ++i) r[i] = limbs_window(a, n, from + i * limb_bits<Limb>);
}

/// a (n limbs) = -a, two's complement.
template <class Limb>
ACCUBLAS_HD constexpr void limbs_negate(Limb* a, int n) {
  Limb carry = 1;
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<Limb>(~a[i] + carry);
    carry = carry != 0 && a[i] == 0;
  }
}

/// a (n limbs) += value 2^(limb_bits at), modulo 2^(limb_bits n).
template <class Limb>
ACCUBLAS_HD constexpr void limbs_add_limb(Limb* a, int n, int at, Limb value) {
  for (int i = at; i < n && value != 0; ++i) {
    a[i] = static_cast<Limb>(a[i] + value);
    value = a[i] < value;
  }
}

/// r (an + bn limbs) = a b; r overlaps neither.
template <class Limb>
ACCUBLAS_HD constexpr void limbs_multiply(Limb* r, const Limb* a, int an, const Limb* b, int bn) {
  using Double = typename LimbTraits<Limb>::Double;
  for (int i = 0; i < an + bn; ++i) r[i] = 0;
  for (int i = 0; i < bn; ++i) {
    Limb carry = 0;
    for (int j = 0; j < an; ++j) {
      const Double t = static_cast<Double>(a[j]) * b[i] + r[i + j] + carry;
      r[i + j] = static_cast<Limb>(t);
      carry = static_cast<Limb>(t >> limb_bits<Limb>);
    }
    r[i + an] = carry;
  }
}

/// a (n limbs) -= b value, modulo 2^(limb_bits n).
template <class Limb>
ACCUBLAS_HD constexpr void limbs_subtract_product(Limb* a, const Limb* b, int n, Limb value) {
  using Double = typename LimbTraits<Limb>::Double;
  Limb borrow = 0;
  for (int i = 0; i < n; ++i) {
    const Double t = static_cast<Double>(b[i]) * value + borrow;
    const Limb low = static_cast<Limb>(t);
    borrow = static_cast<Limb>((t >> limb_bits<Limb>)+(a[i] < low));
    a[i] = static_cast<Limb>(a[i] - low);
  }
}

/// Replaces a (n limbs) by the product a * value, modulo 2^(64 n).
inline void limbs_multiply_by(std::uint64_t* a, int n, std::uint32_t value) {
  std::uint64_t carry = 0;
  for (int i = 0; i < n; ++i) {
    const Uint128 t = static_cast<Uint128>(a[i]) * value + carry;
    a[i] = static_cast<std::uint64_t>(t);
    carry = static_cast<std::uint64_t>(t >> 64);
  }
}

/// Sets q (n limbs) to floor(a / divisor).
inline void limbs_divide(std::uint64_t* q, const std::uint64_t* a, int n, std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (int i = n - 1; i >= 0; --i) {
    const Uint128 part = static_cast<Uint128>(rest) << 64 | a[i];
    q[i] = static_cast<std::uint64_t>(part / divisor);
    rest = static_cast<std::uint64_t>(part % divisor);
  }
}

}  // namespace accublas
