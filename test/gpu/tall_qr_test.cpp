// QR of tall matrices in dp on the device: Q's columns are orthonormal as promised, and Q R is A, by products in cr.
#include "test/gpu/factor_dp.hpp"

namespace accublas::test {
namespace {

/// Kinds of matrices: `plain`; `near`: columns that nearly depend on each other; `dependent`: two equal columns, which
/// reflectors serve; `special`: a NaN.
enum class TallData { plain, near, dependent, special };

void expect_factors(Index m, Index n, TallData data, bool by_rows, bool tight) {
  const std::string text = std::to_string(m) + " x " + std::to_string(n) + ", data " +
                           std::to_string(static_cast<int>(data)) + (by_rows ? " by rows" : "");
  const accublas_layout layout = by_rows ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR;
  const Index lda = (by_rows ? n : m) + (tight ? 0 : 3), ldr = n + 2, lines = by_rows ? m : n;
  const auto at = [&](Index i, Index j) { return static_cast<std::size_t>(by_rows ? i * lda + j : i + j * lda); };
  constexpr double poison = 7.25;
  Random rng{static_cast<unsigned>(m + n)};
  std::vector<double> a(static_cast<std::size_t>(lda * lines), poison);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) a[at(i, j)] = uniform(rng) - 0.5;
  for (Index i = 0; i < m; ++i)
    for (Index j = 1; j < n; ++j) {
      if (data == TallData::near && j % 3 == 1) a[at(i, j)] = a[at(i, j - 1)] + 1e-6 * a[at(i, j)];
      if (data == TallData::dependent && j == n / 2) a[at(i, j)] = a[at(i, 0)];
    }
  if (data == TallData::special) a[at(m / 2, n / 2)] = std::numeric_limits<double>::quiet_NaN();
  const DeviceArray<double> given(a), q(a), r(std::vector<double>(static_cast<std::size_t>(n * ldr), poison)),
      gram(static_cast<std::size_t>(n * n));
  Context gpu(ACCUBLAS_BACKEND_CUDA), exact(ACCUBLAS_BACKEND_CUDA);
  gpu.set("dp"), exact.set("cr");
  ASSERT_EQ(accublas_dqr_explicit(gpu, layout, m, n, q.data(), lda, r.data(), ldr), ACCUBLAS_SUCCESS) << gpu.error();
  ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
  const std::vector<double> found = q.values(), factor = r.values();
  const auto of_r = [&](Index i, Index j) {
    return factor[static_cast<std::size_t>(by_rows ? i * ldr + j : i + j * ldr)];
  };
  if (data == TallData::special) {
    ASSERT_TRUE(std::isnan(of_r(n / 2, n / 2))) << text;
    return;
  }
  // Cholesky's factorizations make R's diagonal positive, and reflectors only where a column happens to ask for it.
  if (data == TallData::plain || data == TallData::near)
    for (Index i = 0; i < n; ++i) ASSERT_GT(of_r(i, i), 0) << text << " " << i;
  for (Index i = 0; i < lda * lines; ++i)
    if (a[static_cast<std::size_t>(i)] == poison) {
      ASSERT_EQ(found[static_cast<std::size_t>(i)], poison) << text;
    }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) ASSERT_EQ(of_r(i, j), 0) << text;
  std::vector<double> one(static_cast<std::size_t>(n * n));
  for (Index i = 0; i < n; ++i) one[static_cast<std::size_t>(i * (n + 1))] = 1;
  const DeviceArray<double> deviation(one);
  const double plus = 1, minus = -1;
  ASSERT_EQ(accublas_dgemm(exact, layout, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, n, n, m, &plus, q.data(), lda, q.data(),
                           lda, &minus, deviation.data(), n),
            ACCUBLAS_SUCCESS)
      << exact.error();
  ASSERT_EQ(accublas_dgemm(exact, layout, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n, n, &plus, q.data(), lda, r.data(),
                           ldr, &minus, given.data(), lda),
            ACCUBLAS_SUCCESS)
      << exact.error();
  ASSERT_EQ(accublas_sync(exact), ACCUBLAS_SUCCESS);
  double squares = 0;
  for (const double x : deviation.values()) squares += x * x;
  // Reflectors may deviate by some more than the bound of the proof.
  EXPECT_LE(std::sqrt(squares), (data == TallData::dependent ? 100 : 10) * static_cast<double>(n) * 0x1p-53) << text;
  const std::vector<double> rest = given.values();
  for (Index j = 0; j < n; ++j) {
    double of_rest = 0, of_column = 0;
    for (Index i = 0; i < m; ++i) of_rest += rest[at(i, j)] * rest[at(i, j)], of_column += a[at(i, j)] * a[at(i, j)];
    EXPECT_LE(std::sqrt(of_rest), (20 + 2 * static_cast<double>(n)) * 0x1p-53 * std::sqrt(of_column))
        << text << " " << j;
  }
}

TEST(TallQr, ExplicitFactorsOnTheDevice) {
  for (const Index n : {1, 5, 31, 32, 33, 64, 100, 127, 128, 129})
    for (const TallData data : {TallData::plain, TallData::near, TallData::dependent, TallData::special}) {
      if (n < 5 && data != TallData::plain) continue;
      expect_factors(64 * n + (n % 2 == 0 ? 0 : 7), n, data, n % 3 == 1, n % 2 == 0);
      if (testing::Test::HasFatalFailure()) return;
    }
  expect_factors(150001, 128, TallData::plain, false, true);
  expect_factors(150001, 40, TallData::near, true, false);
}

}  // namespace
}  // namespace accublas::test
