// The products of level 3 beside GEMM: every bad argument by its name, with results that stay as they were, and what is
// neither read nor written. Their values are the oracle's affair.
#include <cmath>
#include <cstring>
#include <limits>

#include "api.hpp"

namespace {

constexpr std::int64_t n = 3, k = 5, ld = 8;

/// Arguments that are good, to be spoilt one at a time; a routine takes those that it has.
struct Arguments {
  accublas_layout layout = ACCUBLAS_COL_MAJOR;
  accublas_side side = ACCUBLAS_LEFT;
  accublas_uplo uplo = ACCUBLAS_UPPER;
  accublas_transpose transa = ACCUBLAS_NO_TRANS, transb = ACCUBLAS_NO_TRANS;
  accublas_diag diag = ACCUBLAS_NON_UNIT;
  std::int64_t m = 4, n = ::n, k = ::k, lda = ld, ldb = ld, ldc = ld;
};

struct Data {
  // Enough for numbers of two doubles.
  std::vector<double> a = std::vector<double>(256, 1), b = std::vector<double>(256, 2), c = std::vector<double>(256, 3);
  double one[2] = {1, 0};
  const double* alpha = one;
  const double* beta = one;
};

using Run = accublas_status (*)(accublas_context*, const Arguments&, Data&);

struct Routine {
  const char* name;
  Run run;
  bool side, trans, two_trans, diag, has_k, has_b, has_c;  ///< which arguments there are
  const char* trans_name;
  accublas_transpose bad_trans;  ///< a transposition that this routine does not have; 0: none
};

#define SYMM(name)                                                                                                    \
  {                                                                                                                   \
#name, [](accublas_context* ctx, const Arguments& x, Data& d) {                                                     \
     return accublas_##name(ctx, x.layout, x.side, x.uplo, x.m, x.n, d.alpha, d.a.data(), x.lda, d.b.data(), x.ldb,    \
                            d.beta, d.c.data(), x.ldc);                                                                \
   }, true, false, false, false, false, true, true, "", 0 \
  }

#define SYRK(name, bad)                                                                                               \
  {                                                                                                                   \
#name, [](accublas_context* ctx, const Arguments& x, Data& d) {                                                     \
     return accublas_##name(ctx, x.layout, x.uplo, x.transa, x.n, x.k, d.alpha, d.a.data(), x.lda, d.beta,             \
                            d.c.data(), x.ldc);                                                                        \
   }, false, true, false, false, true, false, true, "trans", bad \
  }

#define SYR2K(name, bad)                                                                                              \
  {                                                                                                                   \
#name, [](accublas_context* ctx, const Arguments& x, Data& d) {                                                     \
     return accublas_##name(ctx, x.layout, x.uplo, x.transa, x.n, x.k, d.alpha, d.a.data(), x.lda, d.b.data(), x.ldb,  \
                            d.beta, d.c.data(), x.ldc);                                                                \
   }, false, true, false, false, true, true, true, "trans", bad \
  }

#define TRMM(name)                                                                                                    \
  {                                                                                                                   \
#name, [](accublas_context* ctx, const Arguments& x, Data& d) {                                                     \
     return accublas_##name(ctx, x.layout, x.side, x.uplo, x.transa, x.diag, x.m, x.n, d.alpha, d.a.data(), x.lda,     \
                            d.c.data(), x.ldb);                                                                        \
   }, true, true, false, true, false, true, false, "transa", 0 \
  }

#define GEMMT(name)                                                                                                   \
  {                                                                                                                   \
#name, [](accublas_context* ctx, const Arguments& x, Data& d) {                                                     \
     return accublas_##name(ctx, x.layout, x.uplo, x.transa, x.transb, x.n, x.k, d.alpha, d.a.data(), x.lda,           \
                            d.b.data(), x.ldb, d.beta, d.c.data(), x.ldc);                                             \
   }, false, true, true, false, true, true, true, "transa", 0 \
  }

/// In double precision: those of single precision are the same templates, and the oracle calls them.
const Routine routines[] = {SYMM(dsymm),
                            SYMM(zsymm),
                            SYMM(zhemm),
                            SYRK(dsyrk, 0),
                            SYRK(zsyrk, ACCUBLAS_CONJ_TRANS),
                            SYR2K(dsyr2k, 0),
                            SYR2K(zsyr2k, ACCUBLAS_CONJ_TRANS),
                            TRMM(dtrmm),
                            TRMM(ztrmm),
                            TRMM(dtrsm),
                            TRMM(ztrsm),
                            GEMMT(dgemmt),
                            GEMMT(zgemmt)};

}  // namespace

