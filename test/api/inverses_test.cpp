// LAPACK's inverses by factors: every bad argument by its name, modes that they lack, what is not to be written, what
// no blocking, thread, workspace or layout changes, memory that fails, and the errors that docs/factorizations.md
// proves. Their values are the oracle's affair.
#include <cstdlib>
#include <functional>

#include "lapack.hpp"

using namespace lapack;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Numbers whose triangles have inverses of moderate size, and of complex ones both parts.
std::vector<double> regular(std::int64_t n, int parts = 1) {
  std::vector<double> a = numbers(n * n * parts);
  for (double& x : a) x /= 8;
  for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1) * parts)] += 2;
  return a;
}

std::vector<std::int64_t> exchanges(std::int64_t n) {
  std::vector<std::int64_t> ipiv;
  for (std::int64_t i = 0; i < n; ++i) ipiv.push_back(i + 1 + (i * 7) % (n - i));
  return ipiv;
}

/// Options of one call, and a routine on a matrix with them.
using Options = const accublas_options*;
using Routine = std::function<accublas_status(accublas_context*, std::vector<double>&, Options)>;

struct Case {
  std::string name;
  std::vector<double> a;
  Routine run;
};
std::vector<Case> every_routine(std::int64_t n, accublas_layout layout) {
  std::vector<Case> all;
  for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
    const std::string which = uplo == ACCUBLAS_UPPER ? " upper" : " lower";
    for (const accublas_diag diag : {ACCUBLAS_NON_UNIT, ACCUBLAS_UNIT}) {
      all.push_back({"dtrtri" + which, regular(n), [=](accublas_context* ctx, std::vector<double>& a, Options options) {
                       std::int64_t info = -1;
                       return accublas_dtrtri_ex(ctx, layout, uplo, diag, n, a.data(), n, &info, options);
                     }});
      all.push_back(
          {"ztrtri" + which, regular(n, 2), [=](accublas_context* ctx, std::vector<double>& a, Options options) {
             std::int64_t info = -1;
             return accublas_ztrtri_ex(ctx, layout, uplo, diag, n, a.data(), n, &info, options);
           }});
    }
    all.push_back({"dlauum" + which, regular(n), [=](accublas_context* ctx, std::vector<double>& a, Options options) {
                     return accublas_dlauum_ex(ctx, layout, uplo, n, a.data(), n, options);
                   }});
    all.push_back(
        {"zpotri" + which, regular(n, 2), [=](accublas_context* ctx, std::vector<double>& a, Options options) {
           std::int64_t info = -1;
           return accublas_zpotri_ex(ctx, layout, uplo, n, a.data(), n, &info, options);
         }});
  }
  all.push_back({"dgetri", regular(n), [=](accublas_context* ctx, std::vector<double>& a, Options options) {
                   std::int64_t info = -1;
                   return accublas_dgetri_ex(ctx, layout, n, a.data(), n, exchanges(n).data(), &info, options);
                 }});
  all.push_back({"zgetri", regular(n, 2), [=](accublas_context* ctx, std::vector<double>& a, Options options) {
                   std::int64_t info = -1;
                   return accublas_zgetri_ex(ctx, layout, n, a.data(), n, exchanges(n).data(), &info, options);
                 }});
  return all;
}

