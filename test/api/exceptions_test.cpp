// Floating-point exceptions as docs/modes.md defines them: which flags products and norms raise. test/oracle compares
// the flags of every routine, mode and engine.
#include "exceptions.hpp"

#include <complex>

namespace {

constexpr std::int64_t one = 1;

template <class T>
class Exceptions : public ::testing::Test {
 protected:
  using limits = std::numeric_limits<T>;
  static constexpr T infinity = limits::infinity(), nan = limits::quiet_NaN(), huge = limits::max();
  static constexpr T signalling = limits::signaling_NaN();

  /// a x as a DOT, a GEMV and a GEMM of one row or of several, where the others hold zeros. x is finite.
  int raised_by_products(const std::string& mode, const std::vector<T>& a, const std::vector<T>& x, T alpha = 1,
                         T beta = 0, T c = 0) {
    api::Context context(mode);
    const std::int64_t k = static_cast<std::int64_t>(a.size());
    int all = -1;
    const auto same = [&](int raised) {
      if (all < 0) all = raised;
      EXPECT_EQ(raised, all) << mode;
    };
    for (const int threads : {1, 3}) {
      accublas_set_num_threads(context, threads);
      for (const std::int64_t rows : {1, 40}) {
        if (rows > 1 && !std::isfinite(alpha)) continue;  // zeros times infinity would be invalid
        std::vector<T> many(static_cast<std::size_t>(rows * k), T(0)), y(static_cast<std::size_t>(rows), c);
        std::copy(a.begin(), a.end(), many.end() - k);
        same(raised_by([&] {
          return api::gemv(T{}, context, ACCUBLAS_ROW_MAJOR, ACCUBLAS_NO_TRANS, rows, k, &alpha, many.data(), k,
                           x.data(), one, &beta, y.data(), one);
        }));
        std::fill(y.begin(), y.end(), c);
        same(raised_by([&] {
          return api::gemm(T{}, context, ACCUBLAS_ROW_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, rows, one, k, &alpha,
                           many.data(), k, x.data(), one, &beta, y.data(), one);
        }));
      }
      T result = 0;
      if (alpha == 1 && beta == 0)
        same(raised_by([&] { return api::dot(T{}, context, k, a.data(), one, x.data(), one, &result); }));
    }
    return all;
  }

  int raised_by_all_modes(const std::vector<T>& a, const std::vector<T>& x, T alpha = 1, T beta = 0, T c = 0) {
    int all = -1;
    for (const std::string& mode : api::modes()) {
      if (!bits_defined(mode)) continue;
      const int raised = raised_by_products(mode, a, x, alpha, beta, c);
      if (all < 0) all = raised;
      EXPECT_EQ(raised, all) << mode;
    }
    return all;
  }
};
TYPED_TEST_SUITE(Exceptions, api::Types);

}  // namespace

TYPED_TEST(Exceptions, OfProducts) {
  using T = TypeParam;
  using F = Exceptions<T>;
  // A power of two: `fixed` rounds other numbers up.
  const T huge = std::ldexp(T(1), std::numeric_limits<T>::max_exponent - 1), infinity = F::infinity, nan = F::nan,
          least = std::numeric_limits<T>::denorm_min();
  // Finite results, whatever happens on the way: products beyond the range that cancel, and that underflow.
  EXPECT_EQ(this->raised_by_all_modes({1, 2, 3}, {4, 5, 6}), 0);
  EXPECT_EQ(this->raised_by_all_modes({huge, huge, 1}, {huge, -huge, 1}), 0);
  EXPECT_EQ(this->raised_by_all_modes({huge, -huge}, {1, 1}), 0);
  EXPECT_EQ(this->raised_by_all_modes({least, 1}, {least, 0}), 0);
  EXPECT_EQ(this->raised_by_all_modes({huge}, {huge}, least * least), 0);
  EXPECT_EQ(this->raised_by_all_modes({huge}, {2}, 1, -1, huge), 0);
  // Overflow.
  EXPECT_EQ(this->raised_by_all_modes({huge}, {2}), FE_OVERFLOW);
  EXPECT_EQ(this->raised_by_all_modes({huge, huge}, {1, 1}), FE_OVERFLOW);
  EXPECT_EQ(this->raised_by_all_modes({-huge, 1}, {huge, 1}), FE_OVERFLOW);
  EXPECT_EQ(this->raised_by_all_modes({1}, {huge}, 2), FE_OVERFLOW);
  EXPECT_EQ(this->raised_by_all_modes({huge}, {1}, 1, 1, huge), FE_OVERFLOW);
  EXPECT_EQ(this->raised_by_all_modes({0}, {1}, 1, 2, huge), FE_OVERFLOW);
  EXPECT_EQ(this->raised_by_all_modes({0}, {1}, 0, 2, huge), FE_OVERFLOW);  // alpha = 0
  // An infinity that comes from operands.
  EXPECT_EQ(this->raised_by_all_modes({infinity, huge}, {1, huge}), 0);
  EXPECT_EQ(this->raised_by_all_modes({1}, {1}, infinity), 0);
  EXPECT_EQ(this->raised_by_all_modes({huge}, {huge}, 1, 1, infinity), 0);
  EXPECT_EQ(this->raised_by_all_modes({1}, {1}, 1, 0, infinity), 0);
  // Invalid.
  EXPECT_EQ(this->raised_by_all_modes({infinity, 1}, {0, 1}), FE_INVALID);
  EXPECT_EQ(this->raised_by_all_modes({infinity, -infinity}, {1, 1}), FE_INVALID);
  EXPECT_EQ(this->raised_by_all_modes({infinity, 1}, {1, 1}, 1, 1, -infinity), FE_INVALID);
  EXPECT_EQ(this->raised_by_all_modes({1, -1}, {1, 1}, infinity), FE_INVALID);
  EXPECT_EQ(this->raised_by_all_modes({1}, {1}, 1, infinity, 0), FE_INVALID);
  EXPECT_EQ(this->raised_by_all_modes({1}, {1}, 0, infinity, 0), FE_INVALID);
  // A NaN among the operands, even where others would make one, and even a signalling one.
  EXPECT_EQ(this->raised_by_all_modes({nan, 1}, {1, 1}), 0);
  EXPECT_EQ(this->raised_by_all_modes({nan, infinity}, {1, 0}), 0);
  EXPECT_EQ(this->raised_by_all_modes({1}, {1}, 1, 1, nan), 0);
  EXPECT_EQ(this->raised_by_all_modes({infinity}, {0}, 1, 1, nan), 0);
  EXPECT_EQ(this->raised_by_all_modes({1}, {1}, nan), 0);
  std::vector<T> signalling(2, T(1));
  signalling[0] = std::numeric_limits<T>::signaling_NaN();
  EXPECT_EQ(this->raised_by_all_modes(signalling, {1, 1}), 0);
}

