// QR of matrices with many columns, and with Q and R as matrices.
#include <algorithm>
#include <array>
#include <cfenv>
#include <complex>

#include "orthogonal.hpp"
#include "test/typed_routines.hpp"

namespace {

/// Each column of a wide matrix, and each column of C, is what it is with fewer columns beside it. Flows update 1024
/// columns at a time.
TEST(Orthogonal, MoreColumnsThanAreUpdatedAtATime) {
  constexpr std::int64_t m = 5, n = 1100;
  for (const char* mode : {"cr", "dp:repro"})
    for (const double large : {1.0, 0x1p1010}) {
      api::Context context(mode);
      std::vector<double> a = numbers(m * n), tau(m);
      for (std::int64_t i = 0; i < m; ++i) a[static_cast<std::size_t>(i + 1030 * m)] *= large;
      const std::vector<double> given = a;
      ASSERT_EQ(accublas_dgeqrf(context, columns, m, n, a.data(), m, tau.data()), 0) << context.error();
      std::vector<double> c = given;
      ASSERT_EQ(accublas_dormqr(context, columns, ACCUBLAS_LEFT, ACCUBLAS_TRANS, m, n, m, a.data(), m, tau.data(),
                                c.data(), m),
                0)
          << context.error();
      for (const std::int64_t j : {m, std::int64_t{1023}, std::int64_t{1024}, std::int64_t{1028}, std::int64_t{1029},
                                   std::int64_t{1030}, n - 1}) {
        const auto column = [&](const std::vector<double>& of) {
          return std::vector<double>(of.begin() + j * m, of.begin() + (j + 1) * m);
        };
        std::vector<double> few(given.begin(), given.begin() + m * m), taus(m), alone = column(given);
        few.insert(few.end(), alone.begin(), alone.end());
        ASSERT_EQ(accublas_dgeqrf(context, columns, m, m + 1, few.data(), m, taus.data()), 0) << context.error();
        EXPECT_TRUE(taus == tau) << mode;
        EXPECT_TRUE(std::vector<double>(few.end() - m, few.end()) == column(a)) << mode << " column " << j;
        ASSERT_EQ(accublas_dormqr(context, columns, ACCUBLAS_LEFT, ACCUBLAS_TRANS, m, 1, m, a.data(), m, tau.data(),
                                  alone.data(), m),
                  0);
        EXPECT_TRUE(alone == column(c)) << mode << " column " << j;
      }
    }
}

/// Q and R are those of GEQRF and ORGQR; in dp they have a small residual, and Q's columns are orthonormal.
template <class E>
class ExplicitQR : public ::testing::Test {};
using AllNumbers = ::testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(ExplicitQR, AllNumbers);

TYPED_TEST(ExplicitQR, IsThatOfReflectors) {
  using E = TypeParam;
  constexpr bool single = sizeof(typed::Real<E>) == 4;
  for (const char* mode : {"cr", single ? "sp:repro" : "dp:repro", single ? "sp" : "dp"})
    for (const bool by_rows : {false, true})
      for (auto [m, n] : {std::array<std::int64_t, 2>{1, 1}, {7, 7}, {40, 33}, {130, 2}, {400, 6}, {5, 0}}) {
        api::Context context(mode);
        const accublas_layout layout = by_rows ? rows : columns;
        const std::int64_t lda = std::max<std::int64_t>(by_rows ? n : m, 1) + 2, ldr = std::max<std::int64_t>(n, 1) + 1;
        const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t ld) {
          return static_cast<std::size_t>(by_rows ? i * ld + j : i + j * ld);
        };
        std::vector<E> a(static_cast<std::size_t>(lda * (by_rows ? m : n))), r(static_cast<std::size_t>(ldr * n), E(7)),
            tau(static_cast<std::size_t>(n));
        const std::vector<double> numbers_of_a = numbers(2 * static_cast<std::int64_t>(a.size()));
        for (std::size_t i = 0; i < a.size(); ++i) {
          if constexpr (typed::is_complex<E>)
            a[i] = {static_cast<typed::Real<E>>(numbers_of_a[2 * i]),
                    static_cast<typed::Real<E>>(numbers_of_a[2 * i + 1])};
          else
            a[i] = static_cast<E>(numbers_of_a[i]);
        }
        std::vector<E> q = a, qr = a;
        ASSERT_EQ(typed::qr_explicit(E{}, context, layout, m, n, q.data(), lda, r.data(), ldr), 0) << context.error();
        EXPECT_EQ(context.report().m, m);
        std::vector<E> r_of_reflectors(r.size(), E(7));
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = j + 1; i < n; ++i) ASSERT_EQ(r[at(i, j, ldr)], E(0)) << mode;
        if (std::string(mode) != "dp" && std::string(mode) != "sp") {
          ASSERT_EQ(typed::geqrf(E{}, context, layout, m, n, qr.data(), lda, tau.data()), 0) << context.error();
          for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i <= j; ++i) ASSERT_EQ(r[at(i, j, ldr)], qr[at(i, j, lda)]) << mode;
          ASSERT_EQ(typed::orgqr(E{}, context, layout, m, n, n, qr.data(), lda, tau.data()), 0) << context.error();
          EXPECT_TRUE(qr == q) << mode << " " << m << " x " << n;
          continue;
        }
        const double unit = std::numeric_limits<typed::Real<E>>::epsilon(),
                     bound = 40 * unit * static_cast<double>(n + 1);
        for (std::int64_t j = 0; j < n; ++j) {
          for (std::int64_t i = 0; i <= j; ++i) {
            std::complex<double> product = i == j ? -1 : 0;
            for (std::int64_t k = 0; k < m; ++k)
              product += std::conj(std::complex<double>(q[at(k, i, lda)])) * std::complex<double>(q[at(k, j, lda)]);
            EXPECT_LE(std::abs(product), bound) << mode << " " << m << " x " << n;
          }
          for (std::int64_t i = 0; i < m; ++i) {
            std::complex<double> residual = -std::complex<double>(a[at(i, j, lda)]);
            for (std::int64_t k = 0; k <= j; ++k)
              residual += std::complex<double>(q[at(i, k, lda)]) * std::complex<double>(r[at(k, j, ldr)]);
            EXPECT_LE(std::abs(residual), bound * std::sqrt(static_cast<double>(m))) << mode << " " << m << " x " << n;
          }
        }
      }
}