TEST(Inverses, BadArguments) {
  api::Context context;
  std::vector<double> a = numbers(64);
  const std::vector<double> before = a;
  std::int64_t pivots[8] = {1, 2, 3}, info = 7;
  const auto bad = [&](accublas_status status, const char* name) {
    EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT) << name;
    EXPECT_NE(context.error().find(std::string("argument ") + name + " "), std::string::npos) << context.error();
    EXPECT_EQ(a, before) << name;
    EXPECT_EQ(info, 7) << name;
  };
  double* const p = a.data();
  constexpr accublas_uplo upper = ACCUBLAS_UPPER;
  for (const accublas_layout layout : {columns, rows}) {
    bad(accublas_dtrtri(context, layout, 120, ACCUBLAS_UNIT, 3, p, 3, &info), "uplo");
    bad(accublas_dtrtri(context, layout, upper, 130, 3, p, 3, &info), "diag");
    bad(accublas_dtrtri(context, layout, upper, ACCUBLAS_UNIT, -1, p, 3, &info), "n");
    bad(accublas_dtrtri(context, layout, upper, ACCUBLAS_UNIT, 3, p, 2, &info), "lda");
    bad(accublas_dtrtri(context, layout, upper, ACCUBLAS_UNIT, 3, p, 3, nullptr), "info");
    bad(accublas_slauum(context, layout, 0, 3, reinterpret_cast<float*>(p), 3), "uplo");
    bad(accublas_zlauum(context, layout, upper, -1, p, 3), "n");
    bad(accublas_clauum(context, layout, upper, 3, p, 2), "lda");
    bad(accublas_dpotri(context, layout, 120, 3, p, 3, &info), "uplo");
    bad(accublas_dpotri(context, layout, upper, -3, p, 3, &info), "n");
    bad(accublas_dpotri(context, layout, upper, 3, p, 2, &info), "lda");
    bad(accublas_dpotri(context, layout, upper, 3, p, 3, nullptr), "info");
    bad(accublas_dgetri(context, layout, -1, p, 3, pivots, &info), "n");
    bad(accublas_dgetri(context, layout, 3, p, 2, pivots, &info), "lda");
    bad(accublas_dgetri(context, layout, 3, p, 3, pivots, nullptr), "info");
  }
  bad(accublas_dlauum(context, 100, upper, 3, p, 3), "layout");
  EXPECT_EQ(accublas_dgetri(context, columns, 3, p, 3, nullptr, &info), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(context.error().find("argument ipiv"), std::string::npos) << context.error();
  EXPECT_EQ(accublas_dpotri(context, columns, upper, 3, nullptr, 3, &info), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(context.error().find("argument a"), std::string::npos) << context.error();
  EXPECT_EQ(a, before);
}

TEST(Inverses, ModesThatTheyLack) {
  api::Context context;
  for (const Case& c : every_routine(4, columns))
    for (const char* mode : {"dot2", "fixed:60", "slices:8", "tf64x3"}) {
      std::vector<double> a = c.a;
      accublas_options options = ACCUBLAS_OPTIONS_INIT;
      options.mode_name = mode;
      EXPECT_EQ(c.run(context, a, &options), ACCUBLAS_ERROR_MODE) << c.name << " " << mode;
      EXPECT_EQ(a, c.a);
    }
  // A context's is passed over, and the calls within have the mode of the call around them.
  context.set("fixed:60");
  accublas_options cr = ACCUBLAS_OPTIONS_INIT;
  cr.mode_name = "cr";
  for (const Case& c : every_routine(40, columns)) {
    std::vector<double> a = c.a, b = c.a;
    ASSERT_EQ(c.run(context, a, &cr), ACCUBLAS_SUCCESS) << context.error();
    ASSERT_EQ(c.run(api::Context("cr"), b, nullptr), ACCUBLAS_SUCCESS);
    EXPECT_TRUE(api::same_bits(a, b)) << c.name;
  }
}

TEST(Inverses, NothingToDo) {
  api::Context context;
  for (const char* mode : those_here({"native", "dp", "cr"})) {
    context.set(mode);
    std::int64_t info = 7;
    EXPECT_EQ(accublas_dtrtri(context, columns, ACCUBLAS_LOWER, ACCUBLAS_UNIT, 0, nullptr, 1, &info), ACCUBLAS_SUCCESS);
    EXPECT_EQ(info, 0) << mode;
    info = 7;
    EXPECT_EQ(accublas_zgetri(context, rows, 0, nullptr, 1, nullptr, &info), ACCUBLAS_SUCCESS) << mode;
    EXPECT_EQ(info, 0) << mode;
    info = 7;
    EXPECT_EQ(accublas_cpotri(context, rows, ACCUBLAS_UPPER, 0, nullptr, 1, &info), ACCUBLAS_SUCCESS) << mode;
    EXPECT_EQ(info, 0) << mode;
    EXPECT_EQ(accublas_slauum(context, rows, ACCUBLAS_UPPER, 0, nullptr, 1), ACCUBLAS_SUCCESS) << mode;
  }
}

/// Orders beyond a block, with an infinity that ends one, under threads and workspaces, the user's among them.
TEST(Inverses, BitsDoNotDependOnBlocks) {
  constexpr std::int64_t n = 150;
  std::vector<unsigned char> users(1 << 19);
  struct Way {
    int threads;
    std::int64_t workspace;
    const char* mode;
    std::size_t users;
  };
  const auto all = [&](const Way& way) {
    api::Context context(way.mode);
    EXPECT_EQ(accublas_set_workspace(context, way.users ? users.data() : nullptr, way.users), ACCUBLAS_SUCCESS);
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.num_threads = way.threads;
    options.workspace_bytes = way.workspace;
    std::vector<std::vector<double>> results;
    for (const double special : {0.0, HUGE_VAL})
      for (const Case& c : every_routine(n, columns)) {
        results.push_back(c.a);
        if (special != 0) results.back()[c.a.size() / n * 70 + 40] = results.back()[c.a.size() / n * 40 + 70] = special;
        EXPECT_EQ(c.run(context, results.back(), &options), ACCUBLAS_SUCCESS) << c.name << context.error();
        EXPECT_EQ(c.name.substr(0, 6), context.report().routine);
      }
    return results;
  };
  const auto want = all({1, -1, "cr", 0});
  for (const Way& way : {Way{2, -1, "cr", 0}, Way{5, 1 << 19, "cr", 0}, Way{1, 1 << 15, "cr", 0},
                         Way{3, 1 << 17, "dp:repro", 0}, Way{2, -1, "cr", users.size()}}) {
    const auto got = all(way);
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_TRUE(api::same_bits(got[i], want[i])) << i << ": " << way.threads << " threads, " << way.workspace;
  }
}

/// Also what is not to be read or written: the other triangle, and the diagonal where it is ones.
TEST(Inverses, LayoutsAgree) {
  constexpr std::int64_t n = 90;
  for (const char* mode : those_here({"cr", "native"})) {
    api::Context context(mode);
    for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER})
      for (const bool unit : {false, true}) {
        std::vector<double> a = regular(n);
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = 0; i < n; ++i)
            if (i == j ? unit : (uplo == ACCUBLAS_UPPER) == (i > j)) a[static_cast<std::size_t>(i + j * n)] = nan;
        std::vector<double> by_rows = transposed(a, n, n), other = a;
        std::int64_t info = -1;
        const accublas_diag diag = unit ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT;
        ASSERT_EQ(accublas_dtrtri(context, columns, uplo, diag, n, a.data(), n, &info), ACCUBLAS_SUCCESS);
        ASSERT_EQ(accublas_dtrtri(context, rows, uplo, diag, n, by_rows.data(), n, &info), ACCUBLAS_SUCCESS);
        EXPECT_TRUE(api::same_bits(transposed(a, n, n), by_rows)) << mode;
        EXPECT_EQ(std::isnan(a[1]), uplo == ACCUBLAS_LOWER ? false : true);
        if (unit) {
          EXPECT_TRUE(std::isnan(a[0]));
          continue;
        }
        by_rows = transposed(other, n, n);
        ASSERT_EQ(accublas_dlauum(context, columns, uplo, n, other.data(), n), ACCUBLAS_SUCCESS);
        ASSERT_EQ(accublas_dlauum(context, rows, uplo, n, by_rows.data(), n), ACCUBLAS_SUCCESS);
        EXPECT_TRUE(api::same_bits(transposed(other, n, n), by_rows)) << mode;
      }
    std::vector<double> a = regular(n), by_rows = transposed(a, n, n);
    std::int64_t info = -1;
    ASSERT_EQ(accublas_dgetri(context, columns, n, a.data(), n, exchanges(n).data(), &info), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_dgetri(context, rows, n, by_rows.data(), n, exchanges(n).data(), &info), ACCUBLAS_SUCCESS);
    EXPECT_TRUE(api::same_bits(transposed(a, n, n), by_rows)) << mode;
  }
}

