// Numbers into arrays of multiple precision and back: MPFR, doubles, limbs.
#include <cfloat>

#include "mp.hpp"
#include "test/api/mp_arrays.hpp"

namespace {

const int precisions[] = {64, 65, 106, 424, 777, 1696, 4096};

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

}  // namespace
