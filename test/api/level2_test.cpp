// Level 2 beside GEMV, DSDOT and SDSDOT: every bad argument by its name, with results that stay as they were, what is
// neither read nor written, and the modes that there are. Their values are the oracle's affair.
#include <cmath>
#include <limits>

#include "api.hpp"

namespace {

constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

/// Arguments that are good, to be spoilt one at a time; a routine takes those that it has.
struct Arguments {
  accublas_layout layout = ACCUBLAS_COL_MAJOR;
  accublas_uplo uplo = ACCUBLAS_UPPER;
  accublas_transpose trans = ACCUBLAS_NO_TRANS;
  accublas_diag diag = ACCUBLAS_NON_UNIT;
  std::int64_t m = 4, n = 3, lda = 8, incx = 2, incy = -3;
};

struct Data {
  // Enough for numbers of two doubles.
  std::vector<double> a = std::vector<double>(128, 1), x = std::vector<double>(64, 2), y = std::vector<double>(64, 3);
  double one[2] = {1, 0};
  const double *alpha = one, *beta = one;
  bool operator==(const Data& other) const { return a == other.a && x == other.x && y == other.y; }
};

using Run = accublas_status (*)(accublas_context*, const Arguments&, Data&);

struct Routine {
  const char* name;
  Run run;
  bool uplo, trans, m, alpha, y;  ///< which arguments there are
};

#define SYMV(name)                                                                                                  \
  {                                                                                                                 \
#name,                                                                                                            \
   [](accublas_context* ctx, const Arguments& g, Data& d) {                                                          \
     return accublas_##name(ctx, g.layout, g.uplo, g.n, d.alpha, d.a.data(), g.lda, d.x.data(), g.incx, d.beta,      \
                            d.y.data(), g.incy);                                                                     \
   },                                                                                                                \
   true, false, false, true, true \
  }
#define TRMV(name)                                                                                                  \
  {                                                                                                                 \
#name,                                                                                                            \
   [](accublas_context* ctx, const Arguments& g, Data& d) {                                                          \
     return accublas_##name(ctx, g.layout, g.uplo, g.trans, g.diag, g.n, d.a.data(), g.lda, d.x.data(), g.incx);     \
   },                                                                                                                \
   true, true, false, false, false \
  }
#define GER(name)                                                                                                   \
  {                                                                                                                 \
#name,                                                                                                            \
   [](accublas_context* ctx, const Arguments& g, Data& d) {                                                          \
     return accublas_##name(ctx, g.layout, g.m, g.n, d.alpha, d.x.data(), g.incx, d.y.data(), g.incy, d.a.data(),    \
                            g.lda);                                                                                  \
   },                                                                                                                \
   false, false, true, true, true \
  }
#define SYR(name)                                                                                                              \
  {                                                                                                                            \
#name,                                                                                                                     \
        [](accublas_context * ctx, const Arguments& g,                                                                         \
           Data&                                                                                                               \
               d) { return accublas_##name(ctx, g.layout, g.uplo, g.n, d.alpha, d.x.data(), g.incx, d.a.data(),                \
                                           g.lda); },     \
                                                                                                                        true,  \
                                                                                                                        false, \
                                                                                                                        false, \
                                                                                                                        true,  \
                                                                                                                        false  \
  }
#define SYR2(name)                                                                                                  \
  {                                                                                                                 \
#name,                                                                                                            \
   [](accublas_context* ctx, const Arguments& g, Data& d) {                                                          \
     return accublas_##name(ctx, g.layout, g.uplo, g.n, d.alpha, d.x.data(), g.incx, d.y.data(), g.incy, d.a.data(), \
                            g.lda);                                                                                  \
   },                                                                                                                \
   true, false, false, true, true \
  }

/// In double precision: those of single precision are the same templates, and the oracle calls them.
const Routine routines[] = {SYMV(dsymv), SYMV(zhemv), TRMV(dtrmv), TRMV(ztrmv), TRMV(dtrsv), TRMV(ztrsv), GER(dger),
                            GER(zgeru),  GER(zgerc),  SYR(dsyr),   SYR(zher),   SYR2(dsyr2), SYR2(zher2)};

}  // namespace