/// The first, second, ... allocation fails, and all later ones: the bits, or A as it was, or a status that says that it
/// is not.
TEST(Inverses, MemoryThatFails) {
  for (const Case& c : every_routine(80, columns)) {
    api::Context context("cr");
    std::vector<double> want = c.a;
    ASSERT_EQ(c.run(context, want, nullptr), ACCUBLAS_SUCCESS) << context.error();
    int refused = 0;
    bool through = false;
    for (int nth = 1; !through && nth < 2000; nth += nth < 12 ? 1 : 37) {
      setenv("ACCUBLAS_TEST_FAIL_ALLOCATION", (std::to_string(nth) + "+").c_str(), 1);
      std::vector<double> a = c.a;
      const accublas_status status = c.run(context, a, nullptr);
      unsetenv("ACCUBLAS_TEST_FAIL_ALLOCATION");
      through = status == ACCUBLAS_SUCCESS;
      if (through) {
        EXPECT_TRUE(api::same_bits(a, want)) << c.name << nth;
      } else if (status == ACCUBLAS_ERROR_MEMORY) {
        EXPECT_TRUE(a == c.a) << c.name << nth;
        ++refused;
      } else {
        EXPECT_EQ(status, ACCUBLAS_ERROR_C_UNDEFINED) << c.name << nth << context.error();
      }
    }
    EXPECT_TRUE(through) << c.name;
    EXPECT_GT(refused, 0) << c.name;
  }
}

