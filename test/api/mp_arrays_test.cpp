// Multiple-precision arrays: numbers in and out in every form, copies and conversions, queries, and every status of bad
// input.
#include "test/api/mp_arrays.hpp"

#include <cstdlib>

#include "mp.hpp"

namespace {

TEST(MpText, Strings) {
  Source source(14);
  for (int precision : {64, 106, 424}) {
    const Array x(precision, 2);
    for (int t = 0; t < 30; ++t) {
      const Real value = source.number(precision, precision, t % 2 ? 5 : 100000);
      x.set(0, value);
      for (std::int32_t base : {10, 16}) {
        char text[400];
        std::size_t needed = 0;
        EXPECT_SUCCESS(accublas_mp_get_string(nullptr, x, 0, base, 0, text, sizeof text, &needed));
        EXPECT_EQ(needed, std::strlen(text) + 1);
        EXPECT_SUCCESS(accublas_mp_set_string(nullptr, x, 1, text, t % 2 ? base : 0));
        EXPECT_NUMBER(x.get(1), value) << text;
      }
    }
    struct Row {
      const char* text;
      std::int32_t base;
      const char* decimal;
    };
    const Row good[] = {{"1", 10, "1e+0"},
                        {"  -1.25e-3\t", 10, "-1.25e-3"},
                        {"0x1.8p+4", 0, "2.4e+1"},
                        {"0x1.8p+4", 16, "2.4e+1"},
                        {"1.8@2", 16, "3.84e+2"},
                        {"+inf", 10, "inf"},
                        {"-Inf", 0, "-inf"},
                        {"nan", 10, "nan"},
                        {"-0", 10, "-0"},
                        {"1e-400000000", 10, "0"},
                        {"-1e999999999", 10, "-inf"}};
    for (const Row& row : good) {
      char text[100];
      EXPECT_SUCCESS(accublas_mp_set_string(nullptr, x, 0, row.text, row.base));
      EXPECT_SUCCESS(
          accublas_mp_get_string(nullptr, x, 0, 10, std::strchr(row.decimal, '.') ? 3 : 1, text, sizeof text, nullptr));
      std::string wanted = row.decimal;
      if (wanted == "2.4e+1") wanted = "2.40e+1";
      EXPECT_EQ(text, wanted) << row.text;
    }
    const Real before = x.get(0);
    for (const char* bad : {"", " ", "x", "1x", "1 2", "--1", "1e", "0x", "0xg", "1.5.2"}) {
      const accublas_status status = accublas_mp_set_string(nullptr, x, 0, bad, 0);
      EXPECT_EQ(status, ACCUBLAS_ERROR_FORMAT) << "\"" << bad << "\"";
    }
    EXPECT_NUMBER(x.get(0), before);
    char small[3];
    EXPECT_ARGUMENT(accublas_mp_get_string(nullptr, x, 0, 10, 20, small, sizeof small, nullptr));
    EXPECT_ARGUMENT(accublas_mp_get_string(nullptr, x, 0, 8, 0, small, sizeof small, nullptr));
    EXPECT_ARGUMENT(accublas_mp_set_string(nullptr, x, 0, "1", 2));
    EXPECT_ARGUMENT(accublas_mp_set_string(nullptr, x, 0, nullptr, 10));
  }
}

TEST(MpText, Print) {
  const Array x(64, Vector{real(64, 1), real(64, 2), real(64, 3), real(64, -4)});
  char* text = nullptr;
  std::size_t size = 0;
  FILE* stream = open_memstream(&text, &size);
  EXPECT_SUCCESS(accublas_mp_print(nullptr, stream, x, 0, 3, 1, 2, 10, 2));
  std::fclose(stream);
  EXPECT_STREQ(text, "1.0e+0\n-4.0e+0\n");
  std::free(text);
  EXPECT_ARGUMENT(accublas_mp_print(nullptr, nullptr, x, 0, 3, 1, 2, 10, 2));
}

TEST(MpCopy, CopyAndConvert) {
  Source source(15);
  const Vector values = source.vector(40, 212, 212, 300);
  const Array x(212, values), same_precision(212, 40), less(106, 40), more(424, 40);
  EXPECT_SUCCESS(accublas_mp_copy(nullptr, 5, 6, x, 2, 6, same_precision, 1, 5));
  EXPECT_SUCCESS(accublas_mp_convert(nullptr, 5, 6, x, 2, 6, less, 1, 5));
  EXPECT_SUCCESS(accublas_mp_convert(nullptr, 5, 6, x, 2, 6, more, 1, 5));
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < 5; ++i) {
      const Real& value = values[2 + i + 6 * j];
      Real rounded(106), wider(424);
      mpfr_set(rounded.get(), value.get(), MPFR_RNDN);
      mpfr_set(wider.get(), value.get(), MPFR_RNDN);
      EXPECT_NUMBER(same_precision.get(1 + i + 5 * j), value);
      EXPECT_NUMBER(less.get(1 + i + 5 * j), rounded);
      EXPECT_NUMBER(more.get(1 + i + 5 * j), wider);
    }
  EXPECT_NUMBER(same_precision.get(0), Real(212));
  EXPECT_NUMBER(same_precision.get(31), Real(212));
  expect_status(accublas_mp_copy(nullptr, 1, 1, x, 0, 1, less, 0, 1), ACCUBLAS_ERROR_PRECISION);
  EXPECT_ARGUMENT(accublas_mp_copy(nullptr, 1, 3, x, 0, 1, x, 2, 1));
  EXPECT_SUCCESS(accublas_mp_copy(nullptr, 1, 3, x, 0, 2, x, 1, 2));  // odd from even elements
}

