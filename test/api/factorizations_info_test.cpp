// The info of factorizations: zero pivots, NaN, and matrices whose zeros are decided exactly.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "lapack.hpp"

using namespace lapack;

namespace {

TEST(Factorizations, Info) {
  for (const char* mode : those_here({"native", "dp", "cr", "dp:repro"})) {
    api::Context context(mode);
    std::int64_t info = 0, pivots[3];
    // The leading minor of order 2 is zero.
    std::vector<double> a = {1, 2, 3, 2, 4, 5, 3, 5, 9}, b = {1, 2, 3};
    EXPECT_EQ(accublas_dposv(context, columns, ACCUBLAS_LOWER, 3, 1, a.data(), 3, b.data(), 3, &info),
              ACCUBLAS_SUCCESS);
    EXPECT_EQ(info, 2) << mode;
    EXPECT_EQ(b, (std::vector<double>{1, 2, 3})) << mode;
    if (std::string(mode) == "cr") {
      EXPECT_EQ(a, (std::vector<double>{1, 2, 3, 2, 4, 5, 3, 5, 9}));
    }
    std::vector<double> singular = {0, 0, 0, 1, 2, 3, 2, 4, 7};
    EXPECT_EQ(accublas_dgesv(context, columns, 3, 1, singular.data(), 3, pivots, b.data(), 3, &info), ACCUBLAS_SUCCESS);
    EXPECT_EQ(info, 1) << mode;
    EXPECT_EQ(b, (std::vector<double>{1, 2, 3})) << mode;
  }
}

/// An n x n matrix with zeros of one pattern, by columns: one of many small integers or of others, its diagonal
/// dominant.
std::vector<double> structured(const std::string& pattern, std::int64_t n, int parts) {
  std::vector<double> a = numbers(n * n * parts, 7);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t distance = std::abs(i - j);
      double* const x = &a[static_cast<std::size_t>((i + j * n) * parts)];
      bool held = false, ones = false;
      if (pattern == "identity") held = i == j, ones = true;
      if (pattern == "exchange") held = i + j == n - 1, ones = true;
      if (pattern == "tridiagonal") held = distance <= 1, ones = true;
      if (pattern == "poisson")
        held = distance == 0 || distance == 16 || (distance == 1 && (i + j) % 32 != 31), ones = true;
      if (pattern == "ones") held = ones = true;
      if (pattern == "band 5") held = distance <= 5;
      if (pattern == "band 20") held = distance <= 20;
      if (pattern == "blocks") held = i / 20 == j / 20;
      if (pattern == "arrow") held = i == j || i == n - 1 || j == n - 1;
      if (pattern == "scattered") held = i == j || (i * 7 + j * 13) % 29 == 0;
      if (pattern == "even columns") held = (i + j) % 2 == 0;
      for (int part = 0; part < parts; ++part) {
        // Every other zero is negative.
        if (!held) x[part] = i % 2 == 0 ? 0.0 : -0.0;
        if (held && ones)
          x[part] = part == 1                                                             ? 0
                    : i == j && pattern != "identity" && pattern != "ones"                ? 4
                    : pattern == "ones" || pattern == "identity" || pattern == "exchange" ? 1
                                                                                          : -1;
      }
      if (held && !ones && i == j) x[0] = 12;
    }
  return a;
}

/// "A sum whose terms are all zero is decided": LU, Cholesky's factorization, solutions and inverses of structured
/// matrices leave next to no element to exact sums, which are ten times slower.
TEST(Factorizations, ZerosAreDecided) {
  constexpr std::int64_t n = 100, few = n * n / 100;  // no solution decays below 2^-200
  const auto undecided = [&]<class E>(E, const std::string& pattern, const char* mode, bool complex, auto getrf,
                                      auto potrf, auto trsm, auto getri) {
    const std::vector<double> numbers_of_a = structured(pattern, n, complex ? 2 : 1),
                              numbers_of_b = structured("band 5", n, complex ? 2 : 1);
    const std::vector<E> given(numbers_of_a.begin(), numbers_of_a.end()),
        sides(numbers_of_b.begin(), numbers_of_b.end());
    std::vector<E> a = given, b = sides;
    std::vector<std::int64_t> pivots(n);
    std::int64_t info = 0;
    const E one[2] = {1, 0};
    api::Context context(mode);
    const auto expect_few = [&](accublas_status status, const char* routine) {
      EXPECT_EQ(status, ACCUBLAS_SUCCESS) << context.error();
      EXPECT_LE(context.report().undecided, few) << routine << " " << pattern << " " << sizeof(E) << " " << complex;
    };
    expect_few(getrf(context, columns, n, n, a.data(), n, pivots.data(), &info), "getrf");
    if (info == 0) {
      expect_few(trsm(context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, n, n, one,
                      a.data(), n, b.data(), n),
                 "trsm");
      b = sides;
      expect_few(trsm(context, columns, ACCUBLAS_RIGHT, ACCUBLAS_LOWER, ACCUBLAS_TRANS, ACCUBLAS_UNIT, n, n, one,
                      a.data(), n, b.data(), n),
                 "trsm");
      expect_few(getri(context, columns, n, a.data(), n, pivots.data(), &info), "getri");
    }
    a = given;
    expect_few(potrf(context, columns, ACCUBLAS_LOWER, n, a.data(), n, &info), "potrf");
    a = given;
    expect_few(potrf(context, rows, ACCUBLAS_LOWER, n, a.data(), n, &info), "potrf");
  };
  for (const char* pattern : {"identity", "exchange", "tridiagonal", "poisson", "ones", "band 5", "band 20", "blocks",
                              "arrow", "scattered", "even columns"}) {
    undecided(double(), pattern, "cr", false, accublas_dgetrf, accublas_dpotrf, accublas_dtrsm, accublas_dgetri);
    undecided(float(), pattern, "cr", false, accublas_sgetrf, accublas_spotrf, accublas_strsm, accublas_sgetri);
    undecided(double(), pattern, "dp:repro", true, accublas_zgetrf, accublas_zpotrf, accublas_ztrsm, accublas_zgetri);
    undecided(float(), pattern, "cr", true, accublas_cgetrf, accublas_cpotrf, accublas_ctrsm, accublas_cgetri);
  }
}

