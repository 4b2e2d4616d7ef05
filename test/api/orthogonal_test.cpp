// LAPACK's QR factorization, its reflectors' matrix and least squares: every bad argument by its name, modes that they
// lack, answers without work, what no threads, workspace or layout change, and the bounds that docs/factorizations.md
// proves. Their values are the oracle's affair.
#include "orthogonal.hpp"

#include <algorithm>

namespace {

std::vector<double> transposed(const std::vector<double>& a, std::int64_t m, std::int64_t n, int parts = 1) {
  std::vector<double> t(a.size());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (int part = 0; part < parts; ++part)
        t[static_cast<std::size_t>((j + i * n) * parts + part)] =
            a[static_cast<std::size_t>((i + j * m) * parts + part)];
  return t;
}

/// Modes of the list; not native where there is no LAPACK.
std::vector<const char*> those_here(std::initializer_list<const char*> list) {
  api::Context context("native");
  double a = 1, tau = 0;
  const accublas_status status = accublas_dgeqrf(context, columns, 1, 1, &a, 1, &tau);
  EXPECT_TRUE(status == ACCUBLAS_SUCCESS || status == ACCUBLAS_ERROR_NO_BLAS) << context.error();
  if (status != ACCUBLAS_SUCCESS) {
    EXPECT_NE(context.error().find("dgeqrf"), std::string::npos) << context.error();
  }
  std::vector<const char*> modes;
  for (const char* mode : list)
    if (status == ACCUBLAS_SUCCESS || std::string(mode) != "native") modes.push_back(mode);
  return modes;
}

TEST(Orthogonal, BadArguments) {
  api::Context context;
  std::vector<double> a = numbers(64), c = numbers(64, 2), tau = numbers(8, 3);
  const std::vector<double> a_before = a, c_before = c, tau_before = tau;
  std::int64_t info = 7;
  const auto bad = [&](accublas_status status, const char* name) {
    EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT) << name;
    EXPECT_NE(context.error().find(std::string("argument ") + name), std::string::npos) << context.error();
    EXPECT_EQ(a, a_before) << name;
    EXPECT_EQ(c, c_before) << name;
    EXPECT_EQ(tau, tau_before) << name;
    EXPECT_EQ(info, 7) << name;
  };
  double *const pa = a.data(), *const pc = c.data(), *const pt = tau.data();
  constexpr accublas_side left = ACCUBLAS_LEFT, right = ACCUBLAS_RIGHT;
  constexpr accublas_transpose plain = ACCUBLAS_NO_TRANS;
  for (const accublas_layout layout : {columns, rows}) {
    const bool by_columns = layout == columns;
    bad(accublas_dgeqrf(context, layout, -1, 3, pa, 3, pt), "m");
    bad(accublas_dgeqrf(context, layout, 3, -1, pa, 3, pt), "n");
    bad(accublas_dgeqrf(context, layout, by_columns ? 4 : 2, by_columns ? 2 : 4, pa, 3, pt), "lda");
    bad(accublas_dorgqr(context, layout, -1, 0, 0, pa, 3, pt), "m");
    bad(accublas_dorgqr(context, layout, 3, -1, 0, pa, 3, pt), "n");
    bad(accublas_dorgqr(context, layout, 3, 4, 0, pa, 4, pt), "n must be from 0 to m");
    bad(accublas_dorgqr(context, layout, 3, 3, -1, pa, 3, pt), "k");
    bad(accublas_dorgqr(context, layout, 3, 2, 3, pa, 3, pt), "k must be from 0 to n");
    bad(accublas_dorgqr(context, layout, 3, 3, 3, pa, 2, pt), "lda");
    bad(accublas_dormqr(context, layout, 140, plain, 3, 3, 1, pa, 3, pt, pc, 3), "side");
    bad(accublas_dormqr(context, layout, left, ACCUBLAS_CONJ_TRANS, 3, 3, 1, pa, 3, pt, pc, 3), "trans");
    bad(accublas_zunmqr(context, layout, left, ACCUBLAS_TRANS, 3, 3, 1, pa, 3, pt, pc, 3), "trans");
    bad(accublas_dormqr(context, layout, left, plain, -1, 3, 0, pa, 3, pt, pc, 3), "m");
    bad(accublas_dormqr(context, layout, left, plain, 3, -1, 0, pa, 3, pt, pc, 3), "n");
    bad(accublas_dormqr(context, layout, left, plain, 3, 4, -1, pa, 3, pt, pc, 4), "k");
    bad(accublas_dormqr(context, layout, left, plain, 3, 4, 4, pa, 4, pt, pc, 4), "k must be from 0 to m");
    bad(accublas_dormqr(context, layout, right, plain, 4, 3, 4, pa, 4, pt, pc, 4), "k must be from 0 to n");
    bad(accublas_dormqr(context, layout, by_columns ? right : left, plain, 3, 4, 3, pa, by_columns ? 3 : 2, pt, pc, 4),
        "lda");
    bad(accublas_dormqr(context, layout, left, plain, 4, 4, 1, pa, 4, pt, pc, 3), "ldc");
    bad(accublas_dgels(context, layout, ACCUBLAS_CONJ_TRANS, 3, 3, 1, pa, 3, pc, 3, &info), "trans");
    bad(accublas_cgels(context, layout, ACCUBLAS_TRANS, 3, 3, 1, pa, 3, pc, 3, &info), "trans");
    bad(accublas_dgels(context, layout, plain, -1, 3, 1, pa, 3, pc, 3, &info), "m");
    bad(accublas_dgels(context, layout, plain, 3, -1, 1, pa, 3, pc, 3, &info), "n must be at least 0");
    bad(accublas_dgels(context, layout, plain, 3, 3, -1, pa, 3, pc, 3, &info), "nrhs");
    bad(accublas_dgels(context, layout, plain, 3, 3, 1, pa, 2, pc, 3, &info), "lda");
    bad(accublas_dgels(context, layout, plain, 2, 4, 4, pa, 4, pc, 3, &info), "ldb");
    bad(accublas_dgels(context, layout, plain, 3, 3, 1, pa, 3, pc, 3, nullptr), "info");
  }
  bad(accublas_dgeqrf(context, 100, 3, 3, pa, 3, pt), "layout");
  EXPECT_EQ(accublas_dgeqrf(context, columns, 3, 3, nullptr, 3, pt), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(context.error().find("argument a"), std::string::npos) << context.error();
  EXPECT_EQ(accublas_dgeqrf(context, columns, 3, 3, pa, 3, nullptr), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(context.error().find("argument tau"), std::string::npos) << context.error();
  EXPECT_EQ(accublas_dormqr(context, columns, left, plain, 3, 3, 1, pa, 3, pt, nullptr, 3), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(context.error().find("argument c"), std::string::npos) << context.error();
  EXPECT_EQ(accublas_dgels(context, columns, plain, 3, 3, 1, pa, 3, nullptr, 3, &info), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(context.error().find("argument b"), std::string::npos) << context.error();
  EXPECT_EQ(a, a_before);
}

TEST(Orthogonal, ModesThatTheyLack) {
  api::Context context;
  std::vector<double> a = numbers(16), tau(4);
  const std::vector<double> before = a;
  for (const char* mode : {"dot2", "fixed:60", "slices:8", "tf64x3"}) {
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.mode_name = mode;
    EXPECT_EQ(accublas_dgeqrf_ex(context, columns, 4, 4, a.data(), 4, tau.data(), &options), ACCUBLAS_ERROR_MODE)
        << mode;
    EXPECT_NE(context.error().find("dp:repro, cr"), std::string::npos) << context.error();
    EXPECT_EQ(a, before);
  }
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode_name = "cr";
  options.target = 1e-10;
  EXPECT_EQ(accublas_dgeqrf_ex(context, columns, 4, 4, a.data(), 4, tau.data(), &options), ACCUBLAS_ERROR_ACCURACY);
  EXPECT_EQ(a, before);
}

TEST(Orthogonal, NothingToDo) {
  api::Context context;
  for (const char* mode : those_here({"native", "dp", "cr"})) {
    context.set(mode);
    EXPECT_EQ(accublas_dgeqrf(context, columns, 0, 3, nullptr, 1, nullptr), ACCUBLAS_SUCCESS) << mode;
    EXPECT_EQ(accublas_zgeqrf(context, rows, 3, 0, nullptr, 1, nullptr), ACCUBLAS_SUCCESS) << mode;
    EXPECT_EQ(accublas_dorgqr(context, columns, 3, 0, 0, nullptr, 3, nullptr), ACCUBLAS_SUCCESS) << mode;
    EXPECT_EQ(
        accublas_dormqr(context, columns, ACCUBLAS_LEFT, ACCUBLAS_TRANS, 0, 3, 0, nullptr, 1, nullptr, nullptr, 1),
        ACCUBLAS_SUCCESS);
    // No reflectors: columns of the identity, and C stays.
    std::vector<double> a = {9, 9, 9, 9, 9, 9}, c = {1, 2};
    EXPECT_EQ(accublas_dorgqr(context, columns, 3, 2, 0, a.data(), 3, nullptr), ACCUBLAS_SUCCESS) << mode;
    EXPECT_EQ(a, (std::vector<double>{1, 0, 0, 0, 1, 0})) << mode;
    EXPECT_EQ(
        accublas_dormqr(context, columns, ACCUBLAS_LEFT, ACCUBLAS_NO_TRANS, 2, 1, 0, nullptr, 2, nullptr, c.data(), 2),
        ACCUBLAS_SUCCESS);
    EXPECT_EQ(c, (std::vector<double>{1, 2})) << mode;
    // B becomes zero where A has no elements, or none but zeros.
    std::int64_t info = 7;
    std::vector<double> b = {1, 2, 3};
    EXPECT_EQ(accublas_dgels(context, columns, ACCUBLAS_NO_TRANS, 0, 3, 1, nullptr, 1, b.data(), 3, &info),
              ACCUBLAS_SUCCESS);
    EXPECT_EQ(info, 0) << mode;
    EXPECT_EQ(b, (std::vector<double>{0, 0, 0})) << mode;
    b = {1, 2, 3};
    a = {0, 0, 0, 0, 0, 0};
    info = 7;
    EXPECT_EQ(accublas_dgels(context, columns, ACCUBLAS_NO_TRANS, 3, 2, 1, a.data(), 3, b.data(), 3, &info),
              ACCUBLAS_SUCCESS);
    EXPECT_EQ(info, 0) << mode;
    EXPECT_EQ(b, (std::vector<double>{0, 0, 0})) << mode;
  }
}

TEST(Orthogonal, Info) {
  for (const char* mode : those_here({"native", "dp", "cr", "dp:repro"})) {
    api::Context context(mode);
    std::int64_t info = 0;
    std::vector<double> a = {1, 0, 0, 0, 0, 0, 1, 2, 2}, b = {1, 2, 3};
    const std::vector<double> given = a;
    EXPECT_EQ(accublas_dgels(context, columns, ACCUBLAS_NO_TRANS, 3, 3, 1, a.data(), 3, b.data(), 3, &info),
              ACCUBLAS_SUCCESS);
    EXPECT_EQ(info, 2) << mode;
    a = given;
    b = {1, 2, 3};
    EXPECT_EQ(accublas_dgels(context, columns, ACCUBLAS_TRANS, 3, 3, 1, a.data(), 3, b.data(), 3, &info),
              ACCUBLAS_SUCCESS);
    EXPECT_EQ(info, 2) << mode;
    EXPECT_EQ(b, (std::vector<double>{1, 2, 3})) << mode;
  }
}

/// Everything that a call returns, of m x n and n x m, real and complex; by rows where that is asked for, as columns.
struct Way {
  const char* mode;
  int threads;
  std::int64_t workspace;
  accublas_layout layout;
};

std::vector<std::vector<double>> all_results(const Way& way) {
  constexpr std::int64_t m = 90, n = 70, sides = 5;
  api::Context context(way.mode);
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.num_threads = way.threads;
  options.workspace_bytes = way.workspace;
  const bool by_rows = way.layout == rows;
  std::vector<std::vector<double>> results;
  const auto stored = [&](const std::vector<double>& x, std::int64_t r, std::int64_t c, int parts = 1) {
    return by_rows ? transposed(x, r, c, parts) : x;
  };
  const auto keep = [&](const std::vector<double>& x, std::int64_t r, std::int64_t c, int parts = 1) {
    results.push_back(by_rows ? transposed(x, c, r, parts) : x);
  };
  const auto ld = [&](std::int64_t r, std::int64_t c) { return by_rows ? c : r; };
  std::int64_t info = 0;
  std::vector<double> tau(2 * n), a = stored(numbers(m * n), m, n), c = stored(numbers(m * sides, 2), m, sides);
  EXPECT_EQ(accublas_dgeqrf_ex(context, way.layout, m, n, a.data(), ld(m, n), tau.data(), &options), 0)
      << context.error();
  keep(a, m, n);
  results.push_back(tau);
  EXPECT_EQ(accublas_dormqr_ex(context, way.layout, ACCUBLAS_LEFT, ACCUBLAS_TRANS, m, sides, n, a.data(), ld(m, n),
                               tau.data(), c.data(), ld(m, sides), &options),
            0)
      << context.error();
  keep(c, m, sides);
  EXPECT_EQ(accublas_dorgqr_ex(context, way.layout, m, n, n, a.data(), ld(m, n), tau.data(), &options), 0);
  keep(a, m, n);
  std::vector<double> za = stored(numbers(2 * m * n, 3), m, n, 2), zc = stored(numbers(2 * sides * m, 4), sides, m, 2);
  EXPECT_EQ(accublas_zgeqrf_ex(context, way.layout, m, n, za.data(), ld(m, n), tau.data(), &options), 0);
  keep(za, m, n, 2);
  EXPECT_EQ(accublas_zunmqr_ex(context, way.layout, ACCUBLAS_RIGHT, ACCUBLAS_NO_TRANS, sides, m, n, za.data(), ld(m, n),
                               tau.data(), zc.data(), ld(sides, m), &options),
            0);
  keep(zc, sides, m, 2);
  za = stored(numbers(2 * n * m, 5), n, m, 2);
  zc = stored(numbers(2 * m * sides, 6), m, sides, 2);
  EXPECT_EQ(accublas_zgels_ex(context, way.layout, ACCUBLAS_NO_TRANS, n, m, sides, za.data(), ld(n, m), zc.data(),
                              ld(m, sides), &info, &options),
            0);
  keep(za, n, m, 2);
  keep(zc, m, sides, 2);
  return results;
}

TEST(Orthogonal, BitsDoNotDependOnTheWay) {
  const auto want = all_results({"cr", 1, -1, columns});
  for (const Way& way : {Way{"cr", 3, -1, columns}, Way{"cr", 1, 200000, columns}, Way{"dp:repro", 2, 400000, rows}})
    EXPECT_TRUE(all_results(way) == want) << way.threads << " threads, " << way.workspace << " bytes";
}

TEST(Orthogonal, WithoutMemoryAStays) {
  api::Context context("cr");
  constexpr std::int64_t m = 9000, n = 40;
  std::vector<double> a = numbers(m * n), tau(n);
  const std::vector<double> before = a;
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.workspace_bytes = 0;  // and 1 MiB that engines may take beyond it
  EXPECT_EQ(accublas_dgeqrf_ex(context, columns, m, n, a.data(), m, tau.data(), &options), ACCUBLAS_ERROR_MEMORY);
  EXPECT_TRUE(a == before);
}

/// Residuals and Q^T Q - I are correctly rounded by GEMM in cr. The bounds are those that are proved, and numbers a
/// little above those that are found, which a defect of more than a few roundings an element would pass.
TEST(Orthogonal, Bounds) {
  constexpr std::int64_t m = 400, n = 300;
  constexpr double u = 0x1p-53;
  const double panels = std::ceil(n / 32.0), g = std::pow(1 + 2500 * u, panels) - 1;
  for (const char* mode : those_here({"native", "cr"})) {
    api::Context context(mode);
    const std::vector<double> given = numbers(m * n);
    std::vector<double> a = given, tau(n), r(n * n), rest = given, gram(n * n);
    ASSERT_EQ(accublas_dgeqrf(context, columns, m, n, a.data(), m, tau.data()), ACCUBLAS_SUCCESS) << context.error();
    const auto at = [](std::int64_t i, std::int64_t j, std::int64_t ld) {
      return static_cast<std::size_t>(i + j * ld);
    };
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i <= j; ++i) r[at(i, j, n)] = a[at(i, j, m)];
    ASSERT_EQ(accublas_dorgqr(context, columns, m, n, n, a.data(), m, tau.data()), ACCUBLAS_SUCCESS);
    context.set("cr");
    const double minus = -1, one = 1;
    for (std::int64_t j = 0; j < n; ++j) gram[at(j, j, n)] = -1;
    ASSERT_EQ(accublas_dgemm(context, columns, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, n, n, m, &one, a.data(), m, a.data(),
                             m, &one, gram.data(), n),
              ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_dgemm(context, columns, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n, n, &minus, a.data(), m,
                             r.data(), n, &one, rest.data(), m),
              ACCUBLAS_SUCCESS);
    double orthogonality = 0, residual = 0;
    for (const double x : gram) orthogonality = std::max(orthogonality, std::fabs(x));
    for (std::int64_t j = 0; j < n; ++j) {
      double of_rest = 0, of_a = 0;
      for (std::int64_t i = 0; i < m; ++i) {
        of_rest += rest[at(i, j, m)] * rest[at(i, j, m)];
        of_a += given[at(i, j, m)] * given[at(i, j, m)];
      }
      residual = std::max(residual, std::sqrt(of_rest / of_a));
    }
    RecordProperty(std::string("orthogonality_") + mode, std::to_string(orthogonality / u));
    RecordProperty(std::string("residual_") + mode, std::to_string(residual / u));
    std::printf("%s: %.2f u, %.2f u\n", mode, orthogonality / u, residual / u);
    if (std::string(mode) == "native") continue;
    EXPECT_LE(orthogonality, 2 * g + g * g);
    EXPECT_LE(residual, (std::sqrt(n) * (1 + g) + 2) * (g + 32 * u));
    EXPECT_LE(orthogonality, 8 * u);
    EXPECT_LE(residual, 8 * u);
  }
}

/// Least squares: the residual is orthogonal to A's columns; least norms: the solution lies in the span of A's rows.
TEST(Orthogonal, LeastSquares) {
  constexpr std::int64_t m = 60, n = 40;
  for (const char* mode : those_here({"native", "dp", "cr", "dp:repro"})) {
    api::Context context(mode);
    const std::vector<double> given = numbers(m * n), sides = numbers(m, 2);
    std::int64_t info = 7;
    std::vector<double> a = given, b = sides;
    ASSERT_EQ(accublas_dgels(context, columns, ACCUBLAS_NO_TRANS, m, n, 1, a.data(), m, b.data(), m, &info),
              ACCUBLAS_SUCCESS);
    EXPECT_EQ(info, 0);
    std::vector<double> rest = sides;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i)
        rest[static_cast<std::size_t>(i)] -=
            given[static_cast<std::size_t>(i + j * m)] * b[static_cast<std::size_t>(j)];
    for (std::int64_t j = 0; j < n; ++j) {
      double product = 0;
      for (std::int64_t i = 0; i < m; ++i)
        product += given[static_cast<std::size_t>(i + j * m)] * rest[static_cast<std::size_t>(i)];
      EXPECT_NEAR(product, 0, 1e-13) << mode;
    }
    // Row-major operands of the transpose give the least norm of A^T X = B with A^T wide.
    a = given;
    b = sides;
    ASSERT_EQ(accublas_dgels(context, rows, ACCUBLAS_NO_TRANS, n, m, 1, a.data(), m, b.data(), 1, &info),
              ACCUBLAS_SUCCESS);
    for (std::int64_t j = 0; j < n; ++j) {
      double product = -sides[static_cast<std::size_t>(j)];
      for (std::int64_t i = 0; i < m; ++i)
        product += given[static_cast<std::size_t>(i + j * m)] * b[static_cast<std::size_t>(i)];
      EXPECT_NEAR(product, 0, 1e-13) << mode;
    }
    std::vector<double> projected = b;
    a = given;
    ASSERT_EQ(accublas_dgels(context, columns, ACCUBLAS_NO_TRANS, m, n, 1, a.data(), m, projected.data(), m, &info),
              ACCUBLAS_SUCCESS);
    for (std::int64_t i = n; i < m; ++i) EXPECT_NEAR(projected[static_cast<std::size_t>(i)], 0, 1e-13) << mode;
  }
}

/// No wrong number where a norm overflows.
TEST(Orthogonal, NormsBeyondTheLargestNumber) {
  const double most = std::numeric_limits<double>::max();
  api::Context context("cr");
  std::vector<double> a = {most, most}, b = {most, most};
  std::int64_t info = -1;
  ASSERT_EQ(accublas_dgels(context, columns, ACCUBLAS_NO_TRANS, 2, 1, 1, a.data(), 2, b.data(), 2, &info),
            ACCUBLAS_SUCCESS);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(a[0], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(b[0]) && std::isnan(b[1])) << b[0] << ", " << b[1];
}

}  // namespace
