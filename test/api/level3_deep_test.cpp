// Products of level 3 with a long inner dimension, and the bounds that products report.
#include <cmath>
#include <cstring>
#include <limits>

#include "api.hpp"
#include "lib/call/mode.hpp"

/// Narrow results with a long inner dimension, which the CPU sums some terms at a time: the bits of residues, under
/// threads and workspaces, at depths around the lengths of its chains.
class DeepProducts : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Modes, DeepProducts, testing::Values("cr", "dp:repro", "fixed:24", "fixed:60"));

TEST_P(DeepProducts, HaveTheBitsOfResidues) {
  api::Context context(GetParam());
  constexpr std::int64_t order = 21, deepest = 4200;
  std::vector<double> a(2 * order * deepest), b(a.size()), c(2 * order * order);
  std::uint64_t state = 5;
  for (std::vector<double>* x : {&a, &b, &c})
    for (double& number : *x) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const int pick = static_cast<int>(state >> 20 & 31);
      number = pick == 0 ? -0.0 : std::ldexp(static_cast<double>(static_cast<std::int64_t>(state)), -63 + pick);
    }
  const double alpha[2] = {1.5, 0}, beta[2] = {-1, 0};
  const accublas_layout layouts[] = {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR};
  int number = 0;
  for (const std::int64_t depth : {1025, 2047, 2049, 3072, 3073, 4200}) {
    if (depth < 2049 && std::string(GetParam()) != "cr") continue;
    const accublas_layout layout = layouts[number % 2];
    const accublas_uplo uplo = number / 2 % 2 ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
    const bool second = ++number % 3 == 0;
    a[number * 40] = number % 2 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    const accublas_transpose plain = second ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS,
                             adjoint = second ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS,
                             other = second ? ACCUBLAS_NO_TRANS : ACCUBLAS_CONJ_TRANS;
    const std::int64_t ld = (layout == ACCUBLAS_COL_MAJOR) != second ? order : deepest;
    std::vector<std::int64_t> rejected;
    std::vector<double> bounds;
    const auto all = [&](const accublas_options& options, const char* engine) {
      std::vector<std::vector<double>> results;
      const auto call = [&](auto&& routine) {
        results.push_back(c);
        EXPECT_EQ(routine(results.back().data()), ACCUBLAS_SUCCESS) << context.error();
        const accublas_report_t report = context.report();
        EXPECT_STREQ(report.engine, engine);
        rejected.push_back(report.rejected);
        bounds.push_back(report.bound_componentwise);
      };
      rejected.clear(), bounds.clear();
      call([&](double* out) {
        return accublas_dsyrk_ex(context, layout, uplo, plain, order, depth, alpha, a.data(), ld, beta, out, order,
                                 &options);
      });
      call([&](double* out) {
        return accublas_dsyr2k_ex(context, layout, uplo, plain, order, depth, alpha, a.data(), ld, b.data(), ld, beta,
                                  out, order, &options);
      });
      call([&](double* out) {
        return accublas_zherk_ex(context, layout, uplo, adjoint, order, depth, alpha, a.data(), ld, beta, out, order,
                                 &options);
      });
      call([&](double* out) {
        return accublas_zher2k_ex(context, layout, uplo, adjoint, order, depth, alpha, a.data(), ld, b.data(), ld, beta,
                                  out, order, &options);
      });
      call([&](double* out) {
        return accublas_zsyrk_ex(context, layout, uplo, plain, order, depth, alpha, a.data(), ld, beta, out, order,
                                 &options);
      });
      call([&](double* out) {
        return accublas_zgemmt_ex(context, layout, uplo, adjoint, other, order, depth, alpha, a.data(), ld, b.data(),
                                  ld, beta, out, order, &options);
      });
      call([&](double* out) {
        return accublas_zgemm_ex(context, layout, adjoint, other, order, order - 4, depth, alpha, a.data(), ld,
                                 b.data(), ld, beta, out, order, &options);
      });
      call([&](double* out) {
        return accublas_dgemm_ex(context, layout, plain, other, order, order - 4, depth, alpha, a.data(), ld, b.data(),
                                 ld, beta, out, order, &options);
      });
      return results;
    };
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.engine = ACCUBLAS_ENGINE_INT8;
    const auto want = all(options, "int8");
    const auto want_rejected = rejected;
    const auto want_bounds = bounds;
    for (const std::int64_t workspace : {std::int64_t{-1}, std::int64_t{1} << 19, std::int64_t{0}})
      for (const int threads : {1, 3}) {
        options.engine = ACCUBLAS_ENGINE_SUMS;
        options.num_threads = threads;
        options.workspace_bytes = workspace;
        const auto got = all(options, "sums");
        EXPECT_EQ(rejected, want_rejected) << "k " << depth;
        EXPECT_EQ(bounds, want_bounds) << "k " << depth;
        for (std::size_t i = 0; i < want.size(); ++i)
          EXPECT_EQ(std::memcmp(got[i].data(), want[i].data(), want[i].size() * sizeof(double)), 0)
              << "routine " << i << ", k " << depth << ", " << workspace << " bytes, " << threads << " threads";
      }
    // Sums are the plan's choice for such shapes.
    if (depth < 2049 || std::string(context.report().device) == "cpu:baseline") continue;
    const accublas_options unset = ACCUBLAS_OPTIONS_INIT;
    all(unset, "sums");
  }
}

