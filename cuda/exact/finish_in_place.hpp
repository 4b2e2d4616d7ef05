// finish() of lib/numerics for sums of thousands of bits. The limbs are in the caller's memory (a warp's shared memory)
// instead of in wide integers on a stack, which every thread of the device would have to reserve.
#pragma once

#include "lib/numerics/finish.hpp"

namespace accublas::cuda {

/// finish_in_place needs this many spare limbs below and above the sum.
inline constexpr int finish_below = 2, finish_above = 4;

/// Returns RN(alpha S 2^exponent + beta c) as finish() defines it, for S = `count` limbs in two's complement from
/// limb[finish_below]. `limb` has finish_below + count + finish_above limbs, all of which are overwritten.
///
/// alpha S starts 128 bits above limb 0 and ends below 64 (count + 1) bits more. If beta c reaches beyond the limbs,
/// alpha S is below 2^-191 of it, and acts like any number of its sign below the last of 128 bits. Similarly, bits of
/// beta c below limb 0 are far below alpha S, if alpha S is not zero.
template <class T>
ACCUBLAS_HD T finish_in_place(T alpha, std::uint64_t* limb, int count, int exponent, T beta, T c) {
  const int top = finish_below + count, all = top + finish_above;
  bool negative = limb[top - 1] >> 63 != 0;
  const bool addend = !is_zero(beta);
  if (!is_finite(alpha) || (addend && !(is_finite(beta) && is_finite(c)))) {
    std::uint64_t any = 0;
    for (int i = finish_below; i < top; ++i) any |= limb[i];
    return finish(alpha, wide_from<1>(negative ? -1 : any != 0), 0, beta, c);
  }
  const Decoded a = decode(alpha);
  std::uint64_t borrow = negative, carry = 0;
  for (int i = finish_below; i < top; ++i) {
    const std::uint64_t flipped = limb[i] ^ (negative ? ~std::uint64_t{0} : 0), magnitude = flipped + borrow;
    borrow &= magnitude == 0;
    const Uint128 product = static_cast<Uint128>(magnitude) * a.mantissa + carry;
    limb[i] = static_cast<std::uint64_t>(product);
    carry = static_cast<std::uint64_t>(product >> 64);
  }
  limb[top] = carry;
  for (int i = 0; i < finish_below; ++i) limb[i] = 0;
  for (int i = top + 1; i < all; ++i) limb[i] = 0;
  negative ^= a.negative;
  const int base = exponent + a.exponent - 64 * finish_below;

  bool sticky = false;
  const Decoded b = decode(addend ? beta : T(0)), d = decode(addend ? c : T(0));
  const Uint128 y = static_cast<Uint128>(b.mantissa) * d.mantissa;
  if (y != 0) {
    const bool y_negative = b.negative != d.negative, opposite = y_negative != negative;
    const int y_exponent = b.exponent + d.exponent;
    const std::uint64_t y_high = static_cast<std::uint64_t>(y >> 64);
    const int zeros = y_high != 0 ? leading_zeros(y_high) : 64 + leading_zeros(static_cast<std::uint64_t>(y));
    bool any = false;
    for (int i = top; i >= finish_below && !any; --i) any = limb[i] != 0;
    if (!any) return detail::round_integer<T>(y_negative, y, y_exponent);
    if (y_exponent + 128 - zeros - base > 64 * all - 1) {
      const Uint128 high = y << zeros;
      return detail::round_integer<T>(y_negative, opposite ? high - 1 : high + 1, y_exponent - zeros);
    }
    // This splits beta c into three limbs from limb `at`, and a sticky part below limb 0.
    const int shift = y_exponent - base;
    Uint128 part = y;
    int at = 0, bits = 0;
    if (shift >= 0) {
      at = shift / 64;
      bits = shift % 64;
    } else {
      part = detail::shift_down(y, -shift, &sticky);
    }
    const std::uint64_t low = static_cast<std::uint64_t>(part), high = static_cast<std::uint64_t>(part >> 64);
    const std::uint64_t words[3] = {low << bits, high << bits | (bits != 0 ? low >> (64 - bits) : 0),
                                    bits != 0 ? high >> (64 - bits) : 0};
    std::uint64_t moved = opposite && sticky;  // carry or borrow
    for (int i = 0; i < all; ++i) {
      const int word = i - at;
      const std::uint64_t term = word == 0 ? words[0] : word == 1 ? words[1] : word == 2 ? words[2] : 0;
      if (opposite) {
        const Uint128 r = static_cast<Uint128>(limb[i]) - term - moved;
        limb[i] = static_cast<std::uint64_t>(r);
        moved = static_cast<std::uint64_t>(r >> 64) & 1;
      } else {
        const Uint128 r = static_cast<Uint128>(limb[i]) + term + moved;
        limb[i] = static_cast<std::uint64_t>(r);
        moved = static_cast<std::uint64_t>(r >> 64);
      }
    }
    if (opposite && moved != 0) {  // abs(beta c) was the larger
      negative = !negative;
      std::uint64_t one = 1;
      for (int i = 0; i < all; ++i) {
        limb[i] = ~limb[i] + one;
        one &= limb[i] == 0;
      }
    }
  }
  int t = all - 1;
  while (t > 0 && limb[t] == 0) --t;
  if (limb[t] == 0) return detail::exact_zero<T>();
  const int z = leading_zeros(limb[t]);
  const std::uint64_t next = t > 0 ? limb[t - 1] : 0;
  const std::uint64_t high = limb[t] << z | (z != 0 ? next >> (64 - z) : 0);
  std::uint64_t rest = next << z;
  for (int i = 0; i < t - 1; ++i) rest |= limb[i];
  return round_to<T>(negative, high, sticky || rest != 0, base + 64 * t - z);
}

}  // namespace accublas::cuda
