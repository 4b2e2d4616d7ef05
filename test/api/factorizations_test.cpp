// LAPACK's factorizations and the solutions by them: every bad argument by its name, modes that they lack, what no
// blocking, thread or layout changes, and the backward errors that docs/factorizations.md proves. Their values are the
// oracle's affair.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "lapack.hpp"

using namespace lapack;

namespace {

/// Symmetric and positive definite: its diagonal dominates. Both triangles of a Hermitian matrix for parts = 2.
std::vector<double> definite(std::int64_t n, int parts = 1) {
  std::vector<double> a = numbers(n * n * parts);
  const auto at = [&](std::int64_t i, std::int64_t j) { return &a[static_cast<std::size_t>((i + j * n) * parts)]; };
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i <= j; ++i) {
      at(j, i)[0] = at(i, j)[0];
      if (parts == 2) at(j, i)[1] = -at(i, j)[1];
      if (i == j) at(i, i)[0] = static_cast<double>(n);
      if (i == j && parts == 2) at(i, i)[1] = 0;
    }
  return a;
}

TEST(Factorizations, BadArguments) {
  api::Context context;
  std::vector<double> a = numbers(64), b = numbers(64, 2);
  const std::vector<double> a_before = a, b_before = b;
  std::int64_t pivots[8] = {1, 2, 3}, info = 7;
  const auto bad = [&](accublas_status status, const char* name) {
    EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT) << name;
    EXPECT_NE(context.error().find(std::string("argument ") + name + " "), std::string::npos) << context.error();
    EXPECT_EQ(a, a_before) << name;
    EXPECT_EQ(b, b_before) << name;
    EXPECT_EQ(info, 7) << name;
  };
  double *const pa = a.data(), *const pb = b.data();
  for (const accublas_layout layout : {columns, rows}) {
    bad(accublas_dpotrf(context, layout, 120, 3, pa, 3, &info), "uplo");
    bad(accublas_dpotrf(context, layout, ACCUBLAS_UPPER, -1, pa, 3, &info), "n");
    bad(accublas_dpotrf(context, layout, ACCUBLAS_UPPER, 3, pa, 2, &info), "lda");
    bad(accublas_dpotrf(context, layout, ACCUBLAS_UPPER, 3, pa, 3, nullptr), "info");
    bad(accublas_dpotrs(context, layout, ACCUBLAS_UPPER, 3, -1, pa, 3, pb, 3), "nrhs");
    bad(accublas_dpotrs(context, layout, ACCUBLAS_UPPER, 3, 4, pa, 3, pb, 2), "ldb");
    bad(accublas_dposv(context, layout, 0, 3, 1, pa, 3, pb, 3, &info), "uplo");
    bad(accublas_dposv(context, layout, ACCUBLAS_LOWER, 3, 4, pa, 3, pb, 2, &info), "ldb");
    bad(accublas_dgetrf(context, layout, -1, 3, pa, 3, pivots, &info), "m");
    bad(accublas_dgetrf(context, layout, 3, -1, pa, 3, pivots, &info), "n");
    bad(accublas_dgetrf(context, layout, 3, 3, pa, 2, pivots, &info), "lda");
    bad(accublas_dgetrs(context, layout, 110, 3, 1, pa, 3, pivots, pb, 3), "trans");
    bad(accublas_dgetrs(context, layout, ACCUBLAS_TRANS, 3, 4, pa, 3, pivots, pb, 2), "ldb");
    bad(accublas_dgesv(context, layout, 3, -1, pa, 3, pivots, pb, 3, &info), "nrhs");
  }
  bad(accublas_dpotrf(context, 100, ACCUBLAS_UPPER, 3, pa, 3, &info), "layout");
  bad(accublas_dpotrf(context, columns, ACCUBLAS_UPPER, 3, nullptr, 3, &info), "a");
  bad(accublas_dgetrf(context, columns, 3, 3, pa, 3, nullptr, &info), "ipiv");
  bad(accublas_dgesv(context, columns, 3, 1, pa, 3, pivots, nullptr, 3, &info), "b");
}

