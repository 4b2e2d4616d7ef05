// The moduli of the INT8 residue products, and the constants that the Chinese remainder theorem needs. Tables live
// inside constexpr functions, so that device code may use them.
#pragma once

#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas {

/// All moduli together carry 341 bits: enough for T = 150 on both sides and sums of any length that fits in memory.
inline constexpr int max_moduli = 49;

struct ModuliList {
  int p[max_moduli];
};

/// The greedy list of pairwise coprime integers from 256 down: 256, 255, 253, 251, 247, 241, 239, 233, ...
ACCUBLAS_HD constexpr ModuliList moduli_list() {
  ModuliList list{};
  int found = 0;
  for (int p = 256; found < max_moduli; --p) {
    bool coprime = true;
    for (int i = 0; i < found && coprime; ++i) {
      int a = list.p[i], b = p;
      while (b != 0) {
        const int r = a % b;
        a = b;
        b = r;
      }
      coprime = a == 1;
    }
    if (coprime) list.p[found++] = p;
  }
  return list;
}

/// An integer a' that becomes residues is a sum of limb_i 2^(int8_limb_bits i), every limb but the top one at most
/// 2^(int8_limb_bits - 1) in magnitude, so that sums of limbs times residues of these powers are doubles.
inline constexpr int int8_limb_bits = 42;

/// x mod p of least absolute value, -p/2 < result <= p/2.
ACCUBLAS_HD constexpr int balanced_residue(std::int64_t x, int p) {
  int r = static_cast<int>(x % p);
  if (r < 0) r += p;
  return 2 * r > p ? r - p : r;
}

/// 2^exponent mod p, balanced.
ACCUBLAS_HD constexpr int power_of_two_residue(int exponent, int p) {
  std::int64_t r = 1;
  for (int i = 0; i < exponent; ++i) r = r * 2 % p;
  return balanced_residue(r, p);
}

/// The inverse of a modulo p, balanced; a and p coprime.
ACCUBLAS_HD constexpr int inverse_residue(int a, int p) {
  for (int x = 1; x <= p; ++x)
    if (static_cast<std::int64_t>(a) * x % p == 1 % p) return balanced_residue(x, p);
  return 0;
}

/// Limbs that hold the product of all moduli and sums of up to 49 weights times bytes.
inline constexpr int crt_limbs = 6;

/// Planes of residues that a table may have. Real sums have one for each modulus, complex ones more
/// (lib/numerics/complex_moduli.hpp).
inline constexpr int max_planes = 64;

/// Residue planes and their relation to S: modulo p, S is the sum over the planes of p of factor times the plane's
/// residue.
struct ResiduePlane {
  int p, factor;
  bool first;  ///< whether this is the first plane of its modulus
};
struct ResiduePlanes {
  int count;
  ResiduePlane plane[max_planes];
};
ACCUBLAS_HD constexpr ResiduePlanes real_planes(int count) {
  constexpr ModuliList list = moduli_list();
  ResiduePlanes planes{count, {}};
  for (int l = 0; l < count; ++l) planes.plane[l] = {list.p[l], 1, true};
  return planes;
}

/// Constants of the Chinese remainder theorem for a list of planes. With P the product of their moduli and residues r_l
/// of the planes (any representatives, abs(r_l) <= 255), sum r_l weight_l = S modulo P, where weight_l = inverse_l P /
/// p_l is the plane's factor modulo p_l, 0 modulo the others, and abs(weight_l) <= P / 2.
struct CrtTable {
  int count;                ///< number of planes
  Wide<crt_limbs> product;  ///< P
  Wide<crt_limbs> weight[max_planes];
  double fraction[max_planes];  ///< weight_l / P = inverse_l / p_l, correctly rounded

  /// P and the weights in digits of 16 bits, -2^15 <= digit < 2^15, for kernels that add products of 16-bit numbers.
  /// There are `digits` of them, the last not zero padded. If fewer than 7 are needed, zero digits stand below, and the
  /// unit of digit 0 is 2^unit_exponent with unit_exponent < 0. Pairs of planes are adjacent; an odd count has a zero
  /// partner.
  static constexpr int max_digits = 22;
  int digits, unit_exponent;
  std::int16_t weight_digit[max_digits][max_planes];
  std::int16_t product_digit[max_digits];
  float quotient[3];  ///< 2^(16 (digits - 1 - i)) / P, in units of digit 0
};

struct BalancedDigits {
  std::int16_t digit[CrtTable::max_digits];
};

