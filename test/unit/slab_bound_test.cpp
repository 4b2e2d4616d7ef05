// The bounds of products by slabs hold for sums that integers compute exactly.
#include "lib/numerics/slab_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "lib/numerics/capacity.hpp"

namespace accublas {
namespace {

/// Entries are integers times 2^-fraction, so that sums of their products are exact in 128 bits.
constexpr int fraction = 20;

TEST(SlabBound, CoversTheRoundingToIntegers) {
  std::mt19937_64 random(40);
  double largest = 0;
  for (int round = 0; round < 3000; ++round) {
    const int terms = 1 + static_cast<int>(random() % 512), bits = 1 + static_cast<int>(random() % 12);
    const bool same_sign = round % 3 == 0, halves = round % 5 == 0;
    const auto entry = [&]() -> std::int64_t {
      const std::int64_t size = std::int64_t{1} << (bits + fraction);
      std::int64_t x = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size));
      if (halves) x = (x >> fraction << fraction) + (std::int64_t{1} << (fraction - 1)) - 1;
      return same_sign || random() % 2 == 0 ? x : -x;
    };
    const auto nearest = [](std::int64_t x) { return std::llrint(std::ldexp(static_cast<double>(x), -fraction)); };
    __int128 difference = 0;
    double row = 0, col = 0;
    for (int p = 0; p < terms; ++p) {
      const std::int64_t x = entry(), y = entry();
      difference += static_cast<__int128>(x) * y;
      difference -= static_cast<__int128>(nearest(x)) * nearest(y) << (2 * fraction);
      row += std::ldexp(std::abs(static_cast<double>(x)), -fraction);
      col += std::ldexp(std::abs(static_cast<double>(y)), -fraction);
    }
    const auto above = [](double sum) { return std::nextafter(static_cast<float>(sum), INFINITY); };
    const double error = std::abs(std::ldexp(static_cast<double>(difference), -2 * fraction));
    const double bound = static_cast<double>(slab_error(above(row), above(col), terms));
    ASSERT_LE(error, bound) << "round " << round;
    largest = std::fmax(largest, error / bound);
  }
  EXPECT_GT(largest, 0.5) << "no error comes near the bound";
}

TEST(SlabBound, ZerosHaveNoError) {
  EXPECT_EQ(slab_error(0, 5, 128), 0);
  EXPECT_EQ(slab_error(5, 0, 128), 0);
  EXPECT_GT(slab_error(1, 1, 128), 0);
}

TEST(SlabBound, SumsStayWithinTheCapacity) {
  for (int moduli = least_slab_moduli; moduli <= max_moduli; ++moduli) {
    for (const int terms : {128, 256, 512}) {
      const int bits = slab_bits(int8_capacity(moduli), terms);
      EXPECT_LE(2 * bits + std::log2(terms), int8_capacity(moduli));
      EXPECT_GT(2 * (bits + 1) + std::log2(terms), int8_capacity(moduli) - 1e-5);
    }
  }
}

/// cuda/int8/convert_slabs.cu takes integers apart into at most three limbs, the top one up to 2^43.
TEST(SlabBound, IntegersFitInThreeLimbs) { EXPECT_LE(slab_bits(int8_capacity(most_slab_moduli), 128), 2 * 42 + 43); }

TEST(SlabBound, LeftOutTerms) {
  constexpr int none = 2 * no_term;
  EXPECT_TRUE(terms_matter(0, 0, 0));
  EXPECT_TRUE(terms_matter(-85, 0, 0));
  EXPECT_FALSE(terms_matter(-86, 0, 0));
  EXPECT_TRUE(terms_matter(-300, 0, -250)) << "an element may be small";
  EXPECT_TRUE(terms_matter(-135, 0, none)) << "no term shows how small an element may be";
  EXPECT_FALSE(terms_matter(none, none, none));
  EXPECT_EQ(left_out_bound(none, 1000), 0);
  EXPECT_EQ(left_out_bound(-10, 1024), 1);
  EXPECT_EQ(left_out_bound(1016 - 85, 1024), 0x1p941);
  EXPECT_EQ(left_out_bound(-990, 1024), 0x1p-980);
  EXPECT_GT(left_out_bound(-2000, 1), 0) << "a bound does not underflow";
  EXPECT_EQ(left_out_bound(2000, 1), infinite_bound);
}

}  // namespace
}  // namespace accublas
