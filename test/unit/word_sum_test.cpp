// Tests of sums in words against exact sums: the error that they find on the way is a bound, and the words hold what
// strong cancellation leaves.
#include "lib/numerics/word_sum.hpp"

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

using Terms = std::vector<std::pair<double, double>>;

/// Returns the sign of an exact sum.
int sign_of(const ExactSum<double>& sum) {
  const auto value = sum.value();
  return wide_negative(value) ? -1 : wide_bit_length(value) != 0;
}

/// Expects the sum of the terms less that of some numbers to lie within `error` of zero.
template <class Numbers>
void expect_within(const Terms& terms, const Numbers& numbers, double error, const char* what) {
  for (const int end : {-1, 1}) {
    ExactSum<double> rest;
    for (const auto& [x, y] : terms) rest.add(x, y);
    for (const double number : numbers) rest.add(-1, number);
    rest.add(end, error);
    ASSERT_NE(sign_of(rest), -end) << what << " " << terms.size() << " terms, error " << std::hexfloat << error;
  }
}

class WordSums : public testing::Test {
 protected:
  std::mt19937_64 rng{39};

  int below(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }
  double mantissa() { return static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-63; }

  /// Returns terms that cancel in pairs up to the bits of the last ones: each level is some 2^-50 of the one before.
  Terms cancelling(int count, int levels, int exponent) {
    Terms terms;
    for (int level = 0; level < levels; ++level)
      for (int i = 0; i < count; ++i) {
        const double x = std::ldexp(mantissa(), exponent - 50 * level), y = below(4) ? mantissa() : 1;
        terms.emplace_back(x, y);
        if (level + 1 < levels) terms.emplace_back(-x, y);
      }
    std::shuffle(terms.begin(), terms.end(), rng);
    return terms;
  }

  /// Adds up the terms in `lanes` sums, as the lanes of a warp do, and expects the bound to hold.
  template <int words>
  TripleSum expect_bound(const Terms& terms, int lanes) {
    std::vector<WordSum<words>> sums(static_cast<std::size_t>(lanes));
    for (std::size_t i = 0; i < terms.size(); ++i) sums[i % sums.size()].step(terms[i].first, terms[i].second);
    for (std::size_t lane = 1; lane < sums.size(); ++lane) sums[0].add(sums[lane]);
    expect_within(terms, sums[0].word, sums[0].error, "words");
    const TripleSum leading = sums[0].leading();
    expect_within(terms, std::vector<double>{leading.a1, leading.a2, leading.a3}, leading.error, "leading words");
    return leading;
  }
};

TEST_F(WordSums, ErrorsAreBounds) {
  for (int i = 0; i < 3000; ++i) {
    const int exponent = i % 3 == 0 ? 0 : i % 3 == 1 ? -1040 + below(300) : 700;
    const Terms terms = cancelling(1 + below(20), 1 + below(i % 3 == 1 ? 3 : 9), exponent);
    const int lanes = 1 + below(8);
    expect_bound<3>(terms, lanes);
    expect_bound<4>(terms, lanes);
    expect_bound<6>(terms, lanes);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Four levels leave 2^-150 of the largest terms, and five 2^-200.
TEST_F(WordSums, SixWordsOutlastCancellation) {
  for (int i = 0; i < 1000; ++i) {
    const Terms terms = cancelling(1 + below(60), 2 + below(4), below(100));
    const TripleSum sum = expect_bound<6>(terms, 1 + below(32));
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_LE(sum.error, std::fabs(sum.a1) * 0x1p-70) << i;
  }
}

/// Sums that the words hold have no error, so that ties are decided; a sum that they do not hold has one.
TEST_F(WordSums, SumsOfFewBitsAreExact) {
  for (int i = 0; i < 1000; ++i) {
    const int apart = 12 + below(20);
    Terms terms;
    for (int level = 0; level < 5; ++level) terms.emplace_back(std::ldexp(1 + below(1 << 10), -apart * level), 1);
    terms.emplace_back(-1024, 3);
    EXPECT_EQ(expect_bound<6>(terms, 1 + below(4)).error, 0);
  }
  Terms wide;
  for (int level = 0; level < 8; ++level) wide.emplace_back(std::ldexp(1, -60 * level), 1);
  EXPECT_GT(expect_bound<3>(wide, 1).error, 0);
  EXPECT_GT(expect_bound<6>(wide, 1).error, 0);
}

TEST_F(WordSums, ZerosAndUnderflow) {
  EXPECT_EQ(expect_bound<6>({{0, 1}, {-0.0, 0x1p1000}, {1, 0x1p-1074}, {-1, 0x1p-1074}}, 1).a1, 0);
  // The products are 2^-1200, which is no double.
  const Terms tiny(5, {0x1p-600, 0x1p-600});
  const TripleSum sum = expect_bound<6>(tiny, 1);
  EXPECT_GT(sum.error, 0);
  EXPECT_LE(sum.error, 0x1p-1068);
}

/// Overflow and special values leave a sum that is not known.
TEST_F(WordSums, SpecialValues) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [x, y] : Terms{{0x1p1000, 0x1p1000}, {inf, 1}, {inf, 0}, {nan, 1}}) {
    WordSum<6> sum;
    sum.step(3, 4);
    sum.step(x, y);
    sum.step(1, 1);
    EXPECT_FALSE(triple_known(sum.leading())) << x << " " << y;
  }
}

}  // namespace
}  // namespace accublas
