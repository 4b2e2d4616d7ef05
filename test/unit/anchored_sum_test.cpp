// Tests of sums around anchors against exact sums: the bound of their errors holds, also at the limits of an anchor's
// range, and the error comes near a term's share of the bound.
#include "lib/numerics/anchored_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "lib/numerics/exact_sum.hpp"

namespace accublas {
namespace {

/// A number and products; a product by 1 is a number.
struct SummedTerms {
  double first;
  std::vector<std::pair<double, double>> products;

  double magnitude() const {
    double size = std::fabs(first);
    for (const auto& [x, y] : products) size += std::fabs(x * y);
    return size;
  }
};

/// Returns whether a sum around the anchor of `bound` is within `share` of the bound of its error.
bool is_within(const SummedTerms& sum, double bound, double share) {
  const Anchor anchor = Anchor::above(bound);
  AnchoredSum around = AnchoredSum::from(sum.first, anchor.value());
  ExactSum<double> exact;
  exact.add(1, sum.first);
  for (const auto& [x, y] : sum.products) {
    y == 1 ? around.add(x) : around.step(x, y);
    exact.add(x, y);
  }
  const DoublePair found = around.sum(anchor.value());
  const double error = share * anchored_error(anchor.value(), static_cast<int>(sum.products.size()));
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
    const int exponent = trial % 4 == 0 ? below(1900) - 1000 : trial % 4 == 1 ? -1000 - below(70) : 0;
    const int count = trial % 50 == 0 ? 512 : below(40), spread = trial % 3 == 0 ? 60 : 2;
    SummedTerms sum{std::ldexp(mantissa(), exponent), {}};
    for (int i = 0; i < count; ++i) {
      const int of_x = exponent / 2 - below(spread), of_y = exponent - exponent / 2 - below(spread);
      double x = std::ldexp(mantissa(), of_x), y = std::ldexp(mantissa(), of_y);
      if (below(4) == 0) x *= y, y = 1;
      if (below(5) == 0) x = std::ldexp(1, of_x), y = std::ldexp(static_cast<double>(1 + below(3)), of_y - 53);
      sum.products.emplace_back(x, y);
      if (below(3) == 0 && i + 1 < count) sum.products.emplace_back(-x, y), ++i;
    }
    ASSERT_TRUE(is_within(sum, sum.magnitude(), 1)) << trial;
    ASSERT_TRUE(is_within(sum, sum.magnitude() * 1000, 1)) << trial;
  }
}

/// Terms of one sign take the sum to the end of the anchor's range: their magnitudes have a sum just below a power of
/// two, which an anchor is chosen for.
TEST_F(AnchoredSums, ReachTheEndOfTheirRange) {
  for (const double sign : {-1.0, 1.0})
    for (int trial = 0; trial < 2000; ++trial) {
      const int count = 1 + below(64);
      const double edge = (1 - std::ldexp(1, -19)) * 0x1p10;
      SummedTerms sum{0, {}};
      for (int i = 0; i < count; ++i)
        sum.products.emplace_back(std::fabs(mantissa()) + 0.5, sign * (1 + mantissa() / 4));
      const double by = edge / sum.magnitude();
      for (auto& [x, y] : sum.products) x *= by;
      ASSERT_TRUE(is_within(sum, sum.magnitude(), 1)) << trial;
    }
}

/// The bound is not far above the errors that occur: a hundredth of it does not hold.
TEST_F(AnchoredSums, BoundIsNearTheErrors) {
  int beyond = 0;
  for (int trial = 0; trial < 200; ++trial) {
    SummedTerms sum{mantissa(), {}};
    for (int i = 0; i < 8; ++i) sum.products.emplace_back(mantissa(), mantissa());
    beyond += !is_within(sum, sum.magnitude(), 0.01);
  }
  EXPECT_GT(beyond, 20);
}

TEST_F(AnchoredSums, AnchorsOfUnusualBounds) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bound : {inf, nan, -nan, 0x1p1020, std::numeric_limits<double>::max()})
    EXPECT_TRUE(std::isnan(Anchor::above(bound).value())) << bound;
  for (const double bound : {0.0, 0x1p-1074, 0x1p-1000}) EXPECT_EQ(Anchor::above(bound).value(), 0x1.8p-900) << bound;
  EXPECT_EQ(Anchor::above(1).value(), 0x1.8p2);
  EXPECT_EQ(Anchor::above(std::nextafter(1.0, 0.0)).value(), 0x1.8p2) << "the bound may be off by 2^-30";
  EXPECT_EQ(Anchor::above(0.99).value(), 0x1.8p1);
  EXPECT_EQ(Anchor::above(0x1p1018).value(), 0x1.8p1020);
  // Sums of zeros are exact.
  AnchoredSum zeros = AnchoredSum::from(-0x1.23456789abcdep-70, Anchor::above(5).value());
  for (int i = 0; i < 9; ++i) zeros.step(i, 0);
  const DoublePair found = zeros.sum(Anchor::above(5).value());
  EXPECT_EQ(found.high + found.low, -0x1.23456789abcdep-70);
}

}  // namespace
}  // namespace accublas
