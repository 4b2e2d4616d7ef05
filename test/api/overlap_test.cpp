// Operands that share memory with a result are an error that names both, and options that no mode has.

#include "api.hpp"

/// The message about a shared element names the caller's arguments, also where row-major calls exchange them.
TEST(Overlap, NamesOfArguments) {
  constexpr std::int64_t ld = 16, order = 4;
  api::Context context("cr");
  std::vector<double> shared(ld * ld, 2), others(ld * ld, 0.5);
  double *const c = shared.data(), *const b = others.data();
  const double one[2] = {1, 0};
  const auto expect = [&](accublas_status status, const std::string& result, const std::string& other) {
    EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT);
    EXPECT_NE(context.error().find("argument " + result + " shares memory with argument " + other + ":"),
              std::string::npos)
        << other << ": " << context.error();
  };
  for (const accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR})
    for (const bool second : {false, true}) {
      const double *const x = second ? b : c, *const y = second ? c : b;
      const char *const of_matrices = second ? "b" : "a", *const of_vectors = second ? "y" : "x";
      const auto n = ACCUBLAS_NO_TRANS;
      const auto u = ACCUBLAS_UPPER;
      expect(accublas_dgemm(context, layout, n, n, order, order, order, one, x, ld, y, ld, one, c, ld), "c",
             of_matrices);
      expect(accublas_dgemmt(context, layout, u, n, n, order, order, one, x, ld, y, ld, one, c, ld), "c", of_matrices);
      expect(accublas_dsyr2k(context, layout, u, n, order, order, one, x, ld, y, ld, one, c, ld), "c", of_matrices);
      expect(accublas_zher2k(context, layout, u, n, 2, 2, one, x, ld, y, ld, one, c, ld), "c", of_matrices);
      expect(accublas_dsymm(context, layout, ACCUBLAS_LEFT, u, order, order, one, x, ld, y, ld, one, c, ld), "c",
             of_matrices);
      expect(accublas_dsymm(context, layout, ACCUBLAS_RIGHT, u, order, order, one, x, ld, y, ld, one, c, ld), "c",
             of_matrices);
      expect(accublas_dger(context, layout, order, order, one, x, 1, y, 1, c, ld), "a", of_vectors);
      expect(accublas_zgeru(context, layout, 2, 2, one, x, 1, y, 1, c, ld), "a", of_vectors);
      expect(accublas_zgerc(context, layout, 2, 2, one, x, 1, y, 1, c, ld), "a", of_vectors);
      expect(accublas_dsyr2(context, layout, u, order, one, x, 1, y, 1, c, ld), "a", of_vectors);
      expect(accublas_zher2(context, layout, u, 2, one, x, 1, y, 1, c, ld), "a", of_vectors);
      if (second) continue;
      expect(accublas_dtrsm(context, layout, ACCUBLAS_LEFT, u, n, ACCUBLAS_NON_UNIT, order, order, one, c, ld, c, ld),
             "b", "a");
      expect(accublas_dtrsv(context, layout, u, n, ACCUBLAS_NON_UNIT, order, c, ld, c, 1), "x", "a");
      expect(accublas_dsymv(context, layout, u, order, one, c, ld, b, 1, one, c, 1), "y", "a");
    }
}

