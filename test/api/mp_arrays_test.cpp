// Multiple-precision arrays: numbers in and out in every form, copies and conversions, queries, and every status of bad
// input.
#include <cfloat>
#include <cstdio>
#include <cstdlib>

#include "mp.hpp"

using namespace mp_test;

namespace {

const int precisions[] = {64, 65, 106, 424, 777, 1696, 4096};

void expect_status(accublas_status got, accublas_status wanted) {
  EXPECT_EQ(got, wanted) << accublas_last_error(nullptr);
  if (got != ACCUBLAS_SUCCESS) {
    EXPECT_STRNE(accublas_last_error(nullptr), "");
  }
}
#define EXPECT_ARGUMENT(call) expect_status(call, ACCUBLAS_ERROR_ARGUMENT)
#define EXPECT_SUCCESS(call) expect_status(call, ACCUBLAS_SUCCESS)

TEST(MpTransfer, MpfrBothWays) {
  Source source(11);
  for (int precision : precisions) {
    const Array x(precision, 3);
    for (int t = 0; t < 20; ++t) {
      const Real value = source.number(precision, t % 2 ? precision : 20, 1000);
      x.set(1, value);
      EXPECT_NUMBER(x.get(1), value);
      // Longer and shorter ones are rounded once.
      const Real longer = source.number(2 * precision, 2 * precision, 10);
      Real rounded(precision), shorter(40), expected(40);
      mpfr_set(rounded.get(), longer.get(), MPFR_RNDN);
      x.set(2, longer);
      EXPECT_NUMBER(x.get(2), rounded);
      EXPECT_SUCCESS(accublas_mp_get_mpfr(nullptr, x, 2, shorter.get()));
      mpfr_set(expected.get(), rounded.get(), MPFR_RNDN);
      EXPECT_NUMBER(shorter, expected);
    }
    EXPECT_NUMBER(x.get(0), Real(precision));  // neighbours are left alone
  }
}

TEST(MpTransfer, Doubles) {
  const double edge[] = {0.0,
                         -0.0,
                         1,
                         -1,
                         0.1,
                         DBL_MAX,
                         -DBL_MIN,
                         4.9406564584124654e-324,
                         -2.2250738585072009e-308,
                         HUGE_VAL,
                         -HUGE_VAL,
                         std::nan(""),
                         1e300,
                         3e-310};
  Source source(12);
  for (int precision : precisions) {
    const std::int64_t m = 5, n = 4, lda = 7, ld = 6, offset = 2;
    std::vector<double> in(lda * n), out(lda * n, 7.0);
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = i < std::size(edge) ? edge[i]
                                  : std::ldexp(source.below(1LL << 53), static_cast<int>(source.below(2000)) - 1100);
    const Array x(precision, offset + ld * n);
    EXPECT_SUCCESS(accublas_mp_set_double(nullptr, x, offset, ld, m, n, in.data(), lda));
    EXPECT_SUCCESS(accublas_mp_get_double(nullptr, x, offset, ld, m, n, out.data(), lda));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < lda; ++i) {
        const double a = in[i + j * lda], b = out[i + j * lda];
        if (i >= m) {
          EXPECT_EQ(b, 7.0);
          continue;
        }
        EXPECT_TRUE(std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b))) << a << " " << b;
        EXPECT_NUMBER(x.get(offset + i + j * ld), real(precision, a));
      }
    // Rounding on the way out, into subnormals and past the largest number too.
    for (int t = 0; t < 200; ++t) {
      Real value = source.number(precision, t % 3 ? precision : 54, 0, 0);
      if (t % 3 == 2) mpfr_set_d(value.get(), std::ldexp(1 + 2.0 * source.below(1000), -54), MPFR_RNDN);
      mpfr_mul_2si(value.get(), value.get(), t % 2 ? -1074 + source.below(60) - 3 : 1020 + source.below(6), MPFR_RNDN);
      x.set(0, value);
      double got = 0;
      EXPECT_SUCCESS(accublas_mp_get_double(nullptr, x, 0, 1, 1, 1, &got, 1));
      const double wanted = mpfr_get_d(value.get(), MPFR_RNDN);
      EXPECT_EQ(std::memcmp(&got, &wanted, sizeof got), 0) << value.text() << ": " << got << " " << wanted;
    }
  }
}