TEST(Level2, BadArguments) {
  api::Context context;
  for (const Routine& routine : routines) {
    Data data;
    ASSERT_EQ(routine.run(context, Arguments{}, data), ACCUBLAS_SUCCESS) << routine.name << ": " << context.error();
    const Data before = data;
    const auto bad = [&](const char* name, auto&& spoil) {
      for (accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR}) {
        Arguments arguments;
        arguments.layout = layout;
        spoil(arguments);
        EXPECT_EQ(routine.run(context, arguments, data), ACCUBLAS_ERROR_ARGUMENT) << routine.name << " " << name;
        EXPECT_NE(context.error().find(std::string("argument ") + name + " "), std::string::npos)
            << routine.name << ": " << context.error();
        EXPECT_TRUE(data == before) << routine.name << " " << name;
      }
    };
    bad("layout", [](Arguments& g) { g.layout = 103; });
    bad("n", [](Arguments& g) { g.n = -1; });
    bad("lda", [](Arguments& g) { g.lda = 2; });
    bad("incx", [](Arguments& g) { g.incx = 0; });
    if (routine.uplo) bad("uplo", [](Arguments& g) { g.uplo = 123; });
    if (routine.trans) bad("trans", [](Arguments& g) { g.trans = 114; });
    if (routine.trans) bad("diag", [](Arguments& g) { g.diag = 130; });
    if (routine.m) bad("m", [](Arguments& g) { g.m = -1; });
    if (routine.y) bad("incy", [](Arguments& g) { g.incy = 0; });
    const auto null = [&](const char* name, std::vector<double>& operand) {
      for (accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR}) {
        Arguments arguments;
        arguments.layout = layout;
        std::vector<double> none;
        operand.swap(none);  // an empty vector has no address
        EXPECT_EQ(routine.run(context, arguments, data), ACCUBLAS_ERROR_ARGUMENT) << routine.name << " " << name;
        EXPECT_NE(context.error().find(std::string("argument ") + name + " "), std::string::npos)
            << routine.name << ": " << context.error();
        operand.swap(none);
        EXPECT_TRUE(data == before) << routine.name << " " << name;
      }
    };
    null("a", data.a);
    null("x", data.x);
    if (routine.y) null("y", data.y);
    data.alpha = nullptr;
    if (routine.alpha) bad("alpha", [](Arguments&) {});
  }
}

/// m and n of the report are the rows and columns of what is written, in both layouts.
TEST(Level2, ReportedSizes) {
  api::Context context;
  for (const Routine& routine : routines)
    for (accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR}) {
      Data data;
      Arguments arguments;
      arguments.layout = layout;
      if (routine.m) arguments.m = 2;
      ASSERT_EQ(routine.run(context, arguments, data), ACCUBLAS_SUCCESS) << routine.name << ": " << context.error();
      const bool update = !routine.trans && std::string(routine.name).find("mv") == std::string::npos;
      EXPECT_EQ(context.report().m, routine.m ? 2 : arguments.n) << routine.name << " " << layout;
      EXPECT_EQ(context.report().n, update ? arguments.n : 1) << routine.name << " " << layout;
    }
}

