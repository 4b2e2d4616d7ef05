// Multiple-precision arrays on the device against the CPU, bit by bit: values, signs, exponents and interval
// evaluations of whole arrays. The suites of test/api run on the device too (its mp_*_test.cpp); here are sizes that
// fill thread blocks and long vectors.
#include <gtest/gtest.h>

#include "test/gpu/mp_pair.hpp"

namespace {

using accublas::test::Pair;
using accublas::test::Random;

struct Shape {
  std::int64_t m, n;
};

/// One call on both sides, A aligned before with `spread` (below -1: not at all), twice in a row; alpha and beta by
/// kind: 0 absent (one and zero), 1 minus one and one, 2 one and zero, 3 any numbers.
void gemv_on_both(int precision, Shape shape, accublas_transpose trans, int a_spread, int x_spread, int special_in,
                  int scalars_kind, int align_spread, Random& random) {
  SCOPED_TRACE(testing::Message() << precision << " bits, " << shape.m << " x " << shape.n
                                  << (trans == ACCUBLAS_TRANS ? " T" : " N") << ", spreads " << a_spread << ' '
                                  << x_spread << ", aligned " << align_spread);
  const bool t = trans == ACCUBLAS_TRANS;
  const std::int64_t outputs = t ? shape.n : shape.m, terms = t ? shape.m : shape.n, lda = shape.m + 3;
  Pair a(precision, 2 + lda * shape.n, a_spread, special_in, random),
      x(precision, 1 + 2 * terms, x_spread, special_in, random),
      y(precision, 4 + outputs, a_spread, special_in, random), scalars(precision, 2, 5, 0, random);
  for (bool device : {false, true}) {
    const double values[3][2] = {{0, 0}, {-1, 1}, {1, 0}};
    accublas_mp_array* const factors = scalars_kind == 0 ? nullptr : scalars.get(device);
    if (scalars_kind == 1 || scalars_kind == 2) {
      REQUIRE(accublas_mp_set_double(nullptr, scalars.get(device), 0, 2, 2, 1, values[scalars_kind], 2));
    }
    if (align_spread >= -1) {
      REQUIRE(accublas_mp_align(nullptr, a.get(device), 2, lda, shape.m, shape.n, align_spread));
    }
    for (int again = 0; again < 2; ++again)
      REQUIRE(accublas_mp_gemv(nullptr, trans, shape.m, shape.n, factors, 0, a.get(device), 2, lda, x.get(device), 1, 2,
                               factors, 1, y.get(device), 3, again == 0 ? 1 : -1));
  }
  y.expect_equal("y");
}

TEST(MpGpu, GemvShapes) {
  Random random(1);
  const Shape shapes[] = {{1, 1}, {1, 300}, {300, 1}, {17, 33}, {64, 64}, {129, 70}, {500, 9}, {9, 700}};
  for (int precision : {106, 424})
    for (const Shape& shape : shapes)
      for (accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
        gemv_on_both(precision, shape, trans, 10, 10, 0, static_cast<int>(random() % 4),
                     static_cast<int>(random() % 4) * 20 - 2, random);
        if (HasFatalFailure()) return;
      }
}

TEST(MpGpu, EveryPrecision) {
  Random random(2);
  for (int precision : {64, 65, 96, 106, 128, 212, 213, 300, 424, 513, 848, 1023, 1696, 2500, 4096, 8192})
    for (int kind = 0; kind < 4; ++kind)
      for (accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
        gemv_on_both(precision, {13, 19}, trans, kind * 20, 5, 0, kind, kind - 2, random);
        if (HasFatalFailure()) return;
      }
}

TEST(MpGpu, BandsAndSpreadsPastTheReserve) {
  Random random(3);
  for (int precision : {64, 106, 777})
    for (int a_spread : {0, 40, 100, 5000})
      for (int x_spread : {0, 30, 64, 3000})
        for (int align_spread : {-2, 0, 10, 64}) {
          gemv_on_both(precision, {21, 18}, random() % 2 ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS, a_spread, x_spread, 0,
                       static_cast<int>(random() % 4), align_spread, random);
          if (HasFatalFailure()) return;
        }
}

TEST(MpGpu, BandsOfLongRows) {
  Random random(10);
  for (Shape shape : {Shape{150, 700}, Shape{700, 150}, Shape{5, 3000}, Shape{3000, 5}})
    for (int a_spread : {100, 600, 20000})
      for (accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
        gemv_on_both(106, shape, trans, a_spread, a_spread == 600 ? 0 : 100, a_spread == 100 ? 5000 : 0,
                     static_cast<int>(random() % 4), -1, random);
        if (HasFatalFailure()) return;
      }
  const std::int64_t m = 70, n = 6, k = 500;
  Pair a(212, m * k, 300, 0, random), b(212, k * n, 20, 0, random), c(212, m * n, 0, 0, random);
  for (bool device : {false, true})
    for (accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS})
      REQUIRE(accublas_mp_gemm(nullptr, trans, ACCUBLAS_NO_TRANS, m, n, k, nullptr, 0, a.get(device), 0,
                               trans == ACCUBLAS_TRANS ? k : m, b.get(device), 0, k, nullptr, 0, c.get(device), 0, m));
  c.expect_equal("C");
}

