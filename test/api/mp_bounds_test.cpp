// Error bounds of the published multiple-precision GEMV: against results, and against the formulas in MPFR.
#include <cfenv>
#include <cmath>
#include <random>

#include "mp.hpp"

using namespace mp_test;

namespace {

Real log2_of(const Real& x, mpfr_rnd_t rounding) {
  Real y(60);
  mpfr_log2(y.get(), x.get(), rounding);
  return y;
}

/// The published bounds (16) to (19), and half a unit in the last place, which is what holds: every precision, N and T.
TEST(MpBounds, ResultsLieFarBelowThePublishedOnes) {
  Source source(8);
  for (int precision : {64, 106, 212, 424, 777, 848, 1696, 4096})
    for (accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
      SCOPED_TRACE(testing::Message() << precision << " bits, transposition " << trans);
      const std::int64_t n = 12;
      const mpfr_prec_t long_enough = 4 * precision + 1000;
      const Vector a = source.vector(n * n, precision, precision, 3, 0),
                   x = source.vector(n, precision, precision, 3, 0), y = source.vector(n, precision, precision, 3, 0);
      const Real alpha = source.number(precision, precision, 1, 0), beta = source.number(precision, precision, 1, 0);
      const Array ma(precision, a), mx(precision, x), my(precision, y), scalars(precision, Vector{alpha, beta});
      ASSERT_EQ(accublas_mp_gemv(nullptr, trans, n, n, scalars, 0, ma, 0, n, mx, 0, 1, scalars, 1, my, 0, 1),
                ACCUBLAS_SUCCESS);
      Real error(long_enough), magnitude(long_enough), exact_norm(long_enough), term(long_enough), exact(long_enough);
      for (std::int64_t i = 0; i < n; ++i) {
        mpfr_mul(exact.get(), beta.get(), y[i].get(), MPFR_RNDN);
        mpfr_abs(term.get(), exact.get(), MPFR_RNDN);
        mpfr_add(magnitude.get(), magnitude.get(), term.get(), MPFR_RNDN);
        for (std::int64_t j = 0; j < n; ++j) {
          const Real& entry = trans == ACCUBLAS_NO_TRANS ? a[i + j * n] : a[j + i * n];
          mpfr_mul(term.get(), entry.get(), x[j].get(), MPFR_RNDN);
          mpfr_mul(term.get(), term.get(), alpha.get(), MPFR_RNDN);
          mpfr_add(exact.get(), exact.get(), term.get(), MPFR_RNDN);
          mpfr_abs(term.get(), term.get(), MPFR_RNDN);
          mpfr_add(magnitude.get(), magnitude.get(), term.get(), MPFR_RNDN);
        }
        mpfr_sub(term.get(), my.get(i).get(), exact.get(), MPFR_RNDN);
        mpfr_abs(term.get(), term.get(), MPFR_RNDN);
        mpfr_add(error.get(), error.get(), term.get(), MPFR_RNDN);
        mpfr_abs(exact.get(), exact.get(), MPFR_RNDN);
        mpfr_add(exact_norm.get(), exact_norm.get(), exact.get(), MPFR_RNDN);
      }
      const double log2_m = 2.0 * precision + 2;
      const double log2_magnitude = mpfr_get_d(log2_of(magnitude, MPFR_RNDD).get(), MPFR_RNDD),
                   log2_error = mpfr_get_d(log2_of(error, MPFR_RNDU).get(), MPFR_RNDU),
                   log2_exact = mpfr_get_d(log2_of(exact_norm, MPFR_RNDU).get(), MPFR_RNDU);
      EXPECT_LE(log2_error, accublas_mp_log2_absolute_bound(n, log2_m, log2_magnitude));  // (16), (18)
      mpfr_div(term.get(), error.get(), exact_norm.get(), MPFR_RNDU);
      const double log2_relative = mpfr_get_d(log2_of(term, MPFR_RNDU).get(), MPFR_RNDU);
      EXPECT_LE(log2_relative, accublas_mp_log2_relative_bound(n, log2_m, log2_magnitude, log2_exact));  // (17), (19)
      EXPECT_LE(log2_relative, -precision);
    }
}

double sum_up(double a, double b) {
  Real sum(53), other(53);
  mpfr_set_d(sum.get(), a, MPFR_RNDN);
  mpfr_set_d(other.get(), b, MPFR_RNDN);
  mpfr_add(sum.get(), sum.get(), other.get(), MPFR_RNDU);
  return mpfr_get_d(sum.get(), MPFR_RNDU);
}

/// The functions against the formula in 400 bits: never below it, and above it by no more than 2^-34.
TEST(MpBounds, Formula) {
  for (std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000}, std::int64_t{1} << 40})
    for (double log2_m : {90.0, 214.0, 850.0, 3394.0, 16386.0}) {
      SCOPED_TRACE(testing::Message() << n << " terms, moduli of 2^" << log2_m);
      Real nu(400), factor(400);
      mpfr_set_d(nu.get(), 2 - log2_m / 2, MPFR_RNDN);
      mpfr_exp2(nu.get(), nu.get(), MPFR_RNDN);
      mpfr_mul_ui(nu.get(), nu.get(), static_cast<unsigned long>(n + 2), MPFR_RNDN);
      mpfr_ui_sub(factor.get(), 1, nu.get(), MPFR_RNDN);
      mpfr_div(factor.get(), nu.get(), factor.get(), MPFR_RNDN);
      const double log2_factor = mpfr_get_d(log2_of(factor, MPFR_RNDU).get(), MPFR_RNDU);
      const double absolute = accublas_mp_log2_absolute_bound(n, log2_m, 0);
      EXPECT_GE(absolute, log2_factor);
      EXPECT_LE(absolute, log2_factor + 0x1p-34);
      EXPECT_EQ(accublas_mp_log2_absolute_bound(n, log2_m, 8), sum_up(absolute, 8));
      EXPECT_EQ(accublas_mp_log2_relative_bound(n, log2_m, 8, -16), sum_up(sum_up(absolute, 8), 16));
      const double plain = accublas_mp_published_bound(n, log2_m);
      EXPECT_GT(plain, 0);
      EXPECT_GE(plain, mpfr_get_d(factor.get(), MPFR_RNDU));
      if (log2_factor > -1000) {
        EXPECT_LE(plain, mpfr_get_d(factor.get(), MPFR_RNDU) * (1 + 0x1p-33));
      }
    }
  for (double magnitude : {0.0, -HUGE_VAL, HUGE_VAL}) {
    EXPECT_EQ(accublas_mp_log2_absolute_bound(1000, 10, magnitude), HUGE_VAL);
    EXPECT_EQ(accublas_mp_log2_relative_bound(1000, 10, magnitude, HUGE_VAL), HUGE_VAL);
  }
  EXPECT_EQ(accublas_mp_published_bound(1000, 10), HUGE_VAL);
  EXPECT_EQ(accublas_mp_log2_absolute_bound(1000, 10, 0), HUGE_VAL);
  EXPECT_EQ(accublas_mp_log2_relative_bound(1000, 10, 0, 0), HUGE_VAL);
}

