// Exact sums in integers of fixed size (lib/quad/narrow_sum.hpp) against sums over the whole range of exponents.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "lib/quad/narrow_sum.hpp"
#include "quad_random.hpp"

namespace accublas::quad {
namespace {

class NarrowSums : public RandomNumbers {};

/// A number as one integer, from its parts.
bool as_integer(const Number& x, Decoded128& to) {
  const auto value = [](const Decoded128& part) {
    const double size = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(part.mantissa)), part.exponent);
    return part.negative ? -size : size;
  };
  if (x.parts == 2) return quad::as_integer(value(x.part[0]), value(x.part[1]), to);
  to = x.parts == 0 ? Decoded128{} : x.part[0];
  return x.finite();
}

/// Adds x y, or -x y, as the kernels do.
void add_term(NarrowSum& sum, const Number& x, const Number& y, bool negate) {
  Decoded128 a, b;
  if (as_integer(x, a) && as_integer(y, b))
    sum.add(a, b, negate);
  else
    sum.add(range_of_term(x, y, negate));
}

/// Adds x y to a sum of any exponents.
void add_exactly(WideSum& sum, const Number& x, const Number& y, bool negate) {
  for (int i = 0; i < x.parts; ++i)
    for (int j = 0; j < y.parts; ++j) sum.add_product(x.part[i], y.part[j], negate);
}

TEST_F(NarrowSums, AreExactOrSayThatTheyAreWide) {
  int wide = 0, formed = 0;
  std::vector<std::uint64_t> limbs(WideSum::limbs);
  for (int t = 0; t < 20000; ++t) {
    const Format left = static_cast<Format>(below(3)), right = static_cast<Format>(below(3));
    const int spread = between(0, 26), at = between(-300, 300);
    NarrowSum parts[3];
    const auto exact = std::make_unique<WideSum>();
    int least = TermRange::none, most = -TermRange::none;
    bool fits = true;
    for (int n = between(0, 12); n > 0; --n) {
      const Number x = one_in(9) ? Number{} : number(left, at - spread, at), y = number(right, -spread, 0);
      const bool negate = one_in(2);
      add_term(parts[below(3)], x, y, negate);
      add_exactly(*exact, x, y, negate);
      Decoded128 a, b;
      if (x.parts == 0 || y.parts == 0) continue;
      if (!as_integer(x, a) || !as_integer(y, b)) {
        fits = false;
        continue;
      }
      least = std::min(least, a.exponent + b.exponent);
      most = std::max(most, a.exponent + b.exponent);
    }
    NarrowSum sum = parts[0];
    sum.merge(parts[1]);
    sum.merge(parts[2]);
    fits &= most < least || most - least <= NarrowSum::most_spread;
    ASSERT_EQ(sum.is_wide(), !fits) << "case " << t;
    wide += !fits;
    if (!fits) continue;
    ++formed;
    std::uint64_t found_limbs[crt_limbs];
    const SignedLimbs found = sum.value(found_limbs), expected = exact->value(limbs.data());
    ASSERT_EQ(to_bits(round_to_binary128(found)), to_bits(round_to_binary128(expected))) << "case " << t;
    ASSERT_EQ(found.is_zero(), expected.is_zero());
    if (found.is_zero()) continue;
    ASSERT_EQ(found.negative, expected.negative);
    const int length = limbs_bit_length(found.limb, found.count);
    ASSERT_EQ(found.exponent + length, expected.top());
    for (int bit = 0; bit < length; ++bit)
      ASSERT_EQ(
          limbs_bit(found.limb, found.count, bit),
          found.exponent + bit >= expected.exponent &&
              limbs_bit(expected.limb, expected.count, static_cast<int>(found.exponent + bit - expected.exponent)))
          << "case " << t << ", bit " << bit;
  }
  EXPECT_GT(wide, 1000);
  EXPECT_GT(formed, 1000);
}

TEST_F(NarrowSums, HoldTheLargestTerms) {
  // Products of integers of 127 bits, and a term whose exponent is so far below theirs.
  const Number large = number_of(0x1.fffffffffffffp+1, 0x1.fffffffffffffp-73), one = number_of(1.0);
  for (const int below_them : {NarrowSum::most_spread, NarrowSum::most_spread + 1}) {
    const Number small = number_of(std::ldexp(1.0, 104 - 2 * (73 + 52) - below_them));
    NarrowSum sum;
    const auto exact = std::make_unique<WideSum>();
    const auto add = [&](const Number& x, const Number& y) {
      add_term(sum, x, y, false);
      add_exactly(*exact, x, y, false);
    };
    add(small, one);
    for (int i = 0; i < 1024; ++i) add(large, large);
    ASSERT_EQ(sum.is_wide(), below_them > NarrowSum::most_spread);
    if (sum.is_wide()) continue;
    std::uint64_t limbs[crt_limbs];
    std::vector<std::uint64_t> expected(WideSum::limbs);
    EXPECT_EQ(to_bits(round_to_binary128(sum.value(limbs))),
              to_bits(round_to_binary128(exact->value(expected.data()))));
  }
}

TEST_F(NarrowSums, KeepTheClassesOfTheirTerms) {
  const Number infinity = number_of(HUGE_VAL), minus_one = number_of(-1.0), zero{}, nan = number_of(std::nan(""));
  const auto bits = [](const Number& x, const Number& y, bool negate) {
    NarrowSum sum;
    add_term(sum, x, y, negate);
    return sum.range.flags;
  };
  TermClasses plus, minus, made, any;
  plus.plus = minus.minus = made.made_nan = any.any_nan = true;
  EXPECT_EQ(bits(infinity, infinity, false), plus.bits());
  EXPECT_EQ(bits(infinity, minus_one, false), minus.bits());
  EXPECT_EQ(bits(infinity, minus_one, true), plus.bits());
  EXPECT_EQ(bits(zero, infinity, false), made.bits());
  EXPECT_EQ(bits(zero, nan, true), any.bits());
  for (unsigned all = 0; all <= TermClasses::all_bits; ++all) EXPECT_EQ(TermClasses::of_bits(all).bits(), all);
}

}  // namespace
}  // namespace accublas::quad
