// Exact sums that arrive as digits (lib/numerics/long_accumulator.hpp).
#include "lib/numerics/long_accumulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "test/unit/random.hpp"

namespace {

using namespace accublas;
using accublas_test::pick;
using accublas_test::Random;

TEST(LongAccumulator, AddsDigits) {
  Random random(22);
  const auto number = [&] { return std::ldexp(pick(random, -1000, 1000), pick(random, -1070, 1000)); };
  for (int round = 0; round < 2000; ++round) {
    // The value of one accumulator in digits of another one's, from a digit below the lowest that is not zero.
    LongAccumulator part, sum, expected;
    for (int i = 0; i < 3; ++i) {
      const double x = number(), y = number();
      part.add_product(x, y);
      expected.add_product(x, y);
      const double z = number();
      sum.add(z);
      expected.add(z);
    }
    const Wide<LongAccumulator::limbs> value = part.value();
    std::vector<std::uint32_t> digits(5, 0);
    for (const std::uint64_t limb : value.limb) {
      digits.push_back(static_cast<std::uint32_t>(limb));
      digits.push_back(static_cast<std::uint32_t>(limb >> 32));
    }
    // Digits that only repeat the sign may be there, or missing.
    const std::uint32_t sign = static_cast<std::int32_t>(digits.back()) < 0 ? 0xFFFFFFFFu : 0;
    if (round % 3 == 0) digits.insert(digits.end(), 4, sign);
    if (round % 3 == 1)
      while (digits.size() > 8 && digits.back() == sign && (digits[digits.size() - 2] ^ sign) < 0x80000000u)
        digits.pop_back();
    std::size_t zeros = 0;
    if (round % 2 == 0)
      while (zeros + 8 < digits.size() && digits[zeros] == 0) ++zeros;
    sum.add_digits(digits.data() + zeros, static_cast<int>(digits.size() - zeros), static_cast<int>(zeros) - 5);
    const Wide<LongAccumulator::limbs> a = sum.value(), b = expected.value();
    ASSERT_TRUE(std::equal(a.limb, a.limb + LongAccumulator::limbs, b.limb)) << round;
  }
}

}  // namespace