/// fixed:T that drops no bit is an exact product, which the report says of complex types, of level 3 and of batches,
/// too.
TEST(Level3, FixedThatDropsNothingPromisesOneRounding) {
  api::Context context;
  constexpr std::int64_t order = 40;
  std::vector<double> a(2 * order * order), c(2 * order * order);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 7) - 3;
  const double one[2] = {1, 0}, zero[2] = {0, 0};
  ASSERT_EQ(accublas_set_mode_name(context, "fixed:60"), ACCUBLAS_SUCCESS);
  const auto bound_of = [&](accublas_status status) {
    EXPECT_EQ(status, ACCUBLAS_SUCCESS) << context.error();
    accublas_report_t report{};
    report.struct_size = sizeof report;
    EXPECT_EQ(accublas_report(context, &report), ACCUBLAS_SUCCESS);
    EXPECT_EQ(report.bound_relative, 0x1p-53) << report.routine;
    return report.bound_componentwise;
  };
  const auto all = [&] {
    return std::vector<double>{
        bound_of(accublas_dgemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, order, order, order,
                                one, a.data(), order, a.data(), order, zero, c.data(), order)),
        bound_of(accublas_zgemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, order, order, order,
                                one, a.data(), order, a.data(), order, zero, c.data(), order)),
        bound_of(accublas_dsyrk(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, order, order, one,
                                a.data(), order, zero, c.data(), order)),
        bound_of(accublas_zhemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, ACCUBLAS_LOWER, order, order, one, a.data(),
                                order, a.data(), order, zero, c.data(), order)),
        bound_of(accublas_dgemm_strided_batched(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 20,
                                                20, 20, one, a.data(), 20, 400, a.data(), 20, 400, zero, c.data(), 20,
                                                400, 3))};
  };
  EXPECT_EQ(all(), std::vector<double>(5, 0.0));
  a[5] += 0x1p-51;  // its line drops it
  a[5 + 3 * 20] += 0x1p-51;
  ASSERT_EQ(accublas_set_mode_name(context, "fixed:30"), ACCUBLAS_SUCCESS);
  EXPECT_EQ(all(), std::vector<double>(5, std::numeric_limits<double>::infinity()));
}

