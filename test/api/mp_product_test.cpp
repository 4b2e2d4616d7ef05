// gemv, gemm, dot, axpy and scal of the multiple-precision arrays against MPFR: bit for bit, signs of zeros included.
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
    return accublas_mp_gemv(ctx, trans, m, n, scalars, 0, a, offset_a, lda, x, offset_x, incx, scalars, 1, y, offset_y, incy);
  }
};

void expect_equal(const Array& got, const Vector& wanted) {
  const Vector values = got.values();
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NUMBER(values[i], wanted[i]) << "element " << i;
}

/// Runs it three times: as it is, aligned before, and with other numbers of threads.
void check(const Gemv& g, const Vector& a, const Vector& x, const Vector& y, const Real& alpha, const Real& beta, int precision,
           mpfr_prec_t exact) {
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
      const Vector a = source.vector(g.length_a(), precision, bits, spread), x = source.vector(g.length_x(), precision, bits, spread),
                   y = source.vector(g.length_y(), precision, bits, spread);
      check(g, a, x, y, source.number(precision, precision, 10, 0.1), source.number(precision, precision, 10, 0.2), precision,
            4 * precision + 2000);
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
    check(g, a, x, y, source.number(precision, precision, 100, 0), source.number(precision, precision, 100, 0), precision, 20000);
    if (HasFailure()) return;
  }
}

}  // namespace
