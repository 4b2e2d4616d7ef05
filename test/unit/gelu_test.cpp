// GELU and its derivative, compared with their formulas in long double.
#include "lib/numerics/gelu.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace accublas {
namespace {

/// The bounds that lib/numerics/gelu.hpp states; long double has the exact values to 60 bits.
TEST(Gelu, HasItsBounds) {
  const auto t_of = [](long double x) {
    return 2 * sqrtl(2 / 3.14159265358979323846264338327950288L) * (x + 0.044715L * x * x * x);
  };
  for (double x = -12; x < 12; x += 0x1.23456789p-9) {
    const long double t = t_of(x), weight = 1 / (1 + expl(-t)), exact = x * weight;
    const long double slope = 2 * sqrtl(2 / 3.14159265358979323846264338327950288L) * (1 + 3 * 0.044715L * x * x);
    EXPECT_LE(fabsl(gelu(x) - exact), (7 + 4 * fabsl(t)) * 0x1p-53L * fabsl(exact)) << x;
    EXPECT_LE(fabsl(gelu_derivative(x) - (weight + x * weight * (1 - weight) * slope)), 0x1p-47L) << x;
  }
  constexpr double infinity = HUGE_VAL;
  EXPECT_EQ(gelu(infinity), infinity);
  EXPECT_EQ(gelu(-infinity), 0);
  EXPECT_EQ(gelu_derivative(infinity), 1);
  EXPECT_EQ(gelu_derivative(-infinity), 0);
  EXPECT_TRUE(std::isnan(gelu(NAN)) && std::isnan(gelu_derivative(NAN)));
  EXPECT_EQ(gelu(1e300), 1e300);
  EXPECT_EQ(gelu(-1e300), 0);
}

}  // namespace
}  // namespace accublas
