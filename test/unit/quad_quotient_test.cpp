// Quotients of exact sums (lib/numerics/wide_sum.hpp) against long division, bit by bit.
#include <gtest/gtest.h>

#include <random>

#include "lib/numerics/wide_sum.hpp"

namespace accublas {
namespace {

class QuadQuotients : public testing::Test {
 protected:
  std::mt19937_64 rng{45};

  /// Random bits, or long runs of zeros and ones, where guesses of digits are wrong.
  Uint128 number() {
    const auto word = [&]() -> std::uint64_t {
      const std::uint64_t x = rng(), ones = ~std::uint64_t{0};
      return x % 5 == 0   ? 0
             : x % 5 == 1 ? ones
             : x % 5 == 2 ? ones << (rng() % 64)
             : x % 5 == 3 ? rng() >> (rng() % 64)
                          : rng();
    };
    return static_cast<Uint128>(word()) << 64 | word();
  }
};

TEST_F(QuadQuotients, DigitsAreThoseOfLongDivision) {
  constexpr Uint128 top = Uint128{1} << 127;
  for (int t = 0; t < 300000; ++t) {
    const Uint128 d = number() | top, low = number();
    Uint128 high = t % 7 == 0 ? d - 1 : number();
    if (high >= d) high -= d;
    if (high >= d) high = 0;
    Uint128 rest = high, quotient = 0;
    for (int bit = 127; bit >= 0; --bit) {
      const bool carry = rest >> 127 != 0;
      rest = rest << 1 | (low >> bit & 1);
      const bool one = carry || rest >= d;
      if (one) rest -= d;
      quotient = quotient << 1 | one;
    }
    Uint128 found_rest;
    const Uint128 found = divide_256(high, low, d, &found_rest);
    ASSERT_TRUE(found == quotient && found_rest == rest) << "case " << t;
  }
}

TEST_F(QuadQuotients, LeadingBitsBoundTheQuotient) {
  for (int t = 0; t < 100000; ++t) {
    const Uint128 a = number(), b = number();
    std::uint64_t limb[5] = {rng() % 3 == 0 ? 0 : rng(), static_cast<std::uint64_t>(a),
                             static_cast<std::uint64_t>(a >> 64), static_cast<std::uint64_t>(b),
                             static_cast<std::uint64_t>(b >> 64)};
    int count = 1 + static_cast<int>(rng() % 5);
    while (count > 0 && limb[count - 1] == 0) --count;
    if (count == 0) continue;
    const Decoded128 divisor{(number() >> 15) | 1, 7, false};
    const Leading128 q = leading_quotient({limb, count, 3, false}, divisor);
    ASSERT_TRUE(q.top >> 127 != 0);
    // x 2^3 - top 2^exponent divisor 2^7 is 0 or, if bits were lost, positive and below divisor 2^(exponent + 7).
    const std::int64_t unit = q.exponent + 7 - 3;
    Wide<12> x{}, product{}, step{};
    const int up = unit < 0 ? static_cast<int>(-unit) : 0, down = unit < 0 ? 0 : static_cast<int>(unit);
    for (int i = 0; i < count; ++i) x.limb[i] = limb[i];
    const std::uint64_t f[2] = {static_cast<std::uint64_t>(q.top), static_cast<std::uint64_t>(q.top >> 64)},
                        g[2] = {static_cast<std::uint64_t>(divisor.mantissa),
                                static_cast<std::uint64_t>(divisor.mantissa >> 64)};
    limbs_multiply(product.limb, f, 2, g, 2);
    step.limb[0] = g[0];
    step.limb[1] = g[1];
    const Wide<12> rest = wide_sub(wide_shift_left(x, up), wide_shift_left(product, down));
    ASSERT_FALSE(wide_negative(rest)) << "case " << t;
    ASSERT_EQ(wide_bit_length(rest) != 0, q.lost) << "case " << t;
    ASSERT_TRUE(wide_negative(wide_sub(rest, wide_shift_left(step, down)))) << "case " << t;
  }
}

}  // namespace
}  // namespace accublas