/// value 2^(16 below) in base 2^16, with every digit in -2^15 .. 2^15 - 1; the number must fit into `digits` digits.
ACCUBLAS_HD constexpr BalancedDigits balanced_digits(const Wide<crt_limbs>& value, int below, int digits) {
  BalancedDigits out{};
  int carry = 0;
  for (int d = below; d < digits; ++d) {
    const int at = d - below;
    int v = static_cast<int>(value.limb[at / 4] >> (16 * (at % 4)) & 0xFFFF) + carry;
    carry = v >= 0x8000;
    if (carry) v -= 0x10000;
    out.digit[d] = static_cast<std::int16_t>(v);
  }
  return out;
}

/// a / p for a >= 0, by long division of 32-bit halves.
ACCUBLAS_HD constexpr Wide<crt_limbs> divide_exactly(const Wide<crt_limbs>& a, int p) {
  Wide<crt_limbs> q{};
  std::uint64_t rest = 0;
  const std::uint64_t divisor = static_cast<std::uint64_t>(p);
  for (int i = crt_limbs - 1; i >= 0; --i) {
    const std::uint64_t high = rest << 32 | a.limb[i] >> 32;
    rest = high % divisor;
    const std::uint64_t low = rest << 32 | (a.limb[i] & 0xFFFFFFFFu);
    rest = low % divisor;
    q.limb[i] = (high / divisor) << 32 | low / divisor;
  }
  return q;
}

ACCUBLAS_HD constexpr int residue_of(const Wide<crt_limbs>& a, int p) {
  std::uint64_t rest = 0;
  for (int i = crt_limbs - 1; i >= 0; --i) {
    rest = (rest << 32 | a.limb[i] >> 32) % static_cast<std::uint64_t>(p);
    rest = (rest << 32 | (a.limb[i] & 0xFFFFFFFFu)) % static_cast<std::uint64_t>(p);
  }
  return static_cast<int>(rest);
}

/// 2^exponent / a, a > 0, to about 2^-50 relative.
ACCUBLAS_HD constexpr double power_over(int exponent, const Wide<crt_limbs>& a) {
  const WideTop top = wide_top(a);
  const double value = static_cast<double>(top.high);  // a = (value 2^64 + ...) 2^shift
  int e = exponent - top.shift - 64;
  double r = 1 / value;
  for (; e > 0; --e) r *= 2;
  for (; e < 0; ++e) r /= 2;
  return r;
}

ACCUBLAS_HD constexpr CrtTable make_crt_table(const ResiduePlanes& planes) {
  CrtTable t{};
  t.count = planes.count;
  t.product = wide_from<crt_limbs>(1);
  for (int l = 0; l < planes.count; ++l)
    if (planes.plane[l].first) t.product = wide_mul(t.product, static_cast<std::uint64_t>(planes.plane[l].p));
  // P / 2 and the weights must fit balanced digits: P < 2^(16 digits - 1).
  const int needed = wide_bit_length(t.product) / 16 + 1;
  t.digits = needed < 7 ? 7 : needed;
  const int below = t.digits - needed;
  t.unit_exponent = -16 * below;
  for (int l = 0; l < planes.count; ++l) {
    const auto [p, factor, first] = planes.plane[l];
    const Wide<crt_limbs> cofactor = divide_exactly(t.product, p);
    const int inverse = balanced_residue(inverse_residue(residue_of(cofactor, p), p) * factor, p);
    const Wide<crt_limbs> magnitude = wide_mul(cofactor, static_cast<std::uint64_t>(inverse < 0 ? -inverse : inverse));
    t.weight[l] = wide_negate_if(magnitude, inverse < 0);
    t.fraction[l] = static_cast<double>(inverse) / p;
    const BalancedDigits digits = balanced_digits(t.weight[l], below, t.digits);
    for (int d = 0; d < t.digits; ++d) t.weight_digit[d][l] = digits.digit[d];
  }
  const BalancedDigits digits = balanced_digits(t.product, below, t.digits);
  for (int d = 0; d < t.digits; ++d) t.product_digit[d] = digits.digit[d];
  for (int i = 0; i < 3; ++i)
    t.quotient[i] = static_cast<float>(power_over(16 * (t.digits - 1 - i) + t.unit_exponent, t.product));
  return t;
}
/// Makes the table for the first `count` moduli.
ACCUBLAS_HD constexpr CrtTable make_crt_table(int count) { return make_crt_table(real_planes(count)); }

}  // namespace accublas