/// The real BLAS or LAPACK may lack routines: `native` refuses a call then and leaves A as it was, and `dp` computes it
/// by another engine, from A and not from what is half done.
TEST(Inverses, WhateverTheRealBlasLacks) {
  for (const Case& c : every_routine(100, columns)) {
    std::vector<double> want = c.a;
    ASSERT_EQ(c.run(api::Context("cr"), want, nullptr), ACCUBLAS_SUCCESS);
    for (const char* mode : {"dp", "native"}) {
      api::Context context(mode);
      std::vector<double> a = c.a;
      const accublas_status status = c.run(context, a, nullptr);
      if (status == ACCUBLAS_ERROR_NO_BLAS && std::string(mode) == "native") {
        EXPECT_TRUE(api::same_bits(a, c.a)) << c.name;
        continue;
      }
      ASSERT_EQ(status, ACCUBLAS_SUCCESS) << c.name << " " << mode << ": " << context.error();
      double wrong = 0;
      for (std::size_t i = 0; i < a.size(); ++i) wrong = std::max(wrong, std::fabs(a[i] - want[i]));
      EXPECT_LT(wrong, 1e-6) << c.name << " " << mode;
    }
  }
}

/// TRTRI's zeros keep the sign of what underflowed; GETRI's last column, an unknown of TRSM, has +0.
TEST(Inverses, ZerosOfTheLastColumn) {
  for (const char* mode : {"cr", "dp:repro"}) {
    api::Context context(mode);
    std::vector<double> a = {1, 0.5, 0x1p-1074, 0x1p1000};
    std::int64_t info = -1;
    const std::int64_t pivots[2] = {1, 2};
    ASSERT_EQ(accublas_dgetri(context, columns, 2, a.data(), 2, pivots, &info), ACCUBLAS_SUCCESS);
    EXPECT_TRUE(api::same_bits(a, std::vector<double>{1, -0x1p-1001, 0, 0x1p-1000})) << mode;
    double one = -std::numeric_limits<double>::infinity();
    ASSERT_EQ(accublas_dgetri(context, columns, 1, &one, 1, pivots, &info), ACCUBLAS_SUCCESS);
    EXPECT_TRUE(one == 0 && !std::signbit(one)) << mode;
    info = -7;
    const std::int64_t bad[2] = {1, 3};
    EXPECT_EQ(accublas_dgetri(context, columns, 2, a.data(), 2, bad, &info), ACCUBLAS_ERROR_ARGUMENT);
    EXPECT_EQ(info, -7) << mode;
  }
}