TEST(Level3, BadArguments) {
  api::Context context;
  for (const Routine& routine : routines) {
    Data data;
    ASSERT_EQ(routine.run(context, Arguments{}, data), ACCUBLAS_SUCCESS) << routine.name << ": " << context.error();
    const std::vector<double> before = data.c;
    const auto bad = [&](const char* name, auto&& spoil) {
      for (accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR}) {
        Arguments arguments;
        arguments.layout = layout;
        spoil(arguments);
        EXPECT_EQ(routine.run(context, arguments, data), ACCUBLAS_ERROR_ARGUMENT) << routine.name << " " << name;
        EXPECT_NE(context.error().find(std::string("argument ") + name + " "), std::string::npos)
            << routine.name << ": " << context.error();
        EXPECT_EQ(data.c, before) << routine.name << " " << name;
      }
    };
    bad("layout", [](Arguments& x) { x.layout = 103; });
    bad("uplo", [](Arguments& x) { x.uplo = 123; });
    bad("n", [](Arguments& x) { x.n = -1; });
    bad("lda", [](Arguments& x) { x.lda = 2; });
    if (routine.side) bad("side", [](Arguments& x) { x.side = 0; });
    if (routine.side) bad("m", [](Arguments& x) { x.m = -1; });
    if (routine.trans) bad(routine.trans_name, [](Arguments& x) { x.transa = 114; });
    if (routine.bad_trans) bad(routine.trans_name, [&](Arguments& x) { x.transa = routine.bad_trans; });
    if (routine.two_trans) bad("transb", [](Arguments& x) { x.transb = 0; });
    if (routine.diag) bad("diag", [](Arguments& x) { x.diag = 130; });
    if (routine.has_k) bad("k", [](Arguments& x) { x.k = -1; });
    if (routine.has_b) bad("ldb", [](Arguments& x) { x.ldb = 2; });
    if (routine.has_c) bad("ldc", [](Arguments& x) { x.ldc = 2; });
    const auto null = [&](const char* name, std::vector<double>& operand) {
      std::vector<double> none;
      operand.swap(none);  // an empty vector has no address
      bad(name, [](Arguments&) {});
      operand.swap(none);
    };
    null("a", data.a);
    if (routine.has_b && routine.has_c) null("b", data.b);
    data.alpha = nullptr;
    bad("alpha", [](Arguments&) {});
  }
}

/// m and n of the report are C's rows and columns in both layouts.
TEST(Level3, ReportedSizes) {
  api::Context context;
  for (const Routine& routine : routines)
    for (accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR}) {
      Data data;
      Arguments arguments;
      arguments.layout = layout;
      arguments.m = 2;
      ASSERT_EQ(routine.run(context, arguments, data), ACCUBLAS_SUCCESS) << routine.name << ": " << context.error();
      EXPECT_EQ(context.report().m, routine.side ? 2 : n) << routine.name << " " << layout;
      EXPECT_EQ(context.report().n, n) << routine.name << " " << layout;
    }
}

/// TRSM's definition is of every unknown by itself: threads, instruction sets' blocks and a workspace that holds no
/// line change no bit, and modes that it lacks are refused by name.
TEST(Level3, SolutionsDoNotDependOnBlocks) {
  constexpr std::int64_t n = 150, sides = 90;
  std::vector<double> a(static_cast<std::size_t>(n * n)), b(static_cast<std::size_t>(n * sides));
  std::uint64_t state = 1;
  const auto number = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return std::ldexp(static_cast<double>(state >> 11), -53) - 0.5;
  };
  for (double& x : a) x = number();
  for (double& x : b) x = number();
  for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1))] += 3;
  const double alpha = 1.25;
  const auto solve = [&](int threads, std::int64_t workspace, const char* mode, accublas_side side) {
    api::Context context;
    EXPECT_EQ(accublas_set_mode_name(context, mode), ACCUBLAS_SUCCESS);
    EXPECT_EQ(accublas_set_num_threads(context, threads), ACCUBLAS_SUCCESS);
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.workspace_bytes = workspace;
    std::vector<double> x = b;
    const bool left = side == ACCUBLAS_LEFT;
    EXPECT_EQ(accublas_dtrsm_ex(context, ACCUBLAS_COL_MAJOR, side, ACCUBLAS_UPPER, ACCUBLAS_TRANS, ACCUBLAS_NON_UNIT,
                                left ? n : sides, left ? sides : n, &alpha, a.data(), n, x.data(), left ? n : sides,
                                &options),
              ACCUBLAS_SUCCESS)
        << context.error();
    return x;
  };
  for (accublas_side side : {ACCUBLAS_LEFT, ACCUBLAS_RIGHT}) {
    const std::vector<double> want = solve(1, -1, "cr", side);
    EXPECT_NE(want, b);
    EXPECT_EQ(solve(4, -1, "cr", side), want);
    EXPECT_EQ(solve(3, 64, "cr", side), want);
    EXPECT_EQ(solve(2, 100000, "dp:repro", side), want);
    const std::vector<double> twofold = solve(1, -1, "dot2", side);
    EXPECT_EQ(solve(4, -1, "dot2", side), twofold);
    EXPECT_EQ(solve(3, 64, "dot2", side), twofold);
  }
  api::Context context;
  accublas_options fixed = ACCUBLAS_OPTIONS_INIT;
  fixed.mode_name = "fixed:60";
  std::vector<double> x = b;
  EXPECT_EQ(accublas_dtrsm_ex(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_TRANS,
                              ACCUBLAS_NON_UNIT, n, sides, &alpha, a.data(), n, x.data(), n, &fixed),
            ACCUBLAS_ERROR_MODE);
  EXPECT_EQ(x, b);
}

