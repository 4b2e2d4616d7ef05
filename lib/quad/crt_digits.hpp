// The Chinese remainder theorem by sums of products of 16-bit digits and bytes, two at a time, as a GPU forms them. The
// host runs the same steps in a test.
#pragma once

#include "lib/numerics/crt.hpp"

namespace accublas::quad {

/// The weights of a CrtTable in digits of 16 bits, pairs of planes side by side, for `planes` moduli. Kernels take it
/// as an argument.
struct CrtDigits {
  static constexpr int most_digits = 22, most_pairs = (max_moduli + 1) / 2;
  int planes, pairs;
  int digits;                                     ///< S fits into so many digits, with its sign
  double quotient;                                ///< 2^(16 (digits - 3)) / P
  std::uint32_t weight[most_pairs][most_digits];  ///< planes 2 t (low half) and 2 t + 1
  std::int32_t product[most_digits];
};

inline CrtDigits make_crt_digits(const CrtTable& table) {
  CrtDigits t{};
  t.planes = table.count;
  t.pairs = (table.count + 1) / 2;
  t.digits = wide_bit_length(table.product) / 16 + 1;
  for (int l = 0; l < table.count; ++l) {
    const BalancedDigits digits = balanced_digits(table.weight[l], 0, t.digits);
    for (int d = 0; d < t.digits; ++d)
      t.weight[l / 2][d] |= static_cast<std::uint32_t>(static_cast<std::uint16_t>(digits.digit[d])) << (16 * (l % 2));
  }
  const BalancedDigits digits = balanced_digits(table.product, 0, t.digits);
  for (int d = 0; d < t.digits; ++d) t.product[d] = digits.digit[d];
  t.quotient = power_over(16 * (t.digits - 3), table.product);
  return t;
}

/// sum + a_low b_0 + a_high b_1 for the signed halves of a and the signed bytes 0 and 1 (2 and 3 if `Upper`) of b.
template <bool Upper>
ACCUBLAS_HD inline std::int32_t add_two_products(std::uint32_t a, std::uint32_t b, std::int32_t sum) {
#ifdef __CUDA_ARCH__
  return Upper ? __dp2a_hi(static_cast<int>(a), static_cast<int>(b), sum)
               : __dp2a_lo(static_cast<int>(a), static_cast<int>(b), sum);
#else
  const std::uint32_t bytes = Upper ? b >> 16 : b;
  return sum + static_cast<std::int16_t>(a) * static_cast<std::int8_t>(bytes) +
         static_cast<std::int16_t>(a >> 16) * static_cast<std::int8_t>(bytes >> 8);
#endif
}

/// S from the sums over all planes of weight times residue, digit by digit; Digits >= crt.digits, and the sums beyond
/// are zero.
///
/// A sum is below 50 2^7 2^15 < 2^29. The leading three digits, in units of digit crt.digits - 3, are below 2^62 and so
/// have an error of 2^9 as a double; the digits below them count less than 2^14 units. P is at least 2^(16 (digits -
/// 1) - 1), or 2^31 units, so the quotient is off by less than 2^-16, and S / P is farther than 2^-7 from a half
/// (crt_margin). Sums of fewer than three digits are leading ones as a whole.
template <int Digits>
ACCUBLAS_HD inline Wide<crt_limbs> integer_of_digits(const CrtDigits& crt, const std::int32_t (&sum)[Digits]) {
  std::int32_t top[3] = {};
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int d = 0; d < Digits; ++d) {
    if (d == crt.digits - 1) top[0] = sum[d];
    if (d == crt.digits - 2) top[1] = sum[d];
    if (d == crt.digits - 3) top[2] = sum[d];
  }
  const double leading = (static_cast<double>(top[0]) * 0x1p16 + top[1]) * 0x1p16 + top[2];
  const double quotient = leading * crt.quotient;
  const int q = static_cast<int>(quotient < 0 ? quotient - 0.5 : quotient + 0.5);
  Wide<crt_limbs> s{};
  std::int32_t carry = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int d = 0; d < 4 * crt_limbs; ++d) {
    const std::int32_t v = (d < Digits ? sum[d < Digits ? d : 0] - q * crt.product[d < Digits ? d : 0] : 0) + carry;
    carry = v >> 16;
    s.limb[d / 4] |= static_cast<std::uint64_t>(v & 0xFFFF) << (16 * (d % 4));
  }
  return s;
}

}  // namespace accublas::quad
