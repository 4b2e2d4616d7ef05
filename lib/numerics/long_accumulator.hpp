// An exact sum of products of binary64 numbers over their full range (Kulisch's long accumulator, with deferred
// carries).
#pragma once

#include "lib/numerics/finish.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas {

/// The sum of x y for any finite binary64 x, y (binary32 widens exactly), without any rounding. Products are multiples
/// of 2^-2148 below 2^2048; there is room for more than 2^62 of them. Digits hold 32 bits each in signed 64-bit words,
/// so that carries can wait: a product adds less than 2^32 to each of five words, and every 2^30 additions the carries
/// move up. An accumulator takes 1.1 KiB.
class LongAccumulator {
 public:
  static constexpr int digits = 136;          ///< of 32 bits: 2^(4352 - 2148) is far above 2^62 2^2048
  static constexpr int min_exponent = -2148;  ///< exponent of the last bit
  static constexpr int limbs = digits / 2;    ///< number of limbs of the sum as one integer

  ACCUBLAS_HD LongAccumulator() { clear(); }

  ACCUBLAS_HD void clear() {
    ACCUBLAS_WORDS(digits)
    for (int i = 0; i < digits; ++i) digit_[i] = 0;
    pending_ = 0;
  }

  /// Adds x y; both are finite.
  ACCUBLAS_HD void add_product(double x, double y) {
    const Decoded a = decode(x), b = decode(y);
    const Uint128 product = static_cast<Uint128>(a.mantissa) * b.mantissa;
    add_integer(product, a.exponent + b.exponent - min_exponent, a.negative != b.negative);
  }

  /// Adds x, which is finite.
  ACCUBLAS_HD void add(double x) {
    const Decoded a = decode(x);
    add_integer(a.mantissa, a.exponent - min_exponent, a.negative);
  }

  /// Adds the sum of another accumulator.
  ACCUBLAS_HD void add(const LongAccumulator& other) {
    ACCUBLAS_WORDS(digits)
    for (int i = 0; i < digits; ++i) digit_[i] += other.digit_[i];
    // Both had at most 2^30 additions pending, so no word has passed 2^63.
    pending_ += other.pending_;
    if (pending_ >= carry_period) carry();
  }

  /// Adds an integer of `count` digits in two's complement, the lowest of which is digit `first`. Digits below digit 0
  /// must be zero, and those from digit `digits` on must repeat the sign.
  ACCUBLAS_HD void add_digits(const std::uint32_t* of, int count, int first) {
    const int end = count < digits - first ? count : digits - first;
    for (int i = first < 0 ? -first : 0; i < end; ++i)
      digit_[first + i] +=
          i + 1 < end ? static_cast<std::int64_t>(of[i]) : static_cast<std::int64_t>(static_cast<std::int32_t>(of[i]));
    if (++pending_ >= carry_period) carry();
  }

  /// Sets the sum to an integer that `value` returned.
  ACCUBLAS_HD void set(const Wide<limbs>& value) {
    ACCUBLAS_WORDS(limbs)
    for (int i = 0; i < limbs; ++i) {
      digit_[2 * i] = static_cast<std::int64_t>(value.limb[i] & 0xFFFFFFFF);
      digit_[2 * i + 1] = static_cast<std::int64_t>(value.limb[i] >> 32);
    }
    digit_[digits - 1] = static_cast<std::int64_t>(value.limb[limbs - 1]) >> 32;
    pending_ = 1;
  }

  /// Replaces each word by sum(word), the sum over up to 32 accumulators, each of which calls this function.
  template <class Sum>
  ACCUBLAS_HD void add_up(Sum&& sum) {
    carry();
    ACCUBLAS_WORDS(digits)
    for (int i = 0; i < digits; ++i) digit_[i] = sum(digit_[i]);
    pending_ = 32;
  }

  /// The sum as one integer, times 2^min_exponent.
  ACCUBLAS_HD Wide<limbs> value() const {
    Wide<limbs> r{};
    std::int64_t carry = 0;
    ACCUBLAS_WORDS(limbs)
    for (int i = 0; i < limbs; ++i) {
      const std::int64_t low = digit_[2 * i] + carry;
      const std::int64_t high = digit_[2 * i + 1] + (low >> 32);
      r.limb[i] = static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
      carry = high >> 32;
    }
    return r;
  }

 private:
  static constexpr std::uint32_t carry_period = std::uint32_t{1} << 30;

  /// Adds m 2^position, or subtracts it, in units of the last bit; m < 2^106.
  ACCUBLAS_HD void add_integer(Uint128 m, int position, bool negative) {
    const int first = position >> 5, shift = position & 31;
    const std::uint64_t low = static_cast<std::uint64_t>(m), high = static_cast<std::uint64_t>(m >> 64);
    const std::uint64_t w0 = low << shift;
    const Uint128 upper = (static_cast<Uint128>(high) << 64 | low) >> 32 >> (32 - shift);  // m 2^shift 2^-64
    const std::uint64_t w1 = static_cast<std::uint64_t>(upper), w2 = static_cast<std::uint64_t>(upper >> 64);
    const std::int64_t sign = negative ? -1 : 0;
    std::int64_t* d = digit_ + first;
    d[0] += (static_cast<std::int64_t>(w0 & 0xFFFFFFFFu) ^ sign) - sign;
    d[1] += (static_cast<std::int64_t>(w0 >> 32) ^ sign) - sign;
    d[2] += (static_cast<std::int64_t>(w1 & 0xFFFFFFFFu) ^ sign) - sign;
    d[3] += (static_cast<std::int64_t>(w1 >> 32) ^ sign) - sign;
    d[4] += (static_cast<std::int64_t>(w2) ^ sign) - sign;
    if (++pending_ == carry_period) carry();
  }

  /// Returns the digits to [0, 2^32), except for the top one, which is signed.
  ACCUBLAS_HD void carry() {
    ACCUBLAS_WORDS(digits)
    for (int i = 0; i + 1 < digits; ++i) {
      digit_[i + 1] += digit_[i] >> 32;
      digit_[i] &= 0xFFFFFFFF;
    }
    pending_ = 1;
  }

  std::int64_t digit_[digits];
  std::uint32_t pending_;
};

/// RN(alpha sum + beta c).
template <class T>
ACCUBLAS_HD T finish(T alpha, const LongAccumulator& sum, T beta, T c) {
  return finish(alpha, sum.value(), LongAccumulator::min_exponent, beta, c);
}

}  // namespace accublas