TEST(MpTransfer, Limbs) {
  Source source(13);
  for (int precision : precisions) {
    const std::int64_t size = precision / 64 + 3, n = 40;
    std::vector<std::uint64_t> limbs(size * n);
    std::vector<std::int64_t> exponents(n);
    std::vector<std::int32_t> signs(n);
    const Array x(precision, n + 1);
    Vector wanted;
    for (std::int64_t t = 0; t < n; ++t) {
      const std::int64_t used = 1 + source.below(size);
      for (std::int64_t l = 0; l < used; ++l)
        limbs[t * size + l] =
            t % 4 == 0 ? (l == 0 ? 1u << 20 : ~0ull) : static_cast<std::uint64_t>(source.below(INT64_MAX)) << 1;
      exponents[t] = source.below(4000) - 2000;
      signs[t] = static_cast<std::int32_t>(source.below(2));
      mpz_t z;
      mpz_init(z);
      mpz_import(z, size, -1, 8, 0, 0, &limbs[t * size]);
      if (signs[t]) mpz_neg(z, z);
      Real value(precision);
      mpfr_set_z_2exp(value.get(), z, exponents[t], MPFR_RNDN);
      if (mpfr_zero_p(value.get())) mpfr_set_zero(value.get(), signs[t] ? -1 : 1);
      mpz_clear(z);
      wanted.push_back(value);
    }
    EXPECT_SUCCESS(accublas_mp_set_limbs(nullptr, x, 1, 1, 1, n, limbs.data(), size, exponents.data(), signs.data()));
    for (std::int64_t t = 0; t < n; ++t) EXPECT_NUMBER(x.get(1 + t), wanted[t]);

    // Out and in again.
    const std::int64_t exact = (precision + 63) / 64;
    std::vector<std::uint64_t> read(exact * (n + 1));
    std::vector<std::int64_t> e(n + 1);
    std::vector<std::int32_t> s(n + 1);
    EXPECT_SUCCESS(accublas_mp_get_limbs(nullptr, x, 0, 1, 1, n + 1, read.data(), exact, e.data(), s.data()));
    EXPECT_EQ(e[0], ACCUBLAS_MP_EXPONENT_ZERO);
    const Array y(precision, n + 1);
    EXPECT_SUCCESS(accublas_mp_set_limbs(nullptr, y, 0, 1, 1, n + 1, read.data(), exact, e.data(), s.data()));
    for (std::int64_t t = 0; t <= n; ++t) EXPECT_NUMBER(y.get(t), x.get(t));
    EXPECT_ARGUMENT(accublas_mp_get_limbs(nullptr, x, 0, 1, 1, 1, read.data(), exact - 1, e.data(), nullptr));
  }
  // Codes, and exponents past the range.
  const Array x(106, 8);
  const std::uint64_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 3};
  const std::int64_t last = (1LL << 30) - 1;
  const std::int64_t codes[8] = {ACCUBLAS_MP_EXPONENT_ZERO,
                                 ACCUBLAS_MP_EXPONENT_INFINITY,
                                 ACCUBLAS_MP_EXPONENT_NAN,
                                 INT64_MAX,
                                 -INT64_MAX + 2,
                                 last - 1,
                                 last,
                                 -last - 2};
  const std::int32_t minus[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_SUCCESS(accublas_mp_set_limbs(nullptr, x, 0, 1, 1, 8, ones, 1, codes, minus));
  const std::int32_t classes[8] = {ACCUBLAS_MP_ZERO, ACCUBLAS_MP_INFINITE, ACCUBLAS_MP_NAN,      ACCUBLAS_MP_INFINITE,
                                   ACCUBLAS_MP_ZERO, ACCUBLAS_MP_FINITE,   ACCUBLAS_MP_INFINITE, ACCUBLAS_MP_FINITE};
  for (int i = 0; i < 8; ++i) {
    std::int32_t kind = -1;
    EXPECT_SUCCESS(accublas_mp_classify(nullptr, x, i, &kind));
    EXPECT_EQ(kind, classes[i]) << i;
  }
  EXPECT_TRUE(mpfr_signbit(x.get(0).get()));
}

/// Limbs of the array's own size, normalised as the array keeps them but for one here and there: it alone is rounded
/// or shifted, wherever it stands; the blocks lie in every way that the elements of a matrix can.
TEST(MpTransfer, LimbsOfTheVeryPrecision) {
  Source source(14);
  for (int precision : {64, 83, 106, 777})
    for (int kind = 0; kind < 7; ++kind) {
      const std::int64_t size = (precision + 63) / 64, top = (precision - 1) % 64, m = 300, n = kind % 2 ? 1 : 2;
      const std::int64_t count = m * n, odd = source.below(count), ld = m + kind % 3, offset = kind;
      std::vector<std::uint64_t> limbs(size * count);
      std::vector<std::int64_t> exponents(count);
      std::vector<std::int32_t> signs(count);
      const auto any = [&] { return static_cast<std::uint64_t>(source.below(INT64_MAX)) << 1 | source.below(2); };
      for (std::int64_t t = 0; t < count; ++t) {
        for (std::int64_t l = 0; l < size; ++l) limbs[t * size + l] = any();
        std::uint64_t& last = limbs[(t + 1) * size - 1];
        last = (last & (~0ull >> (63 - top))) | 1ull << top;
        exponents[t] = source.below(50) - 25;
        signs[t] = static_cast<std::int32_t>(source.below(2));
      }
      std::uint64_t& last = limbs[(odd + 1) * size - 1];
      if (kind == 1) last &= ~(1ull << top);
      if (kind == 2) last = 0;
      if (kind == 3) last = ~0ull;
      if (kind == 4) exponents[odd] = 1LL << 30;
      if (kind == 5) exponents[odd] = -(1LL << 30) - 2 * precision;
      if (kind == 6) exponents[odd] = ACCUBLAS_MP_EXPONENT_INFINITY;
      const Array x(precision, offset + ld * n);
      EXPECT_SUCCESS(
          accublas_mp_set_limbs(nullptr, x, offset, ld, m, n, limbs.data(), size, exponents.data(), signs.data()));
      for (std::int64_t t = 0; t < count; ++t) {
        Real value(precision);
        mpz_t z;
        mpz_init(z);
        mpz_import(z, size, -1, 8, 0, 0, &limbs[t * size]);
        if (signs[t]) mpz_neg(z, z);
        if (exponents[t] == ACCUBLAS_MP_EXPONENT_INFINITY)
          mpfr_set_inf(value.get(), signs[t] ? -1 : 1);
        else
          mpfr_set_z_2exp(value.get(), z, exponents[t], MPFR_RNDN);
        mpz_clear(z);
        if (mpfr_zero_p(value.get())) mpfr_set_zero(value.get(), signs[t] ? -1 : 1);
        EXPECT_NUMBER(x.get(offset + t % m + t / m * ld), value);
        if (HasFailure()) return;
      }
    }
}

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