TEST(MpQueries, CompareSignExponentEvaluation) {
  Source source(16);
  for (int precision : {64, 106, 777}) {
    Vector values = source.vector(10, precision, precision, 2);
    for (int i = 0; i < 6; ++i) {  // neighbours, equal numbers and opposites
      values.push_back(values[i]);
      if (i % 3 == 0) mpfr_nextabove(values.back().get());
      if (i % 3 == 1) mpfr_neg(values.back().get(), values.back().get(), MPFR_RNDN);
    }
    for (int i = 0; i < 5; ++i) values.push_back(Real(precision));
    mpfr_set_zero(values[16].get(), -1);
    mpfr_set_inf(values[17].get(), 1);
    mpfr_set_inf(values[18].get(), -1);
    mpfr_set_nan(values[19].get());
    const Array x(precision, values);
    const Array wider(precision + 9, values.size());
    const std::int64_t n = static_cast<std::int64_t>(values.size());
    EXPECT_SUCCESS(accublas_mp_convert(nullptr, 1, n, x, 0, 1, wider, 0, 1));
    for (std::int64_t i = 0; i < n; ++i) {
      mpfr_srcptr a = values[i].get();
      for (std::int64_t j = 0; j < n; ++j) {
        mpfr_srcptr b = values[j].get();
        const int wanted = mpfr_unordered_p(a, b) ? 2 : mpfr_less_p(a, b) ? -1 : mpfr_greater_p(a, b) ? 1 : 0;
        std::int32_t got = 7;
        EXPECT_SUCCESS(accublas_mp_compare(nullptr, x, i, x, j, &got));
        EXPECT_EQ(got, wanted) << values[i].text() << " " << values[j].text();
        EXPECT_SUCCESS(accublas_mp_compare(nullptr, x, i, wider, j, &got));
        EXPECT_EQ(got, wanted) << values[i].text() << " " << values[j].text();
      }
      std::int32_t sign = 7;
      std::int64_t exponent = 0;
      double lower = -1, upper = -1;
      EXPECT_SUCCESS(accublas_mp_sign(nullptr, x, i, &sign));
      EXPECT_EQ(sign, mpfr_nan_p(a) ? 0 : mpfr_sgn(a));
      EXPECT_SUCCESS(accublas_mp_exponent(nullptr, x, i, &exponent));
      EXPECT_SUCCESS(accublas_mp_evaluation(nullptr, x, i, &lower, &upper));
      if (mpfr_regular_p(a)) {
        EXPECT_EQ(exponent, mpfr_get_exp(a));
        EXPECT_LT(0, lower);
        EXPECT_LE(lower, upper);
        EXPECT_LT(upper / lower, 1 + 0x1p-48);
      } else {
        EXPECT_EQ(exponent, mpfr_zero_p(a)  ? ACCUBLAS_MP_EXPONENT_ZERO
                            : mpfr_inf_p(a) ? ACCUBLAS_MP_EXPONENT_INFINITY
                                            : ACCUBLAS_MP_EXPONENT_NAN);
        EXPECT_EQ(upper, 0);
      }
    }
  }
}

