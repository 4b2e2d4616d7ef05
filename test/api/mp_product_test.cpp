// gemv, gemm, dot, axpy and scal of the multiple-precision arrays against MPFR: bit for bit, signs of zeros included.
#include "mp.hpp"

using namespace mp_test;

namespace {

const int all_precisions[] = {64, 65, 106, 113, 212, 424, 777, 848, 1696, 4096};

Real power(int precision, double factor, long exponent) {
  Real x = real(precision, factor);
  mpfr_mul_2si(x.get(), x.get(), exponent, MPFR_RNDN);
  return x;
}

/// A GEMV with offsets, increments and a leading dimension, inside of arrays of noise.
struct Gemv {
  accublas_transpose trans = ACCUBLAS_NO_TRANS;
  std::int64_t m = 0, n = 0, offset_a = 0, lda = 0, offset_x = 0, incx = 1, offset_y = 0, incy = 1;

  bool transposed() const { return trans != ACCUBLAS_NO_TRANS; }
  std::int64_t outputs() const { return transposed() ? n : m; }
  std::int64_t terms() const { return transposed() ? m : n; }
  static std::int64_t at(std::int64_t offset, std::int64_t inc, std::int64_t n, std::int64_t i) {
    return inc > 0 ? offset + i * inc : offset + (n - 1 - i) * -inc;
  }
  std::int64_t length_x() const { return offset_x + 1 + (terms() - 1) * std::abs(incx); }
  std::int64_t length_y() const { return offset_y + 1 + (outputs() - 1) * std::abs(incy) + 2; }
  std::int64_t length_a() const { return offset_a + lda * n; }

  Vector expected(const Vector& a, const Vector& x, const Vector& y, const Real& alpha, const Real& beta, int precision,
                  mpfr_prec_t exact) const {
    Vector result = y;
    for (std::int64_t i = 0; i < outputs(); ++i) {
      std::vector<const Real*> row, vector;
      for (std::int64_t q = 0; q < terms(); ++q) {
        row.push_back(&a[transposed() ? offset_a + q + i * lda : offset_a + i + q * lda]);
        vector.push_back(&x[at(offset_x, incx, terms(), q)]);
      }
      const std::int64_t to = at(offset_y, incy, outputs(), i);
      result[to] = mp_test::expected(precision, exact, alpha, row, vector, beta, &y[to]);
    }
    return result;
  }