/// A result that shares an element with an operand is refused in every mode, and what interleaves without one is not.
TEST(Overlap, EveryRoutine) {
  constexpr auto columns = ACCUBLAS_COL_MAJOR;
  constexpr auto plain = ACCUBLAS_NO_TRANS;
  constexpr std::int64_t ld = 16, order = 4;
  const double one = 1, zero = 0;
  for (const std::string& mode : api::modes()) {
    api::Context context;
    std::vector<double> x(ld * ld, 0.25), other(ld * ld, 0.5);
    for (std::int64_t i = 0; i < ld; ++i) x[static_cast<std::size_t>(i * (ld + 1))] = 2;
    ASSERT_EQ(accublas_set_mode_name(context, mode.c_str()), ACCUBLAS_SUCCESS);
    const std::vector<double> before = x;
    const auto refused = [&](const char* what, accublas_status status) {
      if (status == ACCUBLAS_ERROR_MODE) return;  // the routine lacks it
      EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT) << mode << " " << what;
      EXPECT_NE(context.error().find("shares memory"), std::string::npos) << context.error();
      EXPECT_TRUE(api::same_bits(x, before)) << mode << " " << what;
    };
    double *a = x.data(), *b = other.data(), *below = a + order, *row = a + order, *inside = a + ld + 1;
    const auto gemm = [&](const double* alpha, std::int64_t k, const double* left, double* c) {
      return accublas_dgemm(context, columns, plain, plain, order, order, k, alpha, left, ld, b, ld, &one, c, ld);
    };
    refused("gemm", gemm(&one, order, a, a));
    refused("gemm, a part", gemm(&one, order, a, inside));
    refused("gemm, another stride", accublas_dgemm(context, columns, plain, plain, order, order, order, &one, b, ld, a,
                                                   ld, &one, inside, ld - 1));
    refused("gemm_strided",
            accublas_dgemm_strided(context, order, order, order, &one, a, 2, ld, b, 2, ld, &one, a + 2, 2, ld));
    refused("gemm_strided_batched", accublas_dgemm_strided_batched(context, columns, plain, plain, 2, 2, 2, &one, a, ld,
                                                                   4, b, ld, 4, &one, a + 4, ld, 4, 2));
    const double* lefts[] = {b, b + 1};
    double* same[] = {a, a};
    refused("gemm_batched", accublas_dgemm_batched(context, columns, plain, plain, 2, 2, 2, &one, lefts, ld, lefts, ld,
                                                   &one, same, ld, 2));
    refused("gemv", accublas_dgemv(context, columns, plain, order, order, &one, a, ld, b, 1, &one, inside, 1));
    refused("gemv, x", accublas_dgemv(context, columns, plain, order, order, &one, b, ld, a, 1, &one, a + 1, 1));
    refused("dot", accublas_ddot(context, order, a, 2, b, 1, a + 2));
    refused("nrm2", accublas_dnrm2(context, order, a, -1, a + 3));
    refused("asum", accublas_dasum(context, order, a, 1, a));
    refused("ger", accublas_dger(context, columns, order, order, &one, inside, 1, b, 1, a, ld));
    refused("syr", accublas_dsyr(context, columns, ACCUBLAS_UPPER, order, &one, inside, ld, a, ld));
    refused("symv", accublas_dsymv(context, columns, ACCUBLAS_LOWER, order, &one, a, ld, b, 1, &one, inside, 1));
    refused("trmv", accublas_dtrmv(context, columns, ACCUBLAS_UPPER, plain, ACCUBLAS_NON_UNIT, order, a, ld, a, 1));
    refused("symm", accublas_dsymm(context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, order, order, &one, a, ld, b, ld,
                                   &one, inside, ld));
    refused("syrk", accublas_dsyrk(context, columns, ACCUBLAS_UPPER, plain, order, order, &one, a, ld, &one, a, ld));
    refused("trsm", accublas_dtrsm(context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, plain, ACCUBLAS_NON_UNIT, order,
                                   order, &one, a, ld, a, ld));
    std::int64_t pivots[order] = {1, 2, 3, 4}, info = 0;
    refused("getrs", accublas_dgetrs(context, columns, plain, order, 1, a, ld, pivots, inside, ld));
    refused("posv", accublas_dposv(context, columns, ACCUBLAS_UPPER, order, 1, a, ld, a + 3 * ld, ld, &info));
    refused("geqrf", accublas_dgeqrf(context, columns, order, order, a, ld, inside));
    refused("gels", accublas_dgels(context, columns, plain, order, order, 1, a, ld, inside, ld, &info));
    refused("gesv_certified",
            accublas_dgesv_certified(context, columns, order, 1, a, ld, b, ld, inside, ld, b + 8, ld, nullptr));
    // Rows below rows, rows beside columns, the other triangle, and what is not read.
    const auto taken = [&](const char* what, accublas_status status) {
      EXPECT_TRUE(status == ACCUBLAS_SUCCESS || status == ACCUBLAS_ERROR_MODE)
          << mode << " " << what << ": " << context.error();
    };
    taken("gemm, blocks of one array", gemm(&one, order, a, below));
    taken("gemm, alpha = 0", gemm(&zero, order, a, a));
    taken("gemm, k = 0", gemm(&one, 0, a, a));
    taken("gemm, no rows",
          accublas_dgemm(context, columns, plain, plain, 0, order, order, &one, a, ld, b, ld, &one, a, ld));
    taken("gemv, a row below", accublas_dgemv(context, columns, plain, order, order, &one, a, ld, b, 1, &one, row, ld));
    taken("dot, x and y", accublas_ddot(context, order, a, 1, a, 1, b));
    taken("trmv, the other triangle",
          accublas_dtrmv(context, columns, ACCUBLAS_UPPER, plain, ACCUBLAS_UNIT, order, a, ld, a + 1, 1));
    taken("trmm, the other triangle", accublas_dtrmm(context, columns, ACCUBLAS_LEFT, ACCUBLAS_UPPER, plain,
                                                     ACCUBLAS_NON_UNIT, 2, 2, &one, a, ld, a + 2, ld));
  }
}

/// Options that go with a mode are refused if no mode is set.
TEST(Options, OfNoMode) {
  api::Context context;
  const double x = 3;
  double result = 1;
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode_flags = ACCUBLAS_MODE_REPRODUCIBLE;
  EXPECT_EQ(accublas_ddot_ex(context, 1, &x, 1, &x, 1, &result, &options), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(context.error().find("mode_flags"), std::string::npos) << context.error();
  options = ACCUBLAS_OPTIONS_INIT;
  options.mode_parameter = 60;
  EXPECT_EQ(accublas_ddot_ex(context, 1, &x, 1, &x, 1, &result, &options), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(context.error().find("mode_parameter"), std::string::npos) << context.error();
  EXPECT_EQ(result, 1);
}

/// A mode that has no bound says so in words.
TEST(Options, MessageOfAModeWithoutABound) {
  api::Context context;
  const double x = 3, one = 1;
  double result = 1;
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  for (const char* mode : {"tf64x1", "tf64x4"})
    for (const double target : {1e-10, std::numeric_limits<double>::infinity()}) {
      options.mode_name = mode;
      options.target = target;
      EXPECT_EQ(accublas_dgemm_ex(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 1, 1, 1, &one, &x,
                                  1, &x, 1, &one, &result, 1, &options),
                ACCUBLAS_ERROR_ACCURACY);
      EXPECT_EQ(context.error().find("promises inf"), std::string::npos) << context.error();
      EXPECT_NE(context.error().find("promises no bound, and"), std::string::npos) << context.error();
    }
}