/// SYMM and TRMM have the bits of GEMM on the whole matrix in dp:repro where the order is large enough for a
/// certificate. The small part of a row beside its large entries makes the certificate reject some elements, or too
/// many of them.
TEST(Level3, LongSumsOfSquareOperandsHaveTheBitsOfGemm) {
  constexpr std::int64_t order = accublas::most_terms_as_cr + 6, others = 65;
  const double alpha = -1.5, beta = 0.5, zero = 0;
  std::uint64_t state = 9;
  const auto uniform = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return 0.5 + static_cast<double>(state >> 11) * 0x1p-54;
  };
  std::vector<double> b(order * others), c(b.size());
  for (std::vector<double>* x : {&b, &c})
    for (double& number : *x) number = uniform();
  for (const std::int64_t hard_rows : {0, 10, 30})
    for (const bool triangular : {false, true})
      for (const bool left : {false, true}) {
        const std::int64_t m = left ? order : others, n = left ? others : order;
        // Only the lower triangle is stored. Hard rows have one large entry, which the certificate does not sample.
        std::vector<double> stored(order * order, std::numeric_limits<double>::quiet_NaN()), whole(order * order, 0);
        for (std::int64_t j = 0; j < order; ++j)
          for (std::int64_t i = j; i < order; ++i) {
            const bool hard = left ? i >= order - hard_rows : j < hard_rows;
            const double large = (left ? j : i) == 200 ? 1 : 0x1p-40;
            stored[i + j * order] = whole[i + j * order] = uniform() * (hard ? large : 1);
            if (!triangular) whole[j + i * order] = stored[i + j * order];
          }
        std::vector<std::int64_t> rejected;
        std::vector<std::vector<double>> results;
        for (const accublas_engine engine : {ACCUBLAS_ENGINE_AUTO, ACCUBLAS_ENGINE_INT8}) {
          api::Context context("dp:repro");
          ASSERT_EQ(accublas_set_engine(context, engine), ACCUBLAS_SUCCESS);
          const auto done = [&](accublas_status status, const std::vector<double>& result) {
            EXPECT_EQ(status, ACCUBLAS_SUCCESS) << context.error();
            rejected.push_back(context.report().rejected);
            results.push_back(result);
          };
          std::vector<double> out = c;
          done(accublas_dgemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n, order, &alpha,
                              left ? whole.data() : b.data(), m, left ? b.data() : whole.data(), order,
                              triangular ? &zero : &beta, out.data(), m),
               out);
          const accublas_side side = left ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT;
          out = triangular ? b : c;
          done(triangular ? accublas_dtrmm(context, ACCUBLAS_COL_MAJOR, side, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS,
                                           ACCUBLAS_NON_UNIT, m, n, &alpha, stored.data(), order, out.data(), m)
                          : accublas_dsymm(context, ACCUBLAS_COL_MAJOR, side, ACCUBLAS_LOWER, m, n, &alpha,
                                           stored.data(), order, b.data(), m, &beta, out.data(), m),
               out);
        }
        for (std::size_t i = 1; i < results.size(); ++i) {
          EXPECT_TRUE(api::same_bits(results[0], results[i])) << hard_rows << triangular << left << " call " << i;
          EXPECT_EQ(rejected[0], rejected[i]) << hard_rows << triangular << left << " call " << i;
        }
        EXPECT_EQ(rejected[0] > 0, hard_rows > 0) << hard_rows << triangular << left;
        EXPECT_EQ(rejected[0] == m * n, hard_rows == 30) << hard_rows << triangular << left;
      }
}

/// A diagonal of HER2K with an imaginary alpha is the imaginary part of a difference of products, whose terms may be
/// far smaller than those of the real part: T* of dp:repro covers them.
TEST(Level3, DiagonalOfHer2kKeepsItsBound) {
  api::Context context;
  constexpr std::int64_t terms = accublas::most_terms_as_cr / 4 + 1;  // of four real terms: more than cr computes
  std::uint64_t state = 1;
  const auto uniform = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  const double alpha[2] = {0, 1}, beta = 0;
  for (int i = 0; i < 500; ++i) {
    double a[2 * terms], b[2 * terms];
    for (double* x : {a, b}) {
      const double far = std::ldexp(1, -1 - i % 14);
      for (std::int64_t p = 0; p < terms; ++p) {
        x[2 * p] = uniform() + 0.5;
        x[2 * p + 1] = (uniform() - 0.5) * far;
      }
    }
    double result[2][2];
    for (const bool exact : {false, true}) {
      ASSERT_EQ(accublas_set_mode_name(context, exact ? "cr" : "dp:repro"), ACCUBLAS_SUCCESS);
      ASSERT_EQ(accublas_zher2k(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, 1, terms, alpha, a, 1,
                                b, 1, &beta, result[exact], 1),
                ACCUBLAS_SUCCESS)
          << context.error();
    }
    double size = 0;
    for (std::int64_t p = 0; p < terms; ++p)
      size += 2 * (std::fabs(a[2 * p] * b[2 * p + 1]) + std::fabs(a[2 * p + 1] * b[2 * p]));
    ASSERT_LE(std::fabs(result[0][0] - result[1][0]), (4 * terms + 7) * 0x1p-53 * size) << i;
  }
}