  accublas_status run(accublas_context* ctx, accublas_mp_array* a, accublas_mp_array* x, accublas_mp_array* y,
                      accublas_mp_array* scalars) const {
    return accublas_mp_gemv(ctx, trans, m, n, scalars, 0, a, offset_a, lda, x, offset_x, incx, scalars, 1, y, offset_y,
                            incy);
  }
};

void expect_equal(const Array& got, const Vector& wanted) {
  const Vector values = got.values();
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NUMBER(values[i], wanted[i]) << "element " << i;
}

/// Runs it three times: as it is, aligned before, and with other numbers of threads.
void check(const Gemv& g, const Vector& a, const Vector& x, const Vector& y, const Real& alpha, const Real& beta,
           int precision, mpfr_prec_t exact) {
  const Array ma(precision, a), mx(precision, x), scalars(precision, Vector{alpha, beta});
  const Vector wanted = g.expected(a, x, y, alpha, beta, precision, exact);
  for (int run = 0; run < 3; ++run) {
    api::Context ctx;
    accublas_set_num_threads(ctx, run + 1);
    const Array my(precision, y);
    if (run == 1) {
      ASSERT_EQ(accublas_mp_align(ctx, ma, g.offset_a, g.lda, g.m, g.n, run), ACCUBLAS_SUCCESS) << ctx.error();
    }
    ASSERT_EQ(g.run(ctx, ma, mx, my, scalars), ACCUBLAS_SUCCESS) << ctx.error();
    expect_equal(my, wanted);
    if (::testing::Test::HasFailure()) return;
  }
}

Gemv random_shape(Source& source, std::int64_t largest) {
  Gemv g;
  g.trans = source.below(2) ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
  g.m = 1 + source.below(largest);
  g.n = 1 + source.below(largest);
  g.lda = g.m + source.below(4);
  g.offset_a = source.below(5);
  g.offset_x = source.below(5);
  g.offset_y = source.below(5);
  const std::int64_t increments[] = {1, 2, -1, -3};
  g.incx = increments[source.below(4)];
  g.incy = increments[source.below(4)];
  return g;
}

TEST(MpGemv, EveryPrecision) {
  Source source(1);
  for (int precision : all_precisions) {
    const std::int64_t largest = precision > 1000 ? 6 : 14;
    for (int t = 0; t < (precision > 1000 ? 4 : 12); ++t) {
      const Gemv g = random_shape(source, largest);
      const bool full = source.below(2);
      const int bits = full ? precision : precision / 4;
      const long spread = t % 3 == 0 ? 0 : t % 3 == 1 ? 20 : 200;
      SCOPED_TRACE(testing::Message() << precision << " bits, " << g.m << " x " << g.n << " spread " << spread);
      const Vector a = source.vector(g.length_a(), precision, bits, spread),
                   x = source.vector(g.length_x(), precision, bits, spread),
                   y = source.vector(g.length_y(), precision, bits, spread);
      check(g, a, x, y, source.number(precision, precision, 10, 0.1), source.number(precision, precision, 10, 0.2),
            precision, 4 * precision + 2000);
      if (HasFailure()) return;
    }
  }
}

TEST(MpGemv, WideExponents) {
  Source source(2);
  for (int t = 0; t < 12; ++t) {
    const int precision = t % 2 ? 106 : 212;
    const Gemv g = random_shape(source, 12);
    const Vector a = source.vector(g.length_a(), precision, precision, 2000),
                 x = source.vector(g.length_x(), precision, precision, t % 4 < 2 ? 2000 : 0),
                 y = source.vector(g.length_y(), precision, precision, 4000);
    check(g, a, x, y, source.number(precision, precision, 100, 0), source.number(precision, precision, 100, 0),
          precision, 20000);
    if (HasFailure()) return;
  }
}

/// A vector of few or many bands against a matrix without and with bands: each has its own way, and the report tells.
TEST(MpGemv, BandsOfTheVector) {
  Source source(10);
  const int precision = 106;
  for (int t = 0; t < 24; ++t) {
    Gemv g = random_shape(source, 300);
    if (t % 2) g.m = g.n = 1 + source.below(20);
    if (t % 6 == 0) g.m = 280;
    (g.transposed() ? g.n : g.m) = std::min<std::int64_t>(g.outputs(), 270);
    (g.transposed() ? g.m : g.n) = std::min<std::int64_t>(g.terms(), 12);
    g.lda = g.m + 1;
    const long spread = t % 3 == 0 ? 80 : t % 3 == 1 ? 250 : 1500, spread_a = t % 4 == 3 ? 100 : 2;
    const Vector a = source.vector(g.length_a(), precision, precision, spread_a),
                 x = source.vector(g.length_x(), precision, precision, spread),
                 y = source.vector(g.length_y(), precision, precision, spread);
    check(g, a, x, y, source.number(precision, precision, 10, 0), source.number(precision, precision, 10, 0.2),
          precision, 8000);
    if (HasFailure()) return;
  }
  // Two bands, all outputs in both.
  const Array m(precision, Vector{real(precision, 1), real(precision, 3), real(precision, 5), real(precision, 7)}),
      v(precision, Vector{power(precision, 1, 0), power(precision, 1, -100)}), r(precision, 2),
      s(precision, Vector{real(precision, 1), Real(precision)});
  ASSERT_EQ(accublas_mp_gemv(nullptr, ACCUBLAS_NO_TRANS, 2, 2, s, 0, m, 0, 2, v, 0, 1, s, 1, r, 0, 1),
            ACCUBLAS_SUCCESS);
  accublas_mp_report_t report;
  report.struct_size = sizeof report;
  ASSERT_EQ(accublas_mp_report(nullptr, &report), ACCUBLAS_SUCCESS);
  EXPECT_STREQ(report.backend, on_device() ? "cuda" : "cpu");
  EXPECT_EQ(report.bands, 2);
  EXPECT_EQ(report.outputs_in_bands, 2);
}

/// Rows in bands among rows without, at sizes where outputs are summed together and terms lie in several vectors:
/// every row, one in seven or one of a task; few bands, and more than are summed by masks.
TEST(MpGemv, RowsInBands) {
  Source source(16);
  const int precision = 106;
  for (int t = 0; t < 24; ++t) {
    Gemv g = random_shape(source, 3);
    (g.transposed() ? g.n : g.m) = 30 + source.below(60);
    (g.transposed() ? g.m : g.n) = 9 + source.below(90);
    g.lda = g.m + t % 3;
    Vector a = source.vector(g.length_a(), precision, precision, 20),
           x = source.vector(g.length_x(), precision, precision, t % 5 == 4 ? 150 : 5);
    const std::int64_t every = t % 3 == 0 ? 1 : t % 3 == 1 ? 7 : 1000, first = source.below(g.outputs());
    const long band = 64, bands = t % 2 ? 5 : 60;
    for (std::int64_t i = 0; i < g.outputs(); ++i)
      for (std::int64_t q = 0; q < g.terms(); ++q)
        if ((i - first) % every == 0) {
          Real& entry = a[g.transposed() ? g.offset_a + q + i * g.lda : g.offset_a + i + q * g.lda];
          mpfr_mul_2si(entry.get(), entry.get(), -band * source.below(bands), MPFR_RNDN);
        }
    check(g, a, x, source.vector(g.length_y(), precision, precision, 100), source.number(precision, precision, 10, 0),
          source.number(precision, precision, 10, 0.2), precision, 12000);
    if (HasFailure()) return;
  }
}

/// Arrays filled with doubles are aligned from their few digits; full-width numbers among them end that.
TEST(MpGemv, Doubles) {
  Source source(9);
  for (int precision : {64, 106, 212, 424, 1696}) {
    for (int t = 0; t < 8; ++t) {
      const Gemv g = random_shape(source, 12);
      const int spread = t % 2 ? 3 : 150;
      const auto fill = [&](const Array& array) {
        const std::int64_t n = accublas_mp_length(array);
        std::vector<double> values(n);
        for (double& v : values)
          v = std::ldexp(static_cast<double>(source.below(1LL << 53) - (1LL << 52)),
                         static_cast<int>(source.below(2 * spread + 1)) - spread);
        EXPECT_EQ(accublas_mp_set_double(nullptr, array, 0, n, n, 1, values.data(), n), ACCUBLAS_SUCCESS);
      };
      const Array a(precision, g.length_a()), x(precision, g.length_x()), y(precision, g.length_y()),
          s(precision, Vector{source.number(precision, precision, 1, 0), source.number(precision, 53, 1, 0.3)});
      fill(a);
      fill(x);
      fill(y);
      for (int pass = 0; pass < 4; ++pass) {
        if (pass == 2) a.set(source.below(g.length_a()), source.number(precision, precision, 3, 0));
        if (pass == 3) fill(a);  // short again
        if (pass == 1) {
          EXPECT_EQ(accublas_mp_align(nullptr, a, g.offset_a, g.lda, g.m, g.n, -1), ACCUBLAS_SUCCESS);
        }
        const Vector wanted =
            g.expected(a.values(), x.values(), y.values(), s.get(0), s.get(1), precision, 4 * precision + 3000);
        ASSERT_EQ(g.run(nullptr, a, x, y, s), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
        expect_equal(y, wanted);
        if (HasFailure()) return;
      }
    }
  }
}

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
      vx.push_back(&x[Gemv::at(2, incx, n, i)]);
      vy.push_back(&y[Gemv::at(1, incy, n, i)]);
    }
    ASSERT_EQ(accublas_mp_dot(nullptr, n, mx, 2, incx, my, 1, incy, scalar, 1), ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
    EXPECT_NUMBER(scalar.get(1), expected(precision, 8000, one, vx, vy, zero, nullptr));

    Vector wanted = y;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t at = Gemv::at(1, incy, n, i);
      wanted[at] = expected(precision, 8000, alpha, {vx[i]}, {&one}, one, &y[at]);
    }
    ASSERT_EQ(accublas_mp_axpy(nullptr, n, scalar, 0, mx, 2, incx, my, 1, incy), ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
    expect_equal(my, wanted);

    wanted = x;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t at = Gemv::at(2, incx, n, i);
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

/// The published bounds (16) to (19), and half a unit in the last place, which is what holds.
TEST(MpBounds, ResultsLieFarBelowThePublishedOnes) {
  Source source(8);
  for (int precision : {106, 424}) {
    const std::int64_t n = 12;
    const Vector a = source.vector(n * n, precision, precision, 3, 0), x = source.vector(n, precision, precision, 3, 0),
                 y = source.vector(n, precision, precision, 3, 0);
    const Real alpha = source.number(precision, precision, 1, 0), beta = source.number(precision, precision, 1, 0);
    const Array ma(precision, a), mx(precision, x), my(precision, y), scalars(precision, Vector{alpha, beta});
    ASSERT_EQ(accublas_mp_gemv(nullptr, ACCUBLAS_NO_TRANS, n, n, scalars, 0, ma, 0, n, mx, 0, 1, scalars, 1, my, 0, 1),
              ACCUBLAS_SUCCESS);
    Real error(4000), magnitude(4000), exact_norm(4000), term(4000), exact(4000);
    for (std::int64_t i = 0; i < n; ++i) {
      mpfr_mul(exact.get(), beta.get(), y[i].get(), MPFR_RNDN);
      mpfr_abs(term.get(), exact.get(), MPFR_RNDN);
      mpfr_add(magnitude.get(), magnitude.get(), term.get(), MPFR_RNDN);
      for (std::int64_t j = 0; j < n; ++j) {
        mpfr_mul(term.get(), a[i + j * n].get(), x[j].get(), MPFR_RNDN);
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
    // The published arithmetic of p bits has moduli of product M = 2^(2 p + 2): its precision is log2(sqrt(M)) - 1.
    const double published = accublas_mp_published_bound(n, 2.0 * precision + 2);
    Real bound(4000);
    mpfr_mul_d(bound.get(), magnitude.get(), published, MPFR_RNDD);  // (16), (18)
    EXPECT_TRUE(mpfr_less_p(error.get(), bound.get())) << error.text() << " against " << bound.text();
    mpfr_div(term.get(), error.get(), exact_norm.get(), MPFR_RNDU);
    mpfr_div(bound.get(), bound.get(), exact_norm.get(), MPFR_RNDD);  // (17), (19)
    EXPECT_TRUE(mpfr_less_p(term.get(), bound.get()));
    EXPECT_LE(mpfr_get_d(term.get(), MPFR_RNDU), std::ldexp(1.0, -precision));
  }
  EXPECT_EQ(accublas_mp_published_bound(1000, 10), HUGE_VAL);
}

}  // namespace