TEST(Inverses, Info) {
  for (const char* mode : those_here({"native", "dp", "cr", "dp:repro"})) {
    api::Context context(mode);
    const std::vector<double> given = {1, 2, 3, 4, -0.0, 6, 7, 8, 0};  // zeros in places 2 and 3
    std::vector<double> a = given;
    std::int64_t info = 0;
    const std::int64_t pivots[3] = {1, 2, 3};
    for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
      ASSERT_EQ(accublas_dtrtri(context, columns, uplo, ACCUBLAS_NON_UNIT, 3, a.data(), 3, &info), ACCUBLAS_SUCCESS);
      EXPECT_EQ(info, 2) << mode;
      ASSERT_EQ(accublas_dpotri(context, columns, uplo, 3, a.data(), 3, &info), ACCUBLAS_SUCCESS);
      EXPECT_EQ(info, 2) << mode;
    }
    ASSERT_EQ(accublas_dgetri(context, columns, 3, a.data(), 3, pivots, &info), ACCUBLAS_SUCCESS);
    EXPECT_EQ(info, 2) << mode;
    EXPECT_TRUE(api::same_bits(a, given)) << mode;
    ASSERT_EQ(accublas_dtrtri(context, columns, ACCUBLAS_UPPER, ACCUBLAS_UNIT, 3, a.data(), 3, &info),
              ACCUBLAS_SUCCESS);
    EXPECT_EQ(info, 0) << mode;
    EXPECT_EQ(a, (std::vector<double>{1, 2, 3, -4, 0, 6, 25, -8, 0})) << mode;
  }
}

/// Checks the proved error bounds by products in cr, whose elements are residuals rounded once.
TEST(Inverses, Errors) {
  constexpr std::int64_t n = 300;
  constexpr double u = 0x1p-53 * (1 + 0x1p-40);
  api::Context context("cr");
  const auto at = [](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i + j * n); };
  // beta C - A B
  const auto residual = [&](const std::vector<double>& a, const std::vector<double>& b, std::vector<double> c) {
    const double minus = -1, one = 1;
    EXPECT_EQ(accublas_dgemm(context, columns, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &minus, a.data(), n,
                             b.data(), n, &one, c.data(), n),
              ACCUBLAS_SUCCESS);
    return c;
  };
  std::vector<double> a = numbers(n * n), upper(n * n), lower(n * n), identity(n * n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      if (i == j) a[at(i, i)] += 3;
      if (i > j) a[at(i, j)] /= 8;
      (i > j ? lower : upper)[at(i, j)] = a[at(i, j)];
      if (i == j) lower[at(i, j)] = identity[at(i, j)] = 1;
    }
  std::int64_t info = -1;
  std::vector<double> v = upper, square(n * n), x = a;
  ASSERT_EQ(accublas_dtrtri(context, columns, ACCUBLAS_UPPER, ACCUBLAS_NON_UNIT, n, v.data(), n, &info), 0);
  const accublas_report_t report = context.report();
  EXPECT_EQ(report.bound_relative, 0x1p-53);
  EXPECT_STREQ(report.engine, "sums");
  EXPECT_EQ(report.m, n);
  const std::vector<double> of_v = residual(upper, v, identity);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_LE(std::fabs(of_v[at(i, j)]), u * std::fabs(upper[at(i, i)] * v[at(i, j)])) << i << " " << j;

  // X L = V, whose columns GETRI then exchanges.
  std::vector<std::int64_t> stay(n);
  for (std::int64_t i = 0; i < n; ++i) stay[static_cast<std::size_t>(i)] = i + 1;
  ASSERT_EQ(accublas_dgetri(context, columns, n, x.data(), n, stay.data(), &info), ACCUBLAS_SUCCESS);
  const std::vector<double> of_x = residual(x, lower, v);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_LE(std::fabs(of_x[at(i, j)]), u * std::fabs(x[at(i, j)])) << i << " " << j;

  // V V^T, rounded once an element: GEMM's bits.
  std::vector<double> y = upper;
  ASSERT_EQ(accublas_dpotri(context, columns, ACCUBLAS_UPPER, n, y.data(), n, &info), ACCUBLAS_SUCCESS);
  square = residual(v, transposed(v, n, n), square);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i <= j; ++i) ASSERT_EQ(y[at(i, j)], -square[at(i, j)]) << i << " " << j;
}

}  // namespace
