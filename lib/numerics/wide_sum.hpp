// Exact sums of products of binary128 numbers over their full range, and the roundings of such sums, of their quotients
// and of their roots.
#pragma once

#include "lib/numerics/binary128.hpp"
#include "lib/numerics/limbs.hpp"
#include "lib/numerics/rounding.hpp"

namespace accublas {

/// RN(+-(top + rest) 2^exponent) in binary128, where 2^127 <= top and 0 <= rest < 1; `sticky` says whether rest > 0.
/// Underflow is gradual, overflow gives infinity, and the sign is kept, as in `round_to`.
ACCUBLAS_HD inline Binary128 round_to_binary128(bool negative, Uint128 top, bool sticky, std::int64_t exponent) {
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

/// (-1)^negative limb 2^exponent, an integer of `count` limbs times a power of two. The top limb is not 0; the number 0
/// has no limbs.
struct SignedLimbs {
  const std::uint64_t* limb;
  int count;
  std::int64_t exponent;
  bool negative;

  ACCUBLAS_HD bool is_zero() const { return count == 0; }
  /// The least t with abs < 2^t; the number is not 0.
  ACCUBLAS_HD std::int64_t top() const { return exponent + limbs_bit_length(limb, count); }
};

/// The sum of x y for any finite binary128 numbers x, y, without any rounding (Kulisch's long accumulator). Products
/// are multiples of 2^min_exponent below 2^32768, and there is room for 2^62 of them. Positive and negative products
/// have sums of their own, so that a carry seldom goes far. Only the limbs from the lowest to the highest one that a
/// product has touched are ever looked at. A WideSum takes 16 KiB.
class WideSum {
 public:
  static constexpr int min_exponent = 2 * FloatFormat<Binary128>::min_exponent;
  static constexpr int limbs = (32768 - min_exponent + 62) / 64 + 2;

  ACCUBLAS_HD WideSum() {
    for (auto& side : sum_)
      for (std::uint64_t& limb : side) limb = 0;
  }
  ACCUBLAS_HD void clear() {
    for (auto& side : sum_)
      for (int i = first_; i < end_; ++i) side[i] = 0;
    first_ = limbs;
    end_ = 0;
  }

  /// Adds x y, negated with `negate`.
  ACCUBLAS_HD void add_product(const Decoded128& x, const Decoded128& y, bool negate = false) {
    const std::uint64_t x0 = static_cast<std::uint64_t>(x.mantissa), x1 = static_cast<std::uint64_t>(x.mantissa >> 64),
                        y0 = static_cast<std::uint64_t>(y.mantissa), y1 = static_cast<std::uint64_t>(y.mantissa >> 64);
    // The middle terms are below 2^113 each, and the high one is below 2^98.
    const Uint128 low = static_cast<Uint128>(x0) * y0,
                  middle = static_cast<Uint128>(x0) * y1 + static_cast<Uint128>(x1) * y0 + (low >> 64),
                  high = static_cast<Uint128>(x1) * y1 + (middle >> 64);
    const int position = x.exponent + y.exponent - min_exponent, at = position >> 6, shift = position & 63;
    const std::uint64_t p0 = static_cast<std::uint64_t>(low), p1 = static_cast<std::uint64_t>(middle),
                        p2 = static_cast<std::uint64_t>(high), p3 = static_cast<std::uint64_t>(high >> 64);
    // Two shifts, because a shift by 64 is undefined.
    const int up = 63 - shift;
    const std::uint64_t word[5] = {p0 << shift, p1 << shift | p0 >> 1 >> up, p2 << shift | p1 >> 1 >> up,
                                   p3 << shift | p2 >> 1 >> up, p3 >> 1 >> up};
    std::uint64_t* const sum = sum_[(x.negative != y.negative) != negate];
    std::uint64_t carry = 0;
    for (int i = 0; i < 5; ++i) {
      const Uint128 t = static_cast<Uint128>(sum[at + i]) + word[i] + carry;
      sum[at + i] = static_cast<std::uint64_t>(t);
      carry = static_cast<std::uint64_t>(t >> 64);
    }
    int end = at + 5;
    for (; carry != 0; ++end) carry = ++sum[end] == 0;
    if (at < first_) first_ = at;
    if (end > end_) end_ = end;
  }

  /// Writes abs of the sum to `to`, which has room for all limbs.
  ACCUBLAS_HD SignedLimbs value(std::uint64_t* to) const {
    int top = end_ - 1;
    while (top >= first_ && sum_[0][top] == sum_[1][top]) --top;
    if (top < first_) return {to, 0, 0, false};
    const bool negative = sum_[0][top] < sum_[1][top];
    const std::uint64_t *const more = sum_[negative], *const less = sum_[!negative];
    std::uint64_t borrow = 0;
    for (int i = first_; i <= top; ++i) {
      const std::uint64_t difference = more[i] - less[i];
      to[i - first_] = difference - borrow;
      borrow = (more[i] < less[i]) | (difference < borrow);
    }
    int count = top + 1 - first_;
    while (to[count - 1] == 0) --count;  // the top limbs may differ by a borrow alone
    return {to, count, min_exponent + 64 * std::int64_t{first_}, negative};
  }

 private:
  std::uint64_t sum_[2][limbs];  ///< of the positive products, of the negative ones
  int first_ = limbs, end_ = 0;
};

/// The leading 128 bits of a number that is not 0: abs = (top + rest) 2^exponent with 2^127 <= top and 0 <= rest < 1;
/// `lost` says whether rest > 0.
struct Leading128 {
  Uint128 top;
  bool lost;
  std::int64_t exponent;
};
ACCUBLAS_HD inline Leading128 leading_128(const std::uint64_t* limb, int count, std::int64_t exponent) {
  const int from = limbs_bit_length(limb, count) - 128;
  const std::uint64_t low = limbs_window(limb, count, from), high = limbs_window(limb, count, from + 64);
  return {static_cast<Uint128>(high) << 64 | low, from > 0 && limbs_any_below(limb, count, from), exponent + from};
}

/// RN of a number in binary128 or binary64. 0 becomes +0.
ACCUBLAS_HD inline Binary128 round_to_binary128(const SignedLimbs& x) {
  if (x.is_zero()) return {};
  const Leading128 l = leading_128(x.limb, x.count, x.exponent);
  return round_to_binary128(x.negative, l.top, l.lost, l.exponent);
}
ACCUBLAS_HD inline double round_to_binary64(const SignedLimbs& x) {
  if (x.is_zero()) return 0;
  const Leading128 l = leading_128(x.limb, x.count, x.exponent);
  // Every exponent beyond these bounds over- or underflows in the same way.
  const std::int64_t exponent = l.exponent + 64;
  return round_to<double>(x.negative, static_cast<std::uint64_t>(l.top >> 64),
                          static_cast<std::uint64_t>(l.top) != 0 || l.lost,
                          static_cast<int>(exponent < -4096  ? -4096
                                           : exponent > 4096 ? 4096
                                                             : exponent));
}

/// The pair (high, low) of a number S: high = RN(S), low = RN(S - high), both in binary64. If high is infinite, low is
/// +0. `rest` has room for two limbs more than S has.
ACCUBLAS_HD inline void round_to_pair(const SignedLimbs& x, std::uint64_t* rest, double* high, double* low) {
  *high = round_to_binary64(x);
  *low = 0;
  if (x.is_zero() || !is_finite(*high)) return;
  const Decoded h = decode(*high);
  // Every bit of `high` is a multiple of the unit of S, unless S is `high`.
  if (h.exponent < x.exponent) return;
  const std::int64_t shift = h.exponent - x.exponent;
  const int n = x.count + 2;
  for (int i = 0; i < n; ++i) rest[i] = i < x.count ? x.limb[i] : 0;
  if (h.mantissa != 0) {
    const int at = static_cast<int>(shift >> 6), by = static_cast<int>(shift & 63);
    const std::uint64_t word[2] = {h.mantissa << by, h.mantissa >> 1 >> (63 - by)};
    std::uint64_t borrow = 0;
    for (int i = at; i < n; ++i) {
      const std::uint64_t w = i - at < 2 ? word[i - at] : 0, d = rest[i] - w, e = d - borrow;
      borrow = (rest[i] < w) | (d < borrow);
      rest[i] = e;
    }
  }
  const bool below = (rest[n - 1] >> 63) != 0;
  if (below) limbs_negate(rest, n);
  int count = n;
  while (count > 0 && rest[count - 1] == 0) --count;
  *low = round_to_binary64({rest, count, x.exponent, x.negative != below});
}

/// floor((high 2^128 + low) / d) for high < d and 2^127 <= d, in digits of 32 bits (Knuth's algorithm D). The remainder
/// goes to *rest.
ACCUBLAS_HD inline Uint128 divide_256(Uint128 high, Uint128 low, Uint128 d, Uint128* rest) {
  const std::uint64_t d0 = static_cast<std::uint64_t>(d), d1 = static_cast<std::uint64_t>(d >> 64), leading = d1 >> 32;
  Uint128 r = high, quotient = 0;
  for (int digit = 3; digit >= 0; --digit) {
    // The guess is at most 2 too large, since the leading digit of d is at least 2^31.
    std::uint64_t guess = static_cast<std::uint64_t>(r >> 64) / leading;
    if (guess > 0xFFFFFFFF) guess = 0xFFFFFFFF;
    // (r 2^32 + the next digit) - guess d, of 160 bits and a sign.
    const Uint128 p0 = static_cast<Uint128>(guess) * d0, p1 = static_cast<Uint128>(guess) * d1 + (p0 >> 64),
                  product = p1 << 64 | static_cast<std::uint64_t>(p0),
                  dividend = r << 32 | static_cast<std::uint32_t>(low >> (32 * digit));
    std::int64_t above =
        static_cast<std::int64_t>(r >> 96) - static_cast<std::int64_t>(p1 >> 64) - (dividend < product);
    r = dividend - product;
    while (above < 0) {
      --guess;
      r += d;
      above += r < d;
    }
    quotient = quotient << 32 | guess;
  }
  *rest = r;
  return quotient;
}

/// The leading bits of x / divisor, both not 0. In the result, the quotient is (top + rest) 2^exponent as above.
ACCUBLAS_HD inline Leading128 leading_quotient(const SignedLimbs& x, const Decoded128& divisor) {
  const int from = limbs_bit_length(x.limb, x.count) - 256;
  std::uint64_t n[4];
  limbs_extract(n, 4, x.limb, x.count, from);
  const int z = 128 - bit_length(divisor.mantissa);
  const Uint128 d = divisor.mantissa << z;
  // n and d have their highest bits, so that n / d has 128 bits or 129. A quotient of 129 bits leaves out a bit of n.
  Uint128 high = static_cast<Uint128>(n[3]) << 64 | n[2], low = static_cast<Uint128>(n[1]) << 64 | n[0];
  const int bit = high >= d;  // so many bits of n are left
  if (bit != 0) {
    low = low >> 1 | high << 127;
    high >>= 1;
  }
  Uint128 rest;
  const Uint128 quotient = divide_256(high, low, d, &rest);
  const bool lost = rest != 0 || limbs_any_below(n, 4, bit) || (from > 0 && limbs_any_below(x.limb, x.count, from));
  return {quotient, lost, x.exponent + from + bit - (divisor.exponent - z)};
}

/// The leading bits of the square root of x, which is positive.
ACCUBLAS_HD inline Leading128 leading_root(const SignedLimbs& x) {
  int from = limbs_bit_length(x.limb, x.count) - 256;
  if (((x.exponent + from) & 1) != 0) ++from;  // 255 or 256 bits
  std::uint64_t n[4];
  limbs_extract(n, 4, x.limb, x.count, from);
  // Digit by digit: the remainder is at most twice the root, which has 128 bits.
  Uint128 root = 0;
  Wide<3> rest{};
  for (int bit = 254; bit >= 0; bit -= 2) {
    rest = wide_shift_left(rest, 2);
    rest.limb[0] |= n[bit / 64] >> (bit % 64) & 3;
    Wide<3> trial{{static_cast<std::uint64_t>(root), static_cast<std::uint64_t>(root >> 64), 0}};
    trial = wide_shift_left(trial, 2);
    trial.limb[0] |= 1;
    const Wide<3> difference = wide_sub(rest, trial);
    const bool one = !wide_negative(difference);
    if (one) rest = difference;
    root = root << 1 | one;
  }
  const bool lost = wide_bit_length(rest) != 0 || (from > 0 && limbs_any_below(x.limb, x.count, from));
  return {root, lost, (x.exponent + from) / 2};
}

}  // namespace accublas
