// Bounds of eigenpairs that LAPACK never returns when all goes well, and orders that its integers do not hold.
#include "lib/certified/eigenpairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/cpu/eigensystem.hpp"
#include "lib/cpu/real_blas.hpp"
#include "lib/runtime/context.hpp"

namespace accublas::certified {
namespace {

/// Bounds the pairs of the matrix diag(first, second), whose vectors are exact, with the numbers D = (d, e).
EigenBounds bounds_of_diagonal(double first, double second, double d, double e) {
  Context context;
  const Calls calls(context, nullptr);
  const HermitianMatrix a{2, false, numbers_at(calls, 2, 2)};
  const Eigenpairs pairs{numbers_at(calls, 2, 2), {}, Array(2), Array(2)};
  const double matrix[4] = {first, 0, 0, second}, x[4] = {1, 0, 0, 1};
  std::copy_n(matrix, 4, a.a.data());
  std::copy_n(x, 4, pairs.x.data());
  pairs.d[0] = d, pairs.d[1] = e;
  pairs.d_low[0] = pairs.d_low[1] = 0;
  return bound_eigenpairs(a, pairs, calls);
}

TEST(Eigenpairs, OnlyAscendingNumbersHaveBounds) {
  const EigenBounds good = bounds_of_diagonal(0.5, 0.75, 0.5, 0.75);
  EXPECT_LE(good.residual, 1e-30);
  EXPECT_EQ(good.cluster, (std::vector<Index>{0, 1}));
  EXPECT_LE(bounds_of_diagonal(0.5, 0.75, 0.625, 0.625).residual, 0.2);
  // AX = XD, but the smallest eigenvalue is not near the first number.
  EXPECT_EQ(bounds_of_diagonal(0.75, 0.5, 0.75, 0.5).residual, HUGE_VAL);
  EXPECT_EQ(bounds_of_diagonal(0.5, 0.75, std::nan(""), 0.75).residual, HUGE_VAL);
  EXPECT_EQ(bounds_of_diagonal(0.5, 0.75, 0.5, std::nan("")).residual, HUGE_VAL);
}

/// The matrix is not touched.
TEST(Eigenpairs, OrdersBeyondLapacksIntegers) {
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