/// Rows that the matrix lacks are refused before anything is exchanged, in every mode.
TEST(Factorizations, PivotsOutsideOfTheMatrix) {
  api::Context context;
  for (const char* mode : those_here({"native", "dp", "cr"})) {
    context.set(mode);
    for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{4}, std::int64_t{1} << 40}) {
      const std::vector<double> lu = {2, 0.5, 0.5, 1, 3, 0.5, 1, 1, 4};
      std::vector<double> a = lu, b = {1, 2, 3};
      const std::int64_t pivots[3] = {1, bad, 3};
      for (const accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS})
        EXPECT_EQ(accublas_dgetrs(context, columns, trans, 3, 1, lu.data(), 3, pivots, b.data(), 3),
                  ACCUBLAS_ERROR_ARGUMENT)
            << mode << " " << bad;
      EXPECT_EQ(context.error(), "argument ipiv must be rows from 1 to 3");
      EXPECT_EQ(b, (std::vector<double>{1, 2, 3}));
      std::int64_t info = 0;
      EXPECT_EQ(accublas_dgetri(context, columns, 3, a.data(), 3, pivots, &info), ACCUBLAS_ERROR_ARGUMENT);
      EXPECT_EQ(a, lu);
    }
  }
}

TEST(Factorizations, ModesThatTheyLack) {
  api::Context context;
  std::vector<double> a = definite(4);
  const std::vector<double> before = a;
  std::int64_t info = 0;
  for (const char* mode : {"dot2", "fixed:60", "slices:8", "tf64x3"}) {
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.mode_name = mode;
    EXPECT_EQ(accublas_dpotrf_ex(context, columns, ACCUBLAS_LOWER, 4, a.data(), 4, &info, &options),
              ACCUBLAS_ERROR_MODE)
        << mode;
    EXPECT_NE(context.error().find("dp:repro, cr"), std::string::npos) << context.error();
    EXPECT_EQ(a, before);
  }
}

TEST(Factorizations, NothingToDo) {
  api::Context context;
  std::int64_t info = 7;
  for (const char* mode : those_here({"native", "dp", "cr"})) {
    context.set(mode);
    info = 7;
    EXPECT_EQ(accublas_dpotrf(context, columns, ACCUBLAS_LOWER, 0, nullptr, 1, &info), ACCUBLAS_SUCCESS) << mode;
    EXPECT_EQ(info, 0);
    EXPECT_EQ(accublas_zgetrf(context, rows, 0, 5, nullptr, 5, nullptr, &info), ACCUBLAS_SUCCESS) << mode;
    EXPECT_EQ(accublas_dgesv(context, columns, 0, 3, nullptr, 1, nullptr, nullptr, 1, &info), ACCUBLAS_SUCCESS);
    // Without right-hand sides the matrix is factored all the same.
    std::vector<double> a = {4, 2, 2, 5};
    EXPECT_EQ(accublas_dposv(context, columns, ACCUBLAS_LOWER, 2, 0, a.data(), 2, nullptr, 2, &info), ACCUBLAS_SUCCESS);
    EXPECT_EQ(a, (std::vector<double>{2, 1, 2, 2})) << mode;
  }
}

