// Bounds of eigenpairs that LAPACK never returns when all goes well, and orders that its integers do not hold.
#include "lib/certified/eigenpairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/cpu/eigensystem.hpp"
#include "lib/cpu/real_blas.hpp"
#include "lib/runtime/context.hpp"

namespace accublas::certified {
namespace {

struct Eigenpairs : testing::Test {
  Context context;
  const Calls calls{context, nullptr};  // bounds hold memory of its place

  /// Bounds the pairs of the matrix diag(first, second), whose vectors are exact, with the numbers D = (d, e).
  EigenBounds bounds_of_diagonal(double first, double second, double d, double e) const {
    const HermitianMatrix a{2, false, numbers_at(calls, 2, 2)};
    const certified::Eigenpairs pairs{numbers_at(calls, 2, 2), {}, Array(2), Array(2)};
    const double matrix[4] = {first, 0, 0, second}, x[4] = {1, 0, 0, 1};
    std::copy_n(matrix, 4, a.a.data());
    std::copy_n(x, 4, pairs.x.data());
    pairs.d[0] = d, pairs.d[1] = e;
    pairs.d_low[0] = pairs.d_low[1] = 0;
    return bound_eigenpairs(a, pairs, calls);
  }
};

TEST_F(Eigenpairs, OnlyAscendingNumbersHaveBounds) {
  const EigenBounds good = bounds_of_diagonal(0.5, 0.75, 0.5, 0.75);
  EXPECT_LE(good.residual, 1e-30);
  EXPECT_EQ(good.cluster, (std::vector<Index>{0, 1}));
  EXPECT_LE(bounds_of_diagonal(0.5, 0.75, 0.625, 0.625).residual, 0.2);
  // AX = XD, but the smallest eigenvalue is not near the first number.
  EXPECT_EQ(bounds_of_diagonal(0.75, 0.5, 0.75, 0.5).residual, HUGE_VAL);
  EXPECT_EQ(bounds_of_diagonal(0.5, 0.75, std::nan(""), 0.75).residual, HUGE_VAL);
  EXPECT_EQ(bounds_of_diagonal(0.5, 0.75, 0.5, std::nan("")).residual, HUGE_VAL);
}

/// Bounds of norms hold and are tight, for columns of any length, of wide exponents, of zeros and of numbers that are
/// not finite, also if they are computed from the bounds of parts, as on a GPU.
TEST_F(Eigenpairs, NormsOfColumns) {
  std::mt19937_64 random(3);
  for (const Index rows : {1, 2, 31, 32, 33, 100, 1000})
    for (const int range : {0, 40, 1000}) {
      std::vector<double> x;
      for (Index i = 0; i < rows; ++i)
        x.push_back(std::ldexp(static_cast<double>(random() >> 11), -53 - static_cast<int>(random() % (range + 1))));
      double parts[32];
      for (Index lane = 0; lane < 32; ++lane)
        parts[lane] = norm_up((rows - lane + 31) / 32, EveryNumber{x.data() + lane, 32});
      long double sum = 0;
      for (const double number : x) sum += static_cast<long double>(number) * number;
      const long double exact = std::sqrt(sum);
      for (const double norm : {norm_up(rows, x.data()), norm_up(32, parts)}) {
        EXPECT_GE(norm, exact * (1 - 0x1p-60L)) << rows;
        EXPECT_LE(norm, exact * (1 + 0x1p-40L)) << rows;
      }
      const auto change = static_cast<std::size_t>(random() % static_cast<std::uint64_t>(rows));
      for (const double special : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        x[change] = special;
        EXPECT_EQ(norm_up(rows, x.data()), HUGE_VAL);
      }
      std::fill(x.begin(), x.end(), 0.0);
      EXPECT_EQ(norm_up(rows, x.data()), 0);
      x[change] = 0x1p-1074;
      EXPECT_GE(norm_up(rows, x.data()), 0x1p-1074);
      EXPECT_LE(norm_up(rows, x.data()), 0x1p-1070);
    }
}

/// The matrix is not touched.
TEST(EigenpairsOfLapack, OrdersBeyondItsIntegers) {
  const auto fits = [](Index n) { return 1 + 6 * n + 2 * n * n <= std::numeric_limits<std::int32_t>::max(); };
  EXPECT_TRUE(fits(cpu::most_eigensystem(true)));
  EXPECT_FALSE(fits(cpu::most_eigensystem(true) + 1));
  const Index most = cpu::most_eigensystem(cpu::real_blas().narrow_integers);
  try {
    cpu::eigensystem(most + 1, static_cast<double*>(nullptr), nullptr);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ACCUBLAS_ERROR_UNAVAILABLE) << error.what();
  }
}

}  // namespace
}  // namespace accublas::certified
