// gemv of the multiple-precision arrays against MPFR: bit for bit, signs of zeros included.
#include "mp.hpp"

using namespace mp_test;

namespace {

const int all_precisions[] = {64, 65, 106, 113, 212, 424, 777, 848, 1696, 4096};

/// A GEMV with offsets, increments and a leading dimension, inside of arrays of noise.
struct Gemv {
  accublas_transpose trans = ACCUBLAS_NO_TRANS;
  std::int64_t m = 0, n = 0, offset_a = 0, lda = 0, offset_x = 0, incx = 1, offset_y = 0, incy = 1;

  bool transposed() const { return trans != ACCUBLAS_NO_TRANS; }
  std::int64_t outputs() const { return transposed() ? n : m; }
  std::int64_t terms() const { return transposed() ? m : n; }
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
        vector.push_back(&x[place(offset_x, incx, terms(), q)]);
      }
      const std::int64_t to = place(offset_y, incy, outputs(), i);
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

}  // namespace