/// cr of orders beyond a block under threads and workspaces, the least among them.
TEST(Factorizations, BitsDoNotDependOnBlocks) {
  constexpr std::int64_t n = 150, m = 170;
  struct Way {
    int threads;
    std::int64_t workspace;
    const char* mode;
  };
  const auto all = [&](const Way& way) {
    api::Context context(way.mode);
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.num_threads = way.threads;
    options.workspace_bytes = way.workspace;
    std::vector<std::vector<double>> results;
    std::int64_t info = 0, pivots[n];
    for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
      results.push_back(definite(n));
      EXPECT_EQ(accublas_dpotrf_ex(context, columns, uplo, n, results.back().data(), n, &info, &options), 0);
      EXPECT_EQ(info, 0);
      results.push_back(definite(n, 2));
      EXPECT_EQ(accublas_zpotrf_ex(context, columns, uplo, n, results.back().data(), n, &info, &options), 0);
    }
    results.push_back(numbers(m * n));
    EXPECT_EQ(accublas_dgetrf_ex(context, columns, m, n, results.back().data(), m, pivots, &info, &options), 0)
        << context.error();
    results.emplace_back(pivots, pivots + n);
    results.push_back(numbers(2 * m * n));
    EXPECT_EQ(accublas_zgetrf_ex(context, rows, n, m, results.back().data(), m, pivots, &info, &options), 0)
        << context.error();
    results.emplace_back(pivots, pivots + n);
    return results;
  };
  const auto want = all({1, -1, "cr"});
  for (const Way& way : {Way{2, -1, "cr"}, Way{5, -1, "cr"}, Way{1, 1 << 20, "cr"}, Way{3, 400000, "dp:repro"}})
    EXPECT_TRUE(all(way) == want) << way.threads << " threads, " << way.workspace << " bytes";
}

TEST(Factorizations, LayoutsAgree) {
  constexpr std::int64_t m = 100, n = 80;
  for (const char* mode : those_here({"cr", "native"})) {
    api::Context context(mode);
    std::vector<double> by_columns = numbers(m * n), by_rows = transposed(by_columns, m, n);
    std::int64_t info = 0, one[n], other[n];
    ASSERT_EQ(accublas_dgetrf(context, columns, m, n, by_columns.data(), m, one, &info), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_dgetrf(context, rows, m, n, by_rows.data(), n, other, &info), ACCUBLAS_SUCCESS);
    EXPECT_EQ(transposed(by_columns, m, n), by_rows) << mode;
    EXPECT_TRUE(std::equal(one, one + n, other)) << mode;
    std::vector<double> a = definite(n), in_rows = a;  // symmetric
    ASSERT_EQ(accublas_dpotrf(context, columns, ACCUBLAS_LOWER, n, a.data(), n, &info), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_dpotrf(context, rows, ACCUBLAS_LOWER, n, in_rows.data(), n, &info), ACCUBLAS_SUCCESS);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = j; i < n; ++i)
        ASSERT_EQ(a[static_cast<std::size_t>(i + j * n)], in_rows[static_cast<std::size_t>(j + i * n)])
            << mode << " " << i << " " << j;
  }
}

TEST(Factorizations, WithoutMemoryAStays) {
  std::vector<unsigned char> buffer(4096);  // less than a row of L and a column of U
  api::Context context("cr");
  constexpr std::int64_t n = 300;
  std::vector<double> a = numbers(n * n);
  const std::vector<double> before = a;
  std::vector<std::int64_t> pivots(n);
  std::int64_t info = 0;
  ASSERT_EQ(accublas_set_workspace(context, buffer.data(), buffer.size()), ACCUBLAS_SUCCESS);
  EXPECT_EQ(accublas_dgetrf(context, columns, n, n, a.data(), n, pivots.data(), &info), ACCUBLAS_ERROR_MEMORY);
  EXPECT_TRUE(a == before);
}