/// Never below the exact value, and hardly above: arguments of every magnitude, in every rounding of the caller.
TEST(MpBounds, NeverBelowTheExactValue) {
  std::mt19937_64 random(17);
  const auto below = [&](double x) { return std::uniform_real_distribution<>(0, x)(random); };
  const auto wide = [&] {
    return (random() % 2 ? 1 : -1) * std::ldexp(1 + below(1), static_cast<int>(below(90)) - 30);
  };
  const int roundings[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  int finite = 0;
  for (int t = 0; t < 20000; ++t) {
    const std::int64_t n = static_cast<std::int64_t>(std::exp2(below(62)));
    // Close to where the bounds end, as precisions have it, and large.
    const double edge = 2 * std::log2(static_cast<double>(n) + 2) + 4;
    const double log2_m = t % 3 == 0   ? edge + std::ldexp(1 + below(1), -static_cast<int>(below(50)))
                          : t % 3 == 1 ? 2 * std::floor(64 + below(8128)) + 2
                                       : std::ldexp(1 + below(1), static_cast<int>(below(70)));
    const double log2_magnitude = wide(), log2_exact = wide();
    Real x(400), term(400);  // log2 of (n + 2) u; the factor's; the bounds'
    mpfr_set_ui(x.get(), static_cast<unsigned long>(n) + 2, MPFR_RNDN);
    mpfr_log2(x.get(), x.get(), MPFR_RNDN);
    mpfr_set_d(term.get(), log2_m, MPFR_RNDN);
    mpfr_div_2ui(term.get(), term.get(), 1, MPFR_RNDN);
    mpfr_sub(x.get(), x.get(), term.get(), MPFR_RNDN);
    mpfr_add_ui(x.get(), x.get(), 2, MPFR_RNDN);
    double size = std::abs(log2_m) + std::abs(log2_magnitude) + 64;
    std::fesetround(roundings[t % 4]);
    const double plain = accublas_mp_published_bound(n, log2_m),
                 absolute = accublas_mp_log2_absolute_bound(n, log2_m, log2_magnitude),
                 relative = accublas_mp_log2_relative_bound(n, log2_m, log2_magnitude, log2_exact);
    std::fesetround(FE_TONEAREST);
    if (mpfr_sgn(x.get()) >= 0) {
      EXPECT_TRUE(plain == HUGE_VAL && absolute == HUGE_VAL && relative == HUGE_VAL);
      continue;
    }
    // The derivative of the factor's logarithm at x is 1 / (1 - 2^x): what is added to x counts as much.
    mpfr_exp2(term.get(), x.get(), MPFR_RNDN);
    mpfr_ui_sub(term.get(), 1, term.get(), MPFR_RNDN);
    const double steep = 1 / mpfr_get_d(term.get(), MPFR_RNDN);
    mpfr_log2(term.get(), term.get(), MPFR_RNDN);
    mpfr_sub(x.get(), x.get(), term.get(), MPFR_RNDN);
    const auto expect_close = [&](double got) {
      EXPECT_LE(mpfr_cmp_d(x.get(), got), 0) << got << " is below " << x.text();
      if (got == HUGE_VAL) {
        EXPECT_GT(steep, 0x1p+43);
        return;
      }
      mpfr_d_sub(term.get(), got, x.get(), MPFR_RNDU);
      EXPECT_LE(mpfr_get_d(term.get(), MPFR_RNDU), 0x1p-40 * std::max(1.0, steep) + 0x1p-50 * size);
    };
    mpfr_exp2(term.get(), x.get(), MPFR_RNDN);
    EXPECT_LE(mpfr_cmp_d(term.get(), plain), 0) << plain << " is below " << term.text();
    mpfr_set_d(term.get(), log2_magnitude, MPFR_RNDN);
    mpfr_add(x.get(), x.get(), term.get(), MPFR_RNDN);
    expect_close(absolute);
    mpfr_set_d(term.get(), log2_exact, MPFR_RNDN);
    mpfr_sub(x.get(), x.get(), term.get(), MPFR_RNDN);
    size += std::abs(log2_exact);
    expect_close(relative);
    finite += relative < HUGE_VAL;
    if (HasFailure()) {
      ADD_FAILURE() << "n " << n << ", log2_m " << log2_m << ", " << log2_magnitude << ", " << log2_exact;
      return;
    }
  }
  EXPECT_GT(finite, 10000);
}

}  // namespace