/// info by its definition (docs/factorizations.md), of small matrices full of zeros and NaN, whatever the real LAPACK
/// makes of them: the first pivot that is not positive, the first zero on a diagonal.
TEST(Factorizations, InfoOfZerosAndNaN) {
  const char* const text = std::getenv("ACCUBLAS_TEST_SCALE");
  const int cases = static_cast<int>(2000 * (text ? std::max(std::atof(text), 1.0) : 1));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* mode : those_here({"native", "dp", "cr", "dp:repro"})) {
    api::Context context(mode);
    std::mt19937_64 random(5);
    for (int number = 0; number < cases / (std::string(mode) == "cr" ? 4 : 1); ++number) {
      const std::int64_t n = 1 + static_cast<std::int64_t>(random() % 6),
                         m = n + static_cast<std::int64_t>(random() % 3);
      const int zeros = number % 3 * 20, nans = number % 2 * 5;
      std::vector<double> a(static_cast<std::size_t>(m * n));
      for (double& x : a) {
        const int r = static_cast<int>(random() % 100);
        x = r < zeros ? 0 : r < zeros + nans ? nan : static_cast<double>(r % 9) - 4;
      }
      const auto at = [m](std::vector<double>& x, std::int64_t i) -> double& {
        return x[static_cast<std::size_t>(i + i * m)];
      };
      const auto first_zero = [&](std::vector<double>& x) {
        for (std::int64_t i = 0; i < n; ++i)
          if (at(x, i) == 0) return i + 1;
        return std::int64_t{0};
      };
      std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
      std::vector<double> x = a, b(static_cast<std::size_t>(m), 1);
      std::int64_t info = -1;
      SCOPED_TRACE(std::string(mode) + " case " + std::to_string(number));
      ASSERT_EQ(accublas_dgetrf(context, columns, m, n, x.data(), m, pivots.data(), &info), ACCUBLAS_SUCCESS);
      ASSERT_EQ(info, first_zero(x));
      x = a;
      ASSERT_EQ(accublas_dgesv(context, columns, n, 1, x.data(), m, pivots.data(), b.data(), m, &info),
                ACCUBLAS_SUCCESS);
      ASSERT_EQ(info, first_zero(x));
      if (info > 0) {
        ASSERT_EQ(b, std::vector<double>(static_cast<std::size_t>(m), 1));
      }
      for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
        x = a;
        ASSERT_EQ(accublas_dtrtri(context, columns, uplo, ACCUBLAS_NON_UNIT, n, x.data(), m, &info), ACCUBLAS_SUCCESS);
        ASSERT_EQ(info, first_zero(a));
        if (info > 0) {
          ASSERT_TRUE(api::same_bits(x, a));
        }
        x = a;
        ASSERT_EQ(accublas_dpotri(context, columns, uplo, n, x.data(), m, &info), ACCUBLAS_SUCCESS);
        ASSERT_EQ(info, first_zero(a));
        // A diagonal of positive numbers, zeros and NaN, and nothing beside it: the pivots are its elements.
        x.assign(a.size(), 0);
        std::int64_t expected = 0;
        for (std::int64_t i = n - 1; i >= 0; --i) {
          at(x, i) = std::fabs(at(a, i));
          if (!(at(x, i) > 0)) expected = i + 1;
        }
        std::vector<double> solved = x;
        ASSERT_EQ(accublas_dpotrf(context, columns, uplo, n, x.data(), m, &info), ACCUBLAS_SUCCESS);
        ASSERT_EQ(info, expected);
        b.assign(b.size(), 1);
        ASSERT_EQ(accublas_dposv(context, columns, uplo, n, 1, solved.data(), m, b.data(), m, &info), ACCUBLAS_SUCCESS);
        ASSERT_EQ(info, expected);
        if (info > 0) {
          ASSERT_EQ(b, std::vector<double>(static_cast<std::size_t>(m), 1));
        }
      }
      for (std::int64_t i = 0; i < n; ++i) pivots[static_cast<std::size_t>(i)] = i + 1;
      x = a;
      ASSERT_EQ(accublas_dgetri(context, columns, n, x.data(), m, pivots.data(), &info), ACCUBLAS_SUCCESS);
      ASSERT_EQ(info, first_zero(a));
      x = a;
      const bool zero = std::all_of(a.begin(), a.end(), [](double element) { return element == 0; });
      ASSERT_EQ(accublas_dgels(context, columns, ACCUBLAS_NO_TRANS, m, n, 1, x.data(), m, b.data(), m, &info),
                ACCUBLAS_SUCCESS);
      ASSERT_EQ(info, zero ? 0 : first_zero(x));
    }
  }
}

}  // namespace