TEST(MpErrors, Arrays) {
  accublas_mp_array* array = nullptr;
  EXPECT_ARGUMENT(accublas_mp_create(nullptr, 63, 1, &array));
  EXPECT_ARGUMENT(accublas_mp_create(nullptr, 8193, 1, &array));
  EXPECT_ARGUMENT(accublas_mp_create(nullptr, 64, -1, &array));
  EXPECT_ARGUMENT(accublas_mp_create(nullptr, 64, 1, nullptr));
  expect_status(accublas_mp_create(nullptr, 8192, INT64_MAX, &array), ACCUBLAS_ERROR_MEMORY);
#ifndef __SANITIZE_ADDRESS__  // which ends the program at such a request
  expect_status(accublas_mp_create(nullptr, 8192, 1LL << 39, &array), ACCUBLAS_ERROR_MEMORY);
#endif
  EXPECT_EQ(array, nullptr);
  EXPECT_SUCCESS(accublas_mp_destroy(nullptr));

  const Array x(106, 10), nothing(106, 0);
  EXPECT_EQ(accublas_mp_length(x), 10);
  EXPECT_EQ(accublas_mp_precision(x), 106);
  EXPECT_EQ(accublas_mp_get_place(x), ACCUBLAS_MP_HOST);
  EXPECT_GT(accublas_mp_bytes(x), 10 * 16);
  EXPECT_EQ(accublas_mp_length(nullptr), 0);
  double d[10] = {};
  EXPECT_SUCCESS(accublas_mp_set_double(nullptr, nothing, 0, 1, 0, 0, nullptr, 1));
  EXPECT_SUCCESS(accublas_mp_set_double(nullptr, x, 10, 5, 5, 0, nullptr, 5));
  EXPECT_ARGUMENT(accublas_mp_set_double(nullptr, nullptr, 0, 1, 1, 1, d, 1));
  EXPECT_ARGUMENT(accublas_mp_set_double(nullptr, x, 0, 1, 1, 1, nullptr, 1));
  EXPECT_ARGUMENT(accublas_mp_set_double(nullptr, x, -1, 1, 1, 1, d, 1));
  EXPECT_ARGUMENT(accublas_mp_set_double(nullptr, x, 10, 1, 1, 1, d, 1));
  EXPECT_ARGUMENT(accublas_mp_set_double(nullptr, x, 1, 5, 5, 2, d, 5));
  EXPECT_SUCCESS(accublas_mp_set_double(nullptr, x, 0, 5, 5, 2, d, 5));
  EXPECT_ARGUMENT(accublas_mp_set_double(nullptr, x, 0, 4, 5, 2, d, 5));
  EXPECT_ARGUMENT(accublas_mp_set_double(nullptr, x, 0, 5, 5, 2, d, 4));
  EXPECT_ARGUMENT(accublas_mp_set_double(nullptr, x, 0, 5, 5, 2, d, std::int64_t{1} << 62));
  EXPECT_ARGUMENT(accublas_mp_set_double(nullptr, x, 0, 1, -1, 1, d, 1));
  EXPECT_ARGUMENT(accublas_mp_set_double(nullptr, x, 1, INT64_MAX, 1, 3, d, 1));
  EXPECT_ARGUMENT(accublas_mp_set_double(nullptr, x, INT64_MAX, 1, 1, 1, d, 1));
  EXPECT_ARGUMENT(accublas_mp_move(nullptr, x, 2));
  EXPECT_SUCCESS(accublas_mp_move(nullptr, x, ACCUBLAS_MP_HOST));
  std::int32_t devices = 0;
  accublas_device_count(&devices);
  if (devices == 0) {
    expect_status(accublas_mp_move(nullptr, x, ACCUBLAS_MP_DEVICE), ACCUBLAS_ERROR_NO_DEVICE);
  }
}