/// Where LAPACK is not to serve dp, two Cholesky factorizations compute Q and R of tall matrices, and reflectors where
/// these cannot: the columns are orthonormal in any case.
TYPED_TEST(ExplicitQR, OfTallMatrices) {
  using E = TypeParam;
  using T = typed::Real<E>;
  constexpr bool single = sizeof(T) == 4;
  constexpr std::int64_t m = 700, n = 9;
  for (const bool by_rows : {false, true})
    for (const char* data : {"plain", "nearly dependent", "dependent", "tiny", "huge", "graded"}) {
      api::Context context(single ? "sp" : "dp");
      ASSERT_EQ(accublas_set_engine_name(context, "sums"), 0);
      const std::vector<double> random = numbers(2 * m * n);
      const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t ld) {
        return static_cast<std::size_t>(by_rows ? i * ld + j : i + j * ld);
      };
      const std::string kind = data;
      const std::int64_t lda = by_rows ? n + 1 : m + 1, ldr = n + 2;
      std::vector<E> a(static_cast<std::size_t>(lda * (by_rows ? m : n)), E(5)),
          r(static_cast<std::size_t>(ldr * n), E(7));
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          T re = static_cast<T>(random[static_cast<std::size_t>(i + j * m)]), im = 0;
          if constexpr (typed::is_complex<E>) im = static_cast<T>(random[static_cast<std::size_t>(i + j * m + m * n)]);
          if (kind == "nearly dependent" && j > 0)
            re = static_cast<T>(random[static_cast<std::size_t>(i)]) + re * std::numeric_limits<T>::epsilon() * 8,
            im = 0;
          if (kind == "dependent" && j == 4) re = static_cast<T>(random[static_cast<std::size_t>(i)]), im = 0;
          if (kind == "dependent" && j == 0) im = 0;
          const T scale = kind == "tiny"     ? std::numeric_limits<T>::min() * 16
                          : kind == "huge"   ? std::numeric_limits<T>::max() / 4096
                          : kind == "graded" ? std::ldexp(T(1), static_cast<int>(j) * (single ? 6 : 60))
                                             : T(1);
          if constexpr (typed::is_complex<E>)
            a[at(i, j, lda)] = {re * scale, im * scale};
          else
            a[at(i, j, lda)] = re * scale;
        }
      std::vector<E> q = a;
      std::feclearexcept(FE_ALL_EXCEPT);
      ASSERT_EQ(typed::qr_explicit(E{}, context, by_rows ? rows : columns, m, n, q.data(), lda, r.data(), ldr), 0)
          << context.error();
      EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO), 0) << data;
      using Wide = std::complex<long double>;
      const long double unit = std::numeric_limits<T>::epsilon() / 2;
      long double deviation = 0, residual = 0, size = 0;
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) {
          Wide product = i == j ? -1 : 0;
          for (std::int64_t k = 0; k < m; ++k) product += std::conj(Wide(q[at(k, i, lda)])) * Wide(q[at(k, j, lda)]);
          deviation += std::norm(product);
          if (i > j) {
            EXPECT_EQ(r[at(i, j, ldr)], E(0)) << data;
          }
        }
      for (std::int64_t j = 0; j < n; ++j) {
        residual = size = 0;
        for (std::int64_t i = 0; i < m; ++i) {
          Wide sum = -Wide(a[at(i, j, lda)]);
          size += std::norm(sum);
          for (std::int64_t k = 0; k <= j; ++k) sum += Wide(q[at(i, k, lda)]) * Wide(r[at(k, j, ldr)]);
          residual += std::norm(sum);
        }
        EXPECT_LE(std::sqrt(residual), 20 * n * unit * std::sqrt(size)) << data << " column " << j;
      }
      // Cholesky's factor has a positive diagonal, and that of reflectors has numbers of both signs.
      int negative = 0;
      for (std::int64_t j = 0; j < n; ++j) negative += std::real(r[at(j, j, ldr)]) < 0;
      if (kind == "plain" || kind == "graded") {
        EXPECT_EQ(negative, 0) << data;
      }
      // Whether the proof accepts Cholesky's factor of other matrices depends on the roundings of the BLAS. Reflectors
      // of 32 columns may deviate by some more than the bound of the proof.
      EXPECT_LE(std::sqrt(deviation), (negative == 0 ? 10 : 100) * n * unit) << data;
    }
}

TEST(ExplicitQRArguments, AreChecked) {
  api::Context context("cr");
  double a[6] = {1, 2, 3, 4, 5, 6}, r[4] = {};
  const auto bad = [&](accublas_status status, const char* word) {
    EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT);
    EXPECT_NE(context.error().find(word), std::string::npos) << context.error();
  };
  bad(accublas_dqr_explicit(context, columns, 2, 3, a, 2, r, 3), "n must be from 0 to m");
  bad(accublas_dqr_explicit(context, columns, 3, 2, a, 2, r, 2), "lda");
  bad(accublas_dqr_explicit(context, columns, 3, 2, a, 3, r, 1), "ldr");
  bad(accublas_dqr_explicit(context, columns, 3, 2, a, 3, a + 4, 2), "shares memory");
  EXPECT_EQ(a[0], 1);
}

}  // namespace