/// The plain transposition is none of HERK's and HER2K's.
TEST(Level3, HermitianProductsHaveNoTransposition) {
  api::Context context;
  std::vector<double> a(256, 1), c(256, 3);
  const double one[2] = {1, 0};
  EXPECT_EQ(accublas_zherk(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_TRANS, 2, 2, one, a.data(), 4, one,
                           c.data(), 4),
            ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_zher2k(context, ACCUBLAS_ROW_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_TRANS, 2, 2, one, a.data(), 4,
                            a.data(), 4, one, c.data(), 4),
            ACCUBLAS_ERROR_ARGUMENT);
}

/// The real BLAS must also keep these: the other triangle of C, and a C that beta = 0 leaves unread.
TEST(Level3, OtherTriangleStays) {
  api::Context context;
  const double nan = std::numeric_limits<double>::quiet_NaN(), one = 1, zero = 0;
  constexpr std::int64_t order = 70;
  for (const char* mode : {"native", "dp", "dp:repro", "cr", "dot2", "fixed:60", "slices:8"}) {
    ASSERT_EQ(accublas_set_mode_name(context, mode), ACCUBLAS_SUCCESS);
    std::vector<double> a(order * k, 1), c(order * order, nan);
    ASSERT_EQ(accublas_dgemmt(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, order, k,
                              &one, a.data(), order, a.data(), order, &zero, c.data(), order),
              ACCUBLAS_SUCCESS)
        << context.error();
    ASSERT_EQ(accublas_dsyrk(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, order, k, &one, a.data(),
                             order, &one, c.data(), order),
              ACCUBLAS_SUCCESS)
        << context.error();
    for (std::int64_t j = 0; j < order; ++j)
      for (std::int64_t i = 0; i < order; ++i)
        ASSERT_TRUE(i < j ? c[i + j * order] != c[i + j * order] : c[i + j * order] == 2.0 * k)
            << mode << " " << i << " " << j;
  }
}

/// Blocks under a small workspace have the bits of the call at once, and those of GEMM's triangle where the mode is
/// local to the element.
TEST(Level3, Blocks) {
  api::Context context;
  constexpr std::int64_t order = 150, terms = 530;  // dp:repro: more real terms than cr computes
  std::vector<double> a(2 * order * terms);
  std::uint64_t state = 1;
  for (double& x : a) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(state)), -63 + static_cast<int>(state >> 7 & 15));
  }
  const double one[2] = {1, 0}, zero[2] = {0, 0};
  for (const char* mode : {"cr", "dp:repro", "fixed:60", "dot2", "slices:4"}) {
    std::vector<double> at_once(2 * order * order, 7), in_blocks = at_once, whole = at_once;
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.mode_name = mode;
    const auto syrk = [&](std::vector<double>& c) {
      return accublas_zsyrk_ex(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, order, terms, one,
                               a.data(), order, zero, c.data(), order, &options);
    };
    ASSERT_EQ(syrk(at_once), ACCUBLAS_SUCCESS) << context.error();
    options.workspace_bytes = 1 << 20;
    ASSERT_EQ(syrk(in_blocks), ACCUBLAS_SUCCESS) << context.error();
    EXPECT_TRUE(at_once == in_blocks) << mode;
    if (std::string(mode) == "dp:repro") continue;
    ASSERT_EQ(accublas_zgemm_ex(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, order, order, terms,
                                one, a.data(), order, a.data(), order, zero, whole.data(), order, &options),
              ACCUBLAS_SUCCESS)
        << context.error();
    for (std::int64_t j = 0; j < order; ++j)
      for (std::int64_t i = 0; i < 2 * order; ++i)
        ASSERT_EQ(at_once[2 * j * order + i], i / 2 <= j ? whole[2 * j * order + i] : 7)
            << mode << " " << i << " " << j;
  }
}