TEST(MpGpu, SpecialValues) {
  Random random(4);
  for (int t = 0; t < 30; ++t) {
    gemv_on_both(t % 2 ? 106 : 300, {30, 25}, t % 3 ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS, t % 4 * 50, 20, 200, t % 4,
                 t % 3 - 2, random);
    if (HasFatalFailure()) return;
  }
}

TEST(MpGpu, LongVectors) {
  Random random(5);
  for (Shape shape : {Shape{3, 20000}, Shape{20000, 3}, Shape{2, 9000}})
    for (accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
      gemv_on_both(106, shape, trans, 8, 8, 0, 3, 20, random);
      if (HasFatalFailure()) return;
    }
}

TEST(MpGpu, GemmColumns) {
  Random random(6);
  for (int precision : {106, 530})
    for (std::int64_t n : {1, 2, 3, 4, 5, 11}) {
      const std::int64_t m = 40, k = 37;
      Pair a(precision, m * k, 10, 0, random), b(precision, m * n, n % 2 ? 10 : 200, 0, random),
          c(precision, m * n, 10, 0, random), scalars(precision, 2, 3, 0, random);
      for (bool device : {false, true})
        for (accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS})
          REQUIRE(accublas_mp_gemm(nullptr, trans, trans, trans == ACCUBLAS_TRANS ? k : m, n,
                                   trans == ACCUBLAS_TRANS ? m : k, scalars.get(device), 0, a.get(device), 0, m,
                                   b.get(device), 0, trans == ACCUBLAS_TRANS ? n : k, scalars.get(device), 1,
                                   c.get(device), 0, trans == ACCUBLAS_TRANS ? k : m));
      c.expect_equal("C");
      if (HasFatalFailure()) return;
    }
}

/// The engine of the last call on the default context.
std::string last_engine() {
  accublas_mp_report_t report;
  report.struct_size = sizeof report;
  EXPECT_EQ(accublas_mp_report(nullptr, &report), ACCUBLAS_SUCCESS);
  return report.engine;
}

/// More columns than 32-bit arithmetic takes: tensor cores, with edges of tiles and long sums.
TEST(MpGpu, GemmOnTensorCores) {
  Random random(11);
  struct Case {
    int precision;
    std::int64_t m, n, k;
    int spread;
  };
  for (const Case& c :
       {Case{64, 1, 9, 1, 0}, Case{106, 129, 33, 70, 10}, Case{106, 300, 140, 150, 20}, Case{424, 70, 40, 100, 30},
        Case{1024, 40, 130, 33, 0}, Case{4096, 20, 12, 20, 5}, Case{106, 3, 10, 40000, 3}, Case{106, 260, 257, 16, 10}})
    for (accublas_transpose trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
      SCOPED_TRACE(testing::Message() << c.precision << " bits, " << c.m << " x " << c.n << " x " << c.k
                                      << (trans == ACCUBLAS_TRANS ? " T" : " N"));
      const bool t = trans == ACCUBLAS_TRANS;
      Pair a(c.precision, c.m * c.k, c.spread, 0, random), b(c.precision, c.k * c.n, c.spread, 0, random),
          result(c.precision, c.m * c.n, 10, 0, random), scalars(c.precision, 2, 3, 0, random);
      for (bool device : {false, true}) {
        REQUIRE(accublas_mp_gemm(nullptr, trans, trans, c.m, c.n, c.k, scalars.get(device), 0, a.get(device), 0,
                                 t ? c.k : c.m, b.get(device), 0, t ? c.n : c.k, scalars.get(device), 1,
                                 result.get(device), 0, c.m));
        if (device) EXPECT_EQ(last_engine(), "int8");
      }
      result.expect_equal("C");
      if (HasFailure()) return;
    }
}