TEST(MpErrors, Routines) {
  const int precision = 106;
  const Array a(precision, 12), x(precision, 4), y(precision, 4),
      s(precision, Vector{real(precision, 1), real(precision, 1)}), other(113, 12);
  const auto gemv = [&](accublas_transpose trans, std::int64_t m, std::int64_t n, accublas_mp_array* ma,
                        std::int64_t lda, accublas_mp_array* mx, std::int64_t incx, accublas_mp_array* my,
                        std::int64_t incy) {
    return accublas_mp_gemv(nullptr, trans, m, n, s, 0, ma, 0, lda, mx, 0, incx, s, 1, my, 0, incy);
  };
  EXPECT_SUCCESS(gemv(ACCUBLAS_NO_TRANS, 3, 4, a, 3, x, 1, y, 1));
  EXPECT_ARGUMENT(gemv(110, 3, 4, a, 3, x, 1, y, 1));
  EXPECT_ARGUMENT(gemv(ACCUBLAS_NO_TRANS, -1, 4, a, 3, x, 1, y, 1));
  EXPECT_ARGUMENT(gemv(ACCUBLAS_NO_TRANS, 3, 4, a, 2, x, 1, y, 1));
  EXPECT_ARGUMENT(gemv(ACCUBLAS_NO_TRANS, 3, 4, a, 4, x, 1, y, 1));
  EXPECT_ARGUMENT(gemv(ACCUBLAS_NO_TRANS, 3, 4, a, 3, x, 0, y, 1));
  EXPECT_ARGUMENT(gemv(ACCUBLAS_NO_TRANS, 3, 4, a, 3, x, 1, y, 0));
  EXPECT_ARGUMENT(gemv(ACCUBLAS_NO_TRANS, 3, 4, a, 3, x, 2, y, 1));
  EXPECT_ARGUMENT(gemv(ACCUBLAS_NO_TRANS, 3, 4, a, 3, x, INT64_MIN, y, 1));
  EXPECT_ARGUMENT(gemv(ACCUBLAS_NO_TRANS, 3, 4, nullptr, 3, x, 1, y, 1));
  EXPECT_ARGUMENT(gemv(ACCUBLAS_NO_TRANS, 3, 4, a, 3, y, 1, y, 1));
  EXPECT_ARGUMENT(gemv(ACCUBLAS_NO_TRANS, 2, 2, a, 3, x, 1, a, 1));
  EXPECT_ARGUMENT(gemv(ACCUBLAS_NO_TRANS, 1, 1, a, 1, x, 1, s, 1));
  expect_status(gemv(ACCUBLAS_NO_TRANS, 3, 4, other, 3, x, 1, y, 1), ACCUBLAS_ERROR_PRECISION);
  EXPECT_SUCCESS(gemv(ACCUBLAS_NO_TRANS, 0, 4, a, 1, x, 1, y, 1));
  EXPECT_SUCCESS(gemv(ACCUBLAS_NO_TRANS, 3, 0, a, 3, x, 1, y, 1));
  EXPECT_ARGUMENT(accublas_mp_dot(nullptr, -1, x, 0, 1, y, 0, 1, s, 0));
  EXPECT_ARGUMENT(accublas_mp_dot(nullptr, 2, x, 0, 1, y, 0, 1, x, 1));
  EXPECT_SUCCESS(accublas_mp_dot(nullptr, 2, x, 0, 1, x, 0, 1, x, 2));
  EXPECT_ARGUMENT(accublas_mp_axpy(nullptr, 2, s, 0, x, 0, 1, x, 1, 1));
  EXPECT_SUCCESS(accublas_mp_axpy(nullptr, 2, s, 0, x, 0, 1, x, 2, 1));
  EXPECT_ARGUMENT(accublas_mp_axpy(nullptr, 2, s, 2, x, 0, 1, y, 0, 1));
  EXPECT_ARGUMENT(accublas_mp_scal(nullptr, 2, x, 1, x, 0, 1));
  expect_status(accublas_mp_scal(nullptr, 2, other, 0, x, 0, 1), ACCUBLAS_ERROR_PRECISION);
  EXPECT_ARGUMENT(
      accublas_mp_gemm(nullptr, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 2, 2, 3, s, 0, a, 0, 2, a, 6, 2, s, 1, y, 0, 2));
  EXPECT_ARGUMENT(
      accublas_mp_gemm(nullptr, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 2, 2, 3, s, 0, a, 0, 2, a, 6, 3, s, 1, a, 8, 2));
  EXPECT_SUCCESS(
      accublas_mp_gemm(nullptr, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 2, 2, 3, s, 0, a, 0, 2, a, 6, 3, s, 1, y, 0, 2));
  EXPECT_ARGUMENT(accublas_mp_align(nullptr, a, 0, 3, 3, 4, 65));
  EXPECT_ARGUMENT(accublas_mp_align(nullptr, a, 0, 3, 3, 5, 0));
}

