// LAPACK's factorizations on the GPU in dp and sp: what one panel or block makes, bit by bit as loops on the host make
// it.
#include "test/gpu/factor_dp.hpp"

namespace accublas::test {
namespace {

template <class E>
Real<E> pivot_size(const E& x) {
  if constexpr (Numbers<E>::complex)
    return std::fabs(x.real()) + std::fabs(x.imag());
  else
    return std::fabs(x);
}
template <class E>
E less_product(const E& c, const E& x, const E& y) {
  if constexpr (Numbers<E>::complex)
    return {std::fma(x.imag(), y.imag(), std::fma(-x.real(), y.real(), c.real())),
            std::fma(-x.imag(), y.real(), std::fma(-x.real(), y.imag(), c.imag()))};
  else
    return std::fma(-x, y, c);
}
template <class E>
E quotient(const E& x, const E& y) {
  if constexpr (Numbers<E>::complex) {
    using T = Real<E>;
    constexpr int most = sizeof(T) == 8 ? 1020 : 124;
    const int exponent = std::clamp(std::ilogb(std::fmax(std::fabs(y.real()), std::fabs(y.imag()))), -most, most);
    const T scale = std::ldexp(T(1), -exponent), re = y.real() * scale, im = y.imag() * scale;
    const T norm = re * re + im * im, u = re / norm, v = -im / norm, a = x.real() * scale, b = x.imag() * scale;
    return {std::fma(-b, v, a * u), std::fma(b, u, a * v)};
  } else {
    return x / y;
  }
}

template <class E>
bool same_bits(const E& x, const E& y) {
  constexpr int parts = Numbers<E>::complex ? 2 : 1;
  Real<E> a[parts], b[parts];
  std::memcpy(a, &x, sizeof x), std::memcpy(b, &y, sizeof y);
  for (int i = 0; i < parts; ++i)
    if (!(std::isnan(a[i]) && std::isnan(b[i])) && std::memcmp(&a[i], &b[i], sizeof a[i]) != 0) return false;
  return true;
}

TYPED_TEST_SUITE(FactorDp, FactorTypes);

/// One panel: by one thread block, by clusters of 2 to 16 and by a grid.
TYPED_TEST(FactorDp, PanelsBitByBit) {
  using E = TypeParam;
  using T = Real<E>;
  Random& rng = this->rng;
  const Index heights[] = {1, 2, 7, 31, 32, 33, 200, 512, 513, 1024, 1025, 2049, 4100, 8192, 8193, 20000};
  for (const Index m : heights)
    for (int data = 0; data < 7; ++data) {
      if (m > 9000 && data > 1 && data < 6) continue;
      const Index most = std::min(m, this->panel), n = m < 40 ? most : std::max<Index>(1, most - below(rng, 3) * 5);
      Stored<E> a(rng, m, n);
      const Index bad = below(rng, m);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < m; ++i) {
          E x = data == 1 || data == 2 ? this->integer() : this->number();
          if (data == 2 && (j == n / 2 || i > 5)) x = E(0);  // columns without pivots
          if (data == 3 && i == bad && j == n / 2)
            x = E(below(rng, 2) ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity());
          if (data == 4) x *= static_cast<T>(sizeof(T) == 8 ? 0x1p-1060 : 0x1p-140);
          if (data == 5) x *= static_cast<T>(std::ldexp(1., static_cast<int>(below(rng, 60)) - 30));
          // The last thread block's rows are pivots first, and then it has none.
          if (data == 6 && i >= (m - 1) / 512 * 512) x *= static_cast<T>(0x1p40);
          a(i, j) = x;
        }
      Stored<E> want = a, got = a;
      std::vector<std::int64_t> wanted_pivots, pivots;
      std::int64_t wanted_info = 0;
      for (Index j = 0; j < n; ++j) {
        Index best = j;
        for (Index i = j + 1; i < m; ++i) {
          const T size = pivot_size(want(i, j)), most_yet = pivot_size(want(best, j));
          if (!std::isnan(most_yet) && (std::isnan(size) || size > most_yet)) best = i;
        }
        wanted_pivots.push_back(best + 1);
        for (Index c = 0; c < n; ++c) std::swap(want(j, c), want(best, c));
        const E pivot = want(j, j);
        if (pivot == E(0) && wanted_info == 0) wanted_info = j + 1;
        for (Index i = j + 1; i < m; ++i) {
          if (pivot != E(0)) want(i, j) = quotient(want(i, j), pivot);
          for (Index c = j + 1; c < n; ++c) want(i, c) = less_product(want(i, c), want(i, j), want(j, c));
        }
      }
      const std::int64_t info = this->factor(got, pivots, below(rng, 4) == 0);
      ASSERT_EQ(pivots, wanted_pivots) << m << " x " << n << " data " << data;
      ASSERT_EQ(info, wanted_info) << m << " x " << n << " data " << data;
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < m; ++i)
          if (!same_bits(got(i, j), want(i, j)))
            FAIL() << m << " x " << n << " data " << data << " at " << i << ", " << j << ": " << got(i, j) << " for "
                   << want(i, j);
      this->expect_poison(a, got);
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// One block on the diagonal.
TYPED_TEST(FactorDp, BlocksBitByBit) {
  using E = TypeParam;
  using T = Real<E>;
  for (const Index n : {1, 2, 3, 17, 32, 33, 63, 64})
    for (int round = 0; round < 6; ++round) {
      const accublas_uplo uplo = round % 2 ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
      Stored<E> a = this->positive(n, uplo);
      const Index bad = below(this->rng, n);
      if (round >= 2) a(bad, bad) = E(round < 4 ? T(0) : round == 4 ? T(-1) : std::numeric_limits<T>::quiet_NaN());
      Stored<E> want = a, got = a;
      const auto x = [&](Index i, Index j) -> E& { return uplo == ACCUBLAS_UPPER ? want(i, j) : want(j, i); };
      std::int64_t wanted_info = 0;
      for (Index j = 0; j < n && wanted_info == 0; ++j) {
        const T pivot = std::real(x(j, j));
        if (!(pivot > 0)) {
          wanted_info = j + 1;
          break;
        }
        const T root = std::sqrt(pivot);
        x(j, j) = E(root);
        for (Index i = j + 1; i < n; ++i) x(j, i) = x(j, i) / root;
        for (Index p = j + 1; p < n; ++p) {
          E of_row = x(j, p);
          if constexpr (Numbers<E>::complex) of_row = std::conj(of_row);
          for (Index q = p; q < n; ++q) x(p, q) = less_product(x(p, q), of_row, x(j, q));
        }
      }
      ASSERT_EQ(this->factor(got, uplo, false), wanted_info) << n << " round " << round;
      const Index rows = wanted_info > 0 ? wanted_info - 1 : n;
      for (Index i = 0; i < rows; ++i)
        for (Index j = i; j < n; ++j) {
          const E of_got = uplo == ACCUBLAS_UPPER ? got(i, j) : got(j, i);
          ASSERT_TRUE(same_bits(of_got, x(i, j)))
              << n << " round " << round << " at " << i << ", " << j << ": " << of_got << " for " << x(i, j);
        }
      this->expect_poison(a, got);
      if (testing::Test::HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace accublas::test
