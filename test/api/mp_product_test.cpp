// gemm, dot, axpy and scal of the multiple-precision arrays, roundings, the ends of the exponents' range and special
// values, against MPFR: bit for bit, signs of zeros included.
#include <cmath>

#include "mp.hpp"

using namespace mp_test;

namespace {

TEST(MpGemm, Transpositions) {
  Source source(3);
  for (int t = 0; t < 16; ++t) {
    const int precision = t % 4 == 3 ? 777 : 113;
    const bool ta = t & 1, tb = t & 2;
    const std::int64_t m = 1 + source.below(6), n = 1 + source.below(6), k = source.below(7);
    const std::int64_t lda = (ta ? k : m) + 1, ldb = (tb ? n : k) + 2, ldc = m + 1;
    const long spread = t < 8 ? 5 : 300;
    const Vector a = source.vector(1 + lda * (ta ? m : k), precision, precision, spread),
                 b = source.vector(2 + ldb * (tb ? k : n), precision, precision, spread),
                 c = source.vector(3 + ldc * n, precision, precision, spread);
    const Real alpha = source.number(precision, precision, 5), beta = source.number(precision, precision, 5, 0.3);
    Vector wanted = c;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        std::vector<const Real*> row, column;
        for (std::int64_t p = 0; p < k; ++p) {
          row.push_back(&a[1 + (ta ? p + i * lda : i + p * lda)]);
          column.push_back(&b[2 + (tb ? j + p * ldb : p + j * ldb)]);
        }
        wanted[3 + i + j * ldc] = expected(precision, 8000, alpha, row, column, beta, &c[3 + i + j * ldc]);
      }
    const Array ma(precision, a), mb(precision, b), mc(precision, c), scalars(precision, Vector{alpha, beta});
    ASSERT_EQ(
        accublas_mp_gemm(nullptr, ta ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS, tb ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS,
                         m, n, k, scalars, 0, ma, 1, lda, mb, 2, ldb, scalars, 1, mc, 3, ldc),
        ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
    expect_equal(mc, wanted);
    if (HasFailure()) return;
  }
  accublas_mp_report_t report;
  report.struct_size = sizeof report;
  ASSERT_EQ(accublas_mp_report(nullptr, &report), ACCUBLAS_SUCCESS);
  EXPECT_STREQ(report.backend, on_device() ? "cuda" : "cpu");
}

TEST(MpVectors, DotAxpyScal) {
  Source source(4);
  const std::int64_t increments[] = {1, 2, -1, -3};
  for (int t = 0; t < 24; ++t) {
    const int precision = t % 3 ? 106 : 848;
    const std::int64_t n = t == 0 ? 0 : 1 + source.below(20), incx = increments[t % 4], incy = increments[t / 4 % 4];
    const std::int64_t lx = 2 + 3 * n, ly = 1 + 3 * n;
    const long spread = t % 2 ? 10 : 500;
    const Vector x = source.vector(lx, precision, precision, spread),
                 y = source.vector(ly, precision, precision, spread);
    const Real alpha = source.number(precision, precision, 5, t == 5 ? 1 : 0), one = real(precision, 1),
               zero(precision);
    const Array mx(precision, x), my(precision, y), scalar(precision, Vector{alpha, one});
    std::vector<const Real*> vx, vy;
    for (std::int64_t i = 0; i < n; ++i) {
      vx.push_back(&x[place(2, incx, n, i)]);
      vy.push_back(&y[place(1, incy, n, i)]);
    }
    ASSERT_EQ(accublas_mp_dot(nullptr, n, mx, 2, incx, my, 1, incy, scalar, 1), ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
    EXPECT_NUMBER(scalar.get(1), expected(precision, 8000, one, vx, vy, zero, nullptr));

    Vector wanted = y;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t at = place(1, incy, n, i);
      wanted[at] = expected(precision, 8000, alpha, {vx[i]}, {&one}, one, &y[at]);
    }
    ASSERT_EQ(accublas_mp_axpy(nullptr, n, scalar, 0, mx, 2, incx, my, 1, incy), ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
    expect_equal(my, wanted);

    wanted = x;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t at = place(2, incx, n, i);
      wanted[at] = expected(precision, 8000, zero, {}, {}, alpha, &x[at]);
    }
    ASSERT_EQ(accublas_mp_scal(nullptr, n, scalar, 0, mx, 2, incx), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    expect_equal(mx, wanted);
    if (HasFailure()) return;
  }
}

/// The sum of products of powers of two and small integers, as a dot product, against an exact sum.
Real dot_of(int precision, const Vector& x, const Vector& y, const Real& beta, const Real& c) {
  const Array mx(precision, x), my(precision, y), mc(precision, Vector{c, real(precision, 1), beta});
  const std::int64_t n = static_cast<std::int64_t>(x.size());
  EXPECT_EQ(accublas_mp_gemv(nullptr, ACCUBLAS_TRANS, n, 1, mc, 1, mx, 0, n, my, 0, 1, mc, 2, mc, 0, 1),
            ACCUBLAS_SUCCESS)
      << accublas_last_error(nullptr);
  return mc.get(0);
}

TEST(MpRounding, CancellationToTheLastBit) {
  Source source(5);
  for (int precision : {64, 65, 106, 777}) {
    for (int t = 0; t < 10; ++t) {
      // x y - RN(x y): what is left is the rounding error of the product, exactly.
      const Real x = source.number(precision, precision, 50, 0), y = source.number(precision, precision, 50, 0);
      Real high(precision), low(precision), minus_one = real(precision, -1), one = real(precision, 1);
      mpfr_mul(high.get(), x.get(), y.get(), MPFR_RNDN);
      mpfr_fms(low.get(), x.get(), y.get(), high.get(), MPFR_RNDN);
      if (mpfr_zero_p(low.get())) mpfr_set_zero(low.get(), 1);
      EXPECT_NUMBER(dot_of(precision, {x}, {y}, minus_one, high), low);
      EXPECT_NUMBER(dot_of(precision, {x, high}, {y, minus_one}, one, Real(precision)), low);
      // All of it cancels: +0, from terms of any sign.
      EXPECT_NUMBER(dot_of(precision, {x, high, low}, {y, minus_one, minus_one}, one, Real(precision)),
                    Real(precision));
    }
  }
}

/// 1 + tie + tiny terms: what decides is far below the last place.
TEST(MpRounding, TiesAndWhatBreaksThem) {
  for (int precision : {64, 65, 106, 424, 777}) {
    const Real one = real(precision, 1), zero(precision);
    const long last = 1 - precision;  // of 1
    Real odd = real(precision, 1), next = real(precision, 1), below = real(precision, 1), after_odd(precision);
    mpfr_nextabove(odd.get());
    mpfr_nextabove(next.get());
    mpfr_nextbelow(below.get());
    after_odd = odd;
    mpfr_nextabove(after_odd.get());
    for (long far : {1000L, 100000L, 300000000L, 536000000L}) {
      const Real half = power(precision, 1, last - 1), tiny = power(precision, 1, -far),
                 minus_tiny = power(precision, -1, -far), tinier = power(precision, 1, -far - 700),
                 minus_half = power(precision, -1, last - 2);
      struct Case {
        Vector terms;
        Real wanted;
      };
      const std::vector<Case> cases = {
          {{one, half}, one},
          {{one, half, tiny}, next},
          {{one, half, minus_tiny}, one},
          {{odd, half}, after_odd},
          {{odd, half, minus_tiny}, odd},
          {{odd, half, tiny}, after_odd},
          {{odd, half, tiny, minus_tiny}, after_odd},
          {{one, half, tiny, minus_tiny}, one},
          {{one, half, tiny, minus_tiny, tinier}, next},
          {{tinier, minus_tiny, tiny, half, one}, next},
          {{one, minus_half}, one},  // halfway below a power of two: to even
          {{one, minus_half, minus_tiny}, below},
          {{one, minus_half, tiny}, one},
          {{one, tiny}, one},
          {{one, minus_tiny}, one},
          {{half, minus_half, minus_half, tiny}, tiny},
      };
      for (std::size_t i = 0; i < cases.size(); ++i) {
        SCOPED_TRACE(testing::Message() << precision << " bits, 2^-" << far << ", case " << i);
        const Vector ones(cases[i].terms.size(), one);
        EXPECT_NUMBER(dot_of(precision, cases[i].terms, ones, zero, zero), cases[i].wanted);
        // The last term as beta c, and all of them negated.
        Vector fewer(cases[i].terms.begin(), cases[i].terms.end() - 1);
        EXPECT_NUMBER(dot_of(precision, fewer, Vector(fewer.size(), one), one, cases[i].terms.back()), cases[i].wanted);
        Real negated = cases[i].wanted;
        mpfr_neg(negated.get(), negated.get(), MPFR_RNDN);
        EXPECT_NUMBER(dot_of(precision, cases[i].terms, Vector(ones.size(), real(precision, -1)), zero, zero), negated);
      }
      if (HasFailure()) return;
    }
  }
}

/// Near the ends of the exponents' range, against MPFR's own correctly rounded mul, fma and fmma.
TEST(MpRounding, EndsOfTheRange) {
  Source source(6);
  const long last = (1L << 30) - 1;
  for (int precision : {64, 106, 113}) {
    const Real zero(precision), one = real(precision, 1);
    for (int t = 0; t < 1500; ++t) {
      Vector v;
      for (int i = 0; i < 4; ++i) {
        const int bits = source.below(3) == 0 ? 1 + static_cast<int>(source.below(3)) : precision;
        Real x = source.number(precision, bits, 0, 0);
        // Products land around both ends, and in the middle.
        const long centre = t % 3 == 0 ? last / 2 : t % 3 == 1 ? -last / 2 : i % 2 ? last - 3 : -last + 3;
        mpfr_set_exp(x.get(), centre + source.below(7) - 3);
        v.push_back(x);
      }
      if (t % 4 == 0) mpfr_set(v[2].get(), v[0].get(), MPFR_RNDN);
      Real wanted(precision);
      const auto expect = [&](const Real& got) {
        if (mpfr_zero_p(wanted.get())) {  // MPFR: an exact zero is +0 to nearest too
          EXPECT_TRUE(mpfr_zero_p(got.get())) << got.text();
        }
        EXPECT_NUMBER(got, wanted);
      };
      mpfr_mul(wanted.get(), v[0].get(), v[1].get(), MPFR_RNDN);
      expect(dot_of(precision, {v[0]}, {v[1]}, zero, zero));
      mpfr_fma(wanted.get(), v[0].get(), v[1].get(), v[2].get(), MPFR_RNDN);
      expect(dot_of(precision, {v[0]}, {v[1]}, one, v[2]));
      mpfr_fmms(wanted.get(), v[0].get(), v[1].get(), v[2].get(), v[3].get(), MPFR_RNDN);
      Real minus = v[3];
      mpfr_neg(minus.get(), minus.get(), MPFR_RNDN);
      expect(dot_of(precision, {v[0], v[2]}, {v[1], minus}, zero, zero));
      if (HasFailure()) return;
    }
  }
}

/// Sums whose terms over- or underflow, where the result does not.
TEST(MpRounding, NoIntermediateOverflow) {
  const long last = (1L << 30) - 1;
  const int precision = 106;
  const Real zero(precision), one = real(precision, 1), two = real(precision, 2);
  Real big = one, small = one;
  mpfr_set_exp(big.get(), last);
  mpfr_set_exp(small.get(), -last);
  Real minus = big;
  mpfr_neg(minus.get(), minus.get(), MPFR_RNDN);
  EXPECT_NUMBER(dot_of(precision, {big, minus, small}, {big, big, one}, zero, zero), small);
  EXPECT_NUMBER(dot_of(precision, {big, minus}, {two, one}, zero, zero), big);
  EXPECT_TRUE(mpfr_inf_p(dot_of(precision, {big, big}, {one, one}, zero, zero).get()));
  EXPECT_NUMBER(dot_of(precision, {small, big}, {small, one}, zero, zero), big);
  Real half_small = dot_of(precision, {small}, {power(precision, 0.5, 0)}, zero, zero);
  EXPECT_NUMBER(half_small, zero);
  EXPECT_NUMBER(dot_of(precision, {small, small}, {power(precision, 0.5, 0), small}, zero, zero), small);
  EXPECT_NUMBER(dot_of(precision, {small, small}, {power(precision, 0.25, 0), power(precision, 0.25, 0)}, zero, zero),
                zero);
}

TEST(MpSpecials, EveryCombination) {
  const int precision = 106;
  Vector values = {real(precision, 0), real(precision, -0.0), real(precision, 1.5), real(precision, -3),
                   Real(precision),    Real(precision),       Real(precision)};
  mpfr_set_inf(values[4].get(), 1);
  mpfr_set_inf(values[5].get(), -1);
  mpfr_set_nan(values[6].get());
  const Array pool(precision, values), c(precision, 1), x(precision, 2), a(precision, 2);
  const std::int64_t count = static_cast<std::int64_t>(values.size());
  Source source(7);
  std::int64_t index[7];
  for (int t = 0; t < 12000; ++t) {
    for (std::int64_t& i : index) i = source.below(count);
    const std::int64_t terms = 1 + t % 2;
    for (int q = 0; q < 2; ++q) {
      accublas_mp_copy(nullptr, 1, 1, pool, index[q], 1, a, q, 1);
      accublas_mp_copy(nullptr, 1, 1, pool, index[2 + q], 1, x, q, 1);
    }
    accublas_mp_copy(nullptr, 1, 1, pool, index[4], 1, c, 0, 1);
    ASSERT_EQ(accublas_mp_gemv(nullptr, ACCUBLAS_NO_TRANS, 1, terms, pool, index[5], a, 0, 1, x, 0, 1, pool, index[6],
                               c, 0, 1),
              ACCUBLAS_SUCCESS);
    std::vector<const Real*> va, vx;
    for (int q = 0; q < terms; ++q) {
      va.push_back(&values[index[q]]);
      vx.push_back(&values[index[2 + q]]);
    }
    const Real wanted = expected(precision, 1000, values[index[5]], va, vx, values[index[6]], &values[index[4]]);
    EXPECT_NUMBER(c.get(0), wanted) << "alpha " << values[index[5]].text() << " a " << va[0]->text() << " x "
                                    << vx[0]->text() << " beta " << values[index[6]].text() << " c "
                                    << values[index[4]].text();
    if (HasFailure()) return;
  }
}

}  // namespace