TYPED_TEST(Exceptions, OfNorms) {
  using T = TypeParam;
  using F = Exceptions<T>;
  for (const std::string& mode : api::norm_modes()) {
    if (!bits_defined(mode)) continue;
    api::Context context(mode);
    const auto nrm2 = [&](const std::vector<T>& x) {
      T result = 0;
      return raised_by([&] { return api::nrm2(T{}, context, std::int64_t(x.size()), x.data(), one, &result); });
    };
    const auto asum = [&](const std::vector<T>& x) {
      T result = 0;
      return raised_by([&] { return api::asum(T{}, context, std::int64_t(x.size()), x.data(), one, &result); });
    };
    const T big = F::huge / 2, least = std::numeric_limits<T>::denorm_min();
    EXPECT_EQ(nrm2({big, big, least}), 0) << mode;
    EXPECT_EQ(asum({big, big / 2, least}), 0) << mode;
    EXPECT_EQ(nrm2({F::huge, -F::huge}), FE_OVERFLOW) << mode;
    EXPECT_EQ(asum({F::huge, -F::huge}), FE_OVERFLOW) << mode;
    EXPECT_EQ(nrm2({F::infinity, 1}) | asum({F::infinity, 1}), 0) << mode;
    EXPECT_EQ(nrm2({F::infinity, F::nan}) | asum({F::nan, 1}), 0) << mode;
  }
}

TEST(ComplexExceptions, OfComponents) {
  using Z = std::complex<double>;
  const double infinity = std::numeric_limits<double>::infinity(), huge = std::numeric_limits<double>::max();
  for (const std::string& mode : api::modes()) {
    if (!bits_defined(mode)) continue;
    api::Context context(mode);
    const auto gemm = [&](Z a, Z b, Z alpha, Z beta, Z c) {
      return raised_by([&] {
        return accublas_zgemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 1, 1, 1, &alpha, &a, 1,
                              &b, 1, &beta, &c, 1);
      });
    };
    EXPECT_EQ(gemm({1, 2}, {3, 4}, {1, 1}, {1, 1}, {1, 1}), 0) << mode;
    EXPECT_EQ(gemm({huge, huge}, {1, 1}, 1, 0, 0), FE_OVERFLOW) << mode;  // the imaginary part alone
    EXPECT_EQ(gemm({huge, huge}, {1, 1}, {1, 1}, 0, 0), FE_OVERFLOW) << mode;
    EXPECT_EQ(gemm({infinity, 1}, {2, 0}, 1, 0, 0), FE_INVALID) << mode;  // Inf times 0 in the imaginary part
    EXPECT_EQ(gemm({infinity, 1}, {2, 3}, 1, 0, 0), 0) << mode;
    EXPECT_EQ(gemm({1, 1}, {2, 3}, 1, 1, {std::nan(""), infinity}), 0) << mode;
    EXPECT_EQ(gemm({1, 1}, {2, 3}, 0, 2, {huge, 0}), FE_OVERFLOW) << mode;
    EXPECT_EQ(gemm({1, 1}, {2, 3}, 0, {infinity, 1}, {0, 1}), FE_INVALID) << mode;
  }
}