/// In every mode, native too: the other triangle is neither read nor written, nothing is read where alpha is 0, nor y
/// where beta is 0.
TEST(Level2, WhatIsNotRead) {
  constexpr std::int64_t n = 5;
  const double zero = 0, one = 1;
  for (const char* mode : {"native", "dp", "dp:repro", "cr", "dot2"}) {
    api::Context context;
    ASSERT_EQ(accublas_set_mode_name(context, mode), ACCUBLAS_SUCCESS);
    std::vector<double> a(n * n, quiet_nan), x(n, 1), y(n, quiet_nan);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i <= j; ++i) a[i + j * n] = 1;
    const auto other_triangle_stays = [&] {
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(i > j, std::isnan(a[i + j * n])) << mode << " " << i << " " << j;
    };
    ASSERT_EQ(accublas_dsymv(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, n, &one, a.data(), n, x.data(), 1, &zero,
                             y.data(), 1),
              ACCUBLAS_SUCCESS)
        << context.error();
    EXPECT_EQ(y, std::vector<double>(n, n)) << mode;
    ASSERT_EQ(accublas_dsyr(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, n, &one, x.data(), 1, a.data(), n),
              ACCUBLAS_SUCCESS);
    ASSERT_EQ(
        accublas_dsyr2(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, n, &one, x.data(), 1, x.data(), 1, a.data(), n),
        ACCUBLAS_SUCCESS);
    EXPECT_EQ(a[0], 4) << mode;
    other_triangle_stays();
    ASSERT_EQ(accublas_dtrmv(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, n,
                             a.data(), n, x.data(), 1),
              ACCUBLAS_SUCCESS);
    EXPECT_EQ(x, (std::vector<double>{20, 16, 12, 8, 4})) << mode;
    ASSERT_EQ(accublas_dtrsv(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, n,
                             a.data(), n, x.data(), 1),
              ACCUBLAS_SUCCESS);
    EXPECT_EQ(x, std::vector<double>(n, 1)) << mode;
    // alpha = 0: A, x and, with beta = 0, y may be anything.
    const std::vector<double> nothing(n, quiet_nan);
    y = nothing;
    ASSERT_EQ(accublas_dsymv(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, n, &zero, a.data(), n, nothing.data(), 1,
                             &zero, y.data(), 1),
              ACCUBLAS_SUCCESS);
    EXPECT_EQ(y, std::vector<double>(n, 0)) << mode;
    std::vector<double> c(n * n, 7);
    ASSERT_EQ(
        accublas_dger(context, ACCUBLAS_COL_MAJOR, n, n, &zero, nothing.data(), 1, nothing.data(), 1, c.data(), n),
        ACCUBLAS_SUCCESS);
    EXPECT_EQ(c, std::vector<double>(n * n, 7)) << mode;
  }
}

/// Threads and workspaces change no bit of a mode that defines them, and a Hermitian update clears the imaginary parts
/// of its diagonal, whatever they were.
TEST(Level2, BlocksChangeNoBit) {
  constexpr std::int64_t n = 301;
  std::uint64_t state = 1;
  const auto fill = [&](std::vector<double>& v) {
    for (double& number : v) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      number =
          std::ldexp(static_cast<double>(static_cast<std::int64_t>(state)), -63 + static_cast<int>(state >> 7 & 15));
    }
  };
  std::vector<double> a(2 * n * n), x(2 * n), y(2 * n);
  fill(a), fill(x), fill(y);
  const double alpha[2] = {0.7, -0.3}, beta[2] = {1, 0};
  for (const char* mode : {"cr", "dp:repro", "dot2", "fixed:60", "slices:5"}) {
    const auto all = [&](int threads, std::int64_t workspace) {
      api::Context context;
      EXPECT_EQ(accublas_set_num_threads(context, threads), ACCUBLAS_SUCCESS);
      accublas_options options = ACCUBLAS_OPTIONS_INIT;
      options.mode_name = mode;
      options.workspace_bytes = workspace;
      const auto good = [&](accublas_status status) { EXPECT_EQ(status, ACCUBLAS_SUCCESS) << mode << context.error(); };
      std::vector<double> c = a, p = y, q = x, r = y;
      good(accublas_zhemv_ex(context, ACCUBLAS_ROW_MAJOR, ACCUBLAS_LOWER, n, alpha, a.data(), n, x.data(), -1, beta,
                             p.data(), 1, &options));
      good(accublas_dsymv_ex(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, n, alpha, a.data(), n, x.data(), 2, beta,
                             r.data(), 2, &options));
      good(accublas_ztrmv_ex(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_CONJ_TRANS, ACCUBLAS_UNIT, n,
                             a.data(), n, q.data(), 1, &options));
      options.mode_name = "cr";
      good(accublas_zher2_ex(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, n, alpha, x.data(), 1, y.data(), -1, c.data(),
                             n, &options));
      for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(c[2 * i * (n + 1) + 1], 0);
      for (const auto* part : {&p, &q, &r}) c.insert(c.end(), part->begin(), part->end());
      return c;
    };
    const std::vector<double> want = all(1, -1);
    EXPECT_TRUE(api::same_bits(all(4, -1), want)) << mode;
    EXPECT_TRUE(api::same_bits(all(3, 1 << 16), want)) << mode;
  }
}

