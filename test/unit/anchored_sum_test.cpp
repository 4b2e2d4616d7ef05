// Tests of sums around anchors against exact sums: the bound of their errors holds, also at the limits of an anchor's
// range, and the errors come near it.
#include "lib/numerics/anchored_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "lib/numerics/exact_sum.hpp"

namespace accublas {
namespace {

using SummedNumbers = std::vector<double>;

double sum_of_magnitudes(const SummedNumbers& numbers) {
  double size = 0;
  for (const double x : numbers) size += std::fabs(x);
  return size * (1 + 0x1p-30);  // with the roundings
}

/// Returns whether a sum around the least anchor for `bound` is within `share` of the bound of its error.
bool is_within(const SummedNumbers& numbers, double bound, double share) {
  const double anchor = std::ldexp(1.5, std::ilogb(bound) + 2);
  AnchoredSum around = AnchoredSum::from(numbers[0], anchor);
  ExactSum<double> exact;
  exact.add(1, numbers[0]);
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    around.add(numbers[i]);
    exact.add(1, numbers[i]);
  }
  const DoublePair found = around.sum(anchor);
  const double error = share * anchored_error(anchor, static_cast<int>(numbers.size()) - 1);
  for (const int end : {-1, 1}) {
    ExactSum<double> rest = exact;
    for (const double part : {found.high, found.low}) rest.add(-1, part);
    rest.add(end, error);
    const auto value = rest.value();
    const int sign = wide_negative(value) ? -1 : wide_bit_length(value) != 0;
    if (sign == -end) return false;
  }
  return true;
}

class AnchoredSums : public testing::Test {
 protected:
  std::mt19937_64 rng{66};
  double mantissa() { return static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-63; }
  int below(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }
};

TEST_F(AnchoredSums, AreWithinTheirBound) {
  for (int trial = 0; trial < 20000; ++trial) {
    const int exponent = trial % 4 == 0 ? below(1700) - 800 : 0;
    const int count = trial % 50 == 0 ? 512 : below(40), spread = trial % 3 == 0 ? 100 : 2;
    SummedNumbers numbers = {std::ldexp(mantissa(), exponent)};
    for (int i = 0; i < count; ++i) {
      numbers.push_back(std::ldexp(mantissa(), exponent - below(spread)));
      if (below(5) == 0) numbers.back() = std::ldexp(static_cast<double>(1 + below(3)), exponent - 53 - below(spread));
      if (below(3) == 0) numbers.push_back(-numbers.back());
    }
    ASSERT_TRUE(is_within(numbers, sum_of_magnitudes(numbers), 1)) << trial;
    ASSERT_TRUE(is_within(numbers, sum_of_magnitudes(numbers) * 1000, 1)) << trial;
  }
}

/// Terms of one sign take the sum to the end of the anchor's range: their magnitudes have a sum just below a power of
/// two.
TEST_F(AnchoredSums, ReachTheEndOfTheirRange) {
  for (const double sign : {-1.0, 1.0})
    for (int trial = 0; trial < 2000; ++trial) {
      SummedNumbers numbers = {0};
      const int count = 1 + below(64);
      for (int i = 0; i < count; ++i) numbers.push_back(sign * (std::fabs(mantissa()) + 0.5));
      const double by = (1 - 0x1p-19) * 0x1p10 / sum_of_magnitudes(numbers);
      for (double& x : numbers) x *= by;
      ASSERT_TRUE(is_within(numbers, sum_of_magnitudes(numbers), 1)) << trial;
    }
}

/// The bound is not far above the errors that occur: a hundredth of it does not hold.
TEST_F(AnchoredSums, BoundIsNearTheErrors) {
  int beyond = 0;
  for (int trial = 0; trial < 200; ++trial) {
    SummedNumbers numbers;
    for (int i = 0; i < 9; ++i) numbers.push_back(std::ldexp(mantissa(), -below(110)));
    beyond += !is_within(numbers, sum_of_magnitudes(numbers), 0.01);
  }
  EXPECT_GT(beyond, 20);
}

}  // namespace
}  // namespace accublas