/// An element of U is a sum whose leading parts cancel and leave 2^-900 of them. What the memory of LU held before must
/// not change it.
TEST(Factorizations, MemoryIsWrittenBeforeItIsRead) {
  using Z = std::complex<double>;
  constexpr std::int64_t n = 10;
  std::vector<Z> a(n * n);
  const auto at = [&](std::size_t i, std::size_t j) -> Z& { return a[i + j * n]; };
  at(1, 0) = {0, -0x1p823};
  for (const std::size_t i : {0, 2, 3, 7}) at(i, 0) = -1;
  for (const std::size_t i : {4, 6}) at(i, 0) = 1;
  at(5, 0) = {1, -0x1p876};
  at(5, 1) = {-1, 0x1p876};
  for (const std::size_t j : {2, 4, 5}) at(5, j) = {0, -0x1p500};
  for (const std::size_t j : {3, 6, 7, 9}) at(5, j) = {0, 0x1p500};
  at(8, 1) = {-1, 0x1p-430};
  at(9, 1) = {1, 0x1p222};

  api::Context context("cr");
  ASSERT_EQ(accublas_set_num_threads(context, 1), ACCUBLAS_SUCCESS);
  std::vector<std::vector<Z>> results;
  for (const double before : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
    results.emplace_back(a.size(), before);
    std::int64_t pivots[n], info = 0;
    for (int call = 0; call < 2; ++call) {
      if (call == 1) results.back() = a;
      ASSERT_EQ(accublas_zgetrf(context, columns, n, n, results.back().data(), n, pivots, &info), ACCUBLAS_SUCCESS);
    }
  }
  EXPECT_TRUE(results[0] == results[1]);
}

/// abs(P A - L U) <= u abs(u_ij) above, u abs(l_ij u_jj) below the diagonal, without a factor n; the residual correctly
/// rounded by GEMM. Larger with ACCUBLAS_TEST_SCALE, up to n = 4096.
TEST(Factorizations, BackwardErrors) {
  const char* const scale = std::getenv("ACCUBLAS_TEST_SCALE");
  const auto n = static_cast<std::int64_t>(std::min(4096.0, 600 * std::max(1.0, scale ? std::atof(scale) : 1)));
  constexpr double u = 0x1p-53 * (1 + 0x1p-40);
  api::Context context("cr");
  const auto at = [n](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i + j * n); };
  std::vector<double> given = numbers(n * n), a = given, l(given.size()), upper(given.size());
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  std::int64_t info = 0;
  ASSERT_EQ(accublas_dgetrf(context, columns, n, n, a.data(), n, pivots.data(), &info), ACCUBLAS_SUCCESS);
  const accublas_report_t report = context.report();
  EXPECT_EQ(report.bound_relative, 0x1p-53);
  EXPECT_STREQ(report.engine, "sums");
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      std::swap(given[at(i, j)], given[at(pivots[static_cast<std::size_t>(i)] - 1, j)]);
  double largest = 0;  // error, in the units of the bound
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      l[at(i, j)] = i == j ? 1 : i > j ? a[at(i, j)] : 0;
      upper[at(i, j)] = i <= j ? a[at(i, j)] : 0;
      ASSERT_LE(std::fabs(l[at(i, j)]), 1);
    }
  const double minus = -1, one = 1;
  ASSERT_EQ(accublas_dgemm(context, columns, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &minus, l.data(), n,
                           upper.data(), n, &one, given.data(), n),
            ACCUBLAS_SUCCESS);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const double most = std::fabs(a[at(i, j)] * (i <= j ? 1 : a[at(j, j)]));
      ASSERT_LE(std::fabs(given[at(i, j)]), u * most) << i << " " << j;
      largest = std::max(largest, std::fabs(given[at(i, j)]) / (u * most));
    }
  EXPECT_GT(largest, 0.99);  // the bound is sharp
  std::printf("n = %d: abs(P A - L U) at most %.6f of its bound\n", static_cast<int>(n), largest);

  std::vector<double> x = definite(n), rest = x;
  ASSERT_EQ(accublas_dpotrf(context, columns, ACCUBLAS_LOWER, n, x.data(), n, &info), ACCUBLAS_SUCCESS);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) l[at(i, j)] = i >= j ? x[at(i, j)] : 0;
  ASSERT_EQ(accublas_dgemm(context, columns, ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, n, n, n, &minus, l.data(), n, l.data(),
                           n, &one, rest.data(), n),
            ACCUBLAS_SUCCESS);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i)
      ASSERT_LE(std::fabs(rest[at(i, j)]), (i == j ? 2 : 1) * u * std::fabs(x[at(i, j)] * x[at(j, j)]))
          << i << " " << j;
}

}  // namespace