/// An increment along one element or none leads nowhere, whatever it is.
TEST(Level2, IncrementsOfNothing) {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::min();
  const double two = 2, three = 3;
  for (const char* mode : {"native", "cr"}) {
    api::Context context;
    ASSERT_EQ(accublas_set_mode_name(context, mode), ACCUBLAS_SUCCESS);
    double a = 5, x = 7, y = 11;
    for (accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR}) {
      ASSERT_EQ(
          accublas_dger(context, layout, 1, 1, &two, &x, far, &y, std::numeric_limits<std::int64_t>::max(), &a, 1),
          ACCUBLAS_SUCCESS)
          << context.error();
      ASSERT_EQ(accublas_dsymv(context, layout, ACCUBLAS_LOWER, 1, &two, &a, 1, &x, far, &three, &y, far),
                ACCUBLAS_SUCCESS)
          << context.error();
      ASSERT_EQ(
          accublas_dtrsv(context, layout, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, 1, &two, 1, &y, far),
          ACCUBLAS_SUCCESS)
          << context.error();
    }
    // a = 5 + 154, y = (2 159 7 + 33) / 2 = 1129.5; a = 159 + 14 1129.5 = 15972, y = (2 15972 7 + 3 1129.5) / 2.
    EXPECT_EQ(a, 15972) << mode;
    EXPECT_EQ(y, 113498.25) << mode;
    EXPECT_EQ(accublas_dger(context, ACCUBLAS_COL_MAJOR, 0, 1, &two, nullptr, far, nullptr, 1, nullptr, 1),
              ACCUBLAS_SUCCESS);
  }
}

/// Updates and mixed DOTs lack fixed and slices: refused in a call's options, passed over where they were set for all.
TEST(Level2, Modes) {
  api::Context context;
  const double one = 1;
  std::vector<double> a(4, 1), x(2, 1);
  const auto update = [&](const accublas_options* options) {
    return accublas_dger_ex(context, ACCUBLAS_COL_MAJOR, 2, 2, &one, x.data(), 1, x.data(), 1, a.data(), 2, options);
  };
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode_name = "fixed:60";
  EXPECT_EQ(update(&options), ACCUBLAS_ERROR_MODE);
  EXPECT_EQ(a, std::vector<double>(4, 1));
  ASSERT_EQ(accublas_set_mode_name(context, "fixed:60"), ACCUBLAS_SUCCESS);
  EXPECT_EQ(update(nullptr), ACCUBLAS_SUCCESS) << context.error();
  EXPECT_EQ(a, std::vector<double>(4, 2));
  // Both are exact sums rounded once: single precision does not have the number 1 + 2^-30.
  const float u[3] = {0x1p100f, 1, -0x1p100f}, v[3] = {0x1p20f, 1, 0x1p20f}, sb = 0x1p-30f;
  for (const char* mode : {"dp:repro", "dot2", "cr"}) {
    options.mode_name = mode;
    double d = quiet_nan;
    float s = 0;
    ASSERT_EQ(accublas_dsdot_ex(context, 3, u, 1, v, 1, &d, &options), ACCUBLAS_SUCCESS) << context.error();
    EXPECT_EQ(d, 1) << mode;
    ASSERT_EQ(accublas_sdsdot_ex(context, 3, &sb, u, 1, v, 1, &s, &options), ACCUBLAS_SUCCESS) << context.error();
    EXPECT_EQ(s, 1) << mode;
    ASSERT_EQ(accublas_sdsdot_ex(context, 0, &sb, nullptr, 1, nullptr, 1, &s, &options), ACCUBLAS_SUCCESS);
    EXPECT_EQ(s, sb) << mode;
    EXPECT_EQ(accublas_sdsdot_ex(context, 3, nullptr, u, 1, v, 1, &s, &options), ACCUBLAS_ERROR_ARGUMENT);
  }
}

/// An exact zero is +0, also where products cancel that no double holds, and what a sum of them may err by underflows.
TEST(Level2, UpdatesThatCancel) {
  api::Context context;
  ASSERT_EQ(accublas_set_mode_name(context, "cr"), ACCUBLAS_SUCCESS);
  const float alpha = 0x1.921fb6p+1f, u = 0x1.5bf0a8p-60f, v = 0x1.6a09e6p+0f, x[2] = {u, v}, y[2] = {u, -v};
  for (float zero : {0.0f, -0.0f}) {
    float a[4] = {1, 1, zero, 1};
    ASSERT_EQ(accublas_ssyr2(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, 2, &alpha, x, 1, y, 1, a, 2),
              ACCUBLAS_SUCCESS)
        << context.error();
    EXPECT_EQ(a[2], 0);
    EXPECT_FALSE(std::signbit(a[2]));
  }
}