TEST(MpGpu, VectorsAndTransfers) {
  Random random(7);
  for (int precision : {64, 106, 1000})
    for (std::int64_t n : {1, 50, 3000}) {
      Pair x(precision, n, 30, 100, random), y(precision, n, 30, 100, random), scalars(precision, 3, 3, 0, random),
          narrow(80, n, 0, 0, random);
      std::vector<double> doubles[2];
      for (bool device : {false, true}) {
        REQUIRE(accublas_mp_dot(nullptr, n, x.get(device), 0, 1, y.get(device), 0, 1, scalars.get(device), 1));
        REQUIRE(accublas_mp_axpy(nullptr, n, scalars.get(device), 0, x.get(device), 0, 1, y.get(device), 0, -1));
        REQUIRE(accublas_mp_scal(nullptr, n, scalars.get(device), 2, x.get(device), 0, 1));
        REQUIRE(accublas_mp_convert(nullptr, n, 1, y.get(device), 0, n, narrow.get(device), 0, n));
        REQUIRE(accublas_mp_copy(nullptr, n / 2, 1, x.get(device), 0, n, x.get(device), n / 2, n));
        doubles[device].resize(static_cast<std::size_t>(n));
        REQUIRE(accublas_mp_get_double(nullptr, x.get(device), 0, n, n, 1, doubles[device].data(), n));
      }
      scalars.expect_equal("dot");
      y.expect_equal("axpy");
      x.expect_equal("scal and copy");
      narrow.expect_equal("convert");
      EXPECT_EQ(0, std::memcmp(doubles[0].data(), doubles[1].data(), static_cast<std::size_t>(n) * sizeof(double)));
      // Doubles in: subnormals, infinities, a leading dimension.
      std::vector<double> values(static_cast<std::size_t>(n));
      for (double& v : values) {
        const std::uint64_t bits = random() % 3 == 0 ? random() : random() >> (random() % 20);
        std::memcpy(&v, &bits, sizeof v);
      }
      for (bool device : {false, true})
        REQUIRE(accublas_mp_set_double(nullptr, x.get(device), 0, 1, 1, n, values.data(), 1));
      x.expect_equal("set_double");
      if (HasFatalFailure()) return;
    }
}

TEST(MpGpu, Conversions) {
  Random random(8);
  const std::int64_t n = 150;
  for (int from : {64, 106, 213, 1000, 8192})
    for (int to : {64, 65, 106, 424, 1696, 8192})
      for (int spread : {40, 1 << 30}) {  // the latter: overflow and underflow
        Pair x(from, n, spread, 20, random), y(to, n, 0, 0, random);
        for (bool device : {false, true})
          REQUIRE(accublas_mp_convert(nullptr, 10, 12, x.get(device), 3, 11, y.get(device), 1, 12));
        y.expect_equal("converted from " + std::to_string(from) + " to " + std::to_string(to) + " bits");
        if (HasFatalFailure()) return;
      }
}

TEST(MpGpu, ReportHasThePhases) {
  Random random(9);
  const std::int64_t n = 300;
  Pair a(424, n * n, 3, 0, random), x(424, n, 3, 0, random), y(424, n, 0, 0, random);
  accublas_context* context = nullptr;
  REQUIRE(accublas_create(&context));
  for (int level : {0, 1, 2}) {
    SCOPED_TRACE(level);
    REQUIRE(accublas_set_report_level(context, level));
    for (bool aligned : {true, false}) {
      REQUIRE(aligned ? accublas_mp_align(context, a.get(true), 0, n, n, n, -1)
                      : accublas_mp_gemv(context, ACCUBLAS_NO_TRANS, n, n, nullptr, 0, a.get(true), 0, n, x.get(true),
                                         0, 1, nullptr, 0, y.get(true), 0, 1));
      for (int again = 0; again < 2; ++again) {
        accublas_mp_report_t report{};
        report.struct_size = sizeof report;
        REQUIRE(accublas_mp_report(context, &report));
        EXPECT_EQ(report.ms_total > 0, level >= 1);
        EXPECT_EQ(report.ms_align > 0, level >= 2);
        EXPECT_EQ(report.ms_product > 0, level >= 2 && !aligned);
        EXPECT_EQ(report.ms_finish > 0, level >= 2 && !aligned);
        EXPECT_LE(report.ms_align + report.ms_product + report.ms_finish, 1.001 * report.ms_total + 1e-6);
        EXPECT_EQ(report.bands, 1);
      }
    }
  }
  REQUIRE(accublas_destroy(context));
}

}  // namespace