/// The kept form: used for exactly its matrix, dropped when one of its elements is written, and not by others.
TEST(MpAlign, KeptUntilWritten) {
  const int precision = 212;
  Source source(17);
  const Array a(precision, source.vector(30, precision, precision, 3)),
      x(precision, source.vector(5, precision, precision, 3)), y(precision, 5),
      s(precision, Vector{real(precision, 1), Real(precision)});
  const auto kept = [&](std::int64_t offset) {
    EXPECT_SUCCESS(accublas_mp_gemv(nullptr, ACCUBLAS_NO_TRANS, 5, 5, s, 0, a, offset, 5, x, 0, 1, s, 1, y, 0, 1));
    accublas_mp_report_t report;
    report.struct_size = sizeof report;
    EXPECT_SUCCESS(accublas_mp_report(nullptr, &report));
    EXPECT_STREQ(report.routine, "mp_gemv");
    EXPECT_EQ(report.precision, precision);
    EXPECT_EQ(report.m, 5);
    EXPECT_GE(report.moduli, 14);
    return report.aligned_kept;
  };
  EXPECT_EQ(kept(0), 0);
  const std::int64_t bytes = accublas_mp_bytes(a);
  EXPECT_SUCCESS(accublas_mp_align(nullptr, a, 0, 5, 5, 5, -1));
  EXPECT_GT(accublas_mp_bytes(a), bytes);
  EXPECT_EQ(kept(0), 1);
  EXPECT_EQ(kept(1), 0);
  a.set(25, real(precision, 2));
  EXPECT_EQ(kept(0), 1);
  a.set(24, real(precision, 2));
  EXPECT_EQ(kept(0), 0);
  EXPECT_SUCCESS(accublas_mp_align(nullptr, a, 0, 5, 5, 5, 0));
  EXPECT_SUCCESS(accublas_mp_drop_aligned(nullptr, a));
  EXPECT_EQ(kept(0), 0);
}

}  // namespace
