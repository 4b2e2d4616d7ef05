// Updates, products with triangles, solutions and factorizations raise the floating-point exceptions of docs/modes.md.
#include "exceptions.hpp"

namespace {

/// The triangular solver and LAPACK's routines for one type.
template <class T>
struct Routines;
template <>
struct Routines<double> {
  static constexpr auto trsm = accublas_dtrsm;
  static constexpr auto trsv = accublas_dtrsv;
  static constexpr auto getrf = accublas_dgetrf;
  static constexpr auto getrs = accublas_dgetrs;
  static constexpr auto potrf = accublas_dpotrf;
  static constexpr auto syrk = accublas_dsyrk;
  static constexpr auto trmm = accublas_dtrmm;
  static constexpr auto ger = accublas_dger;
  static constexpr auto geqrf = accublas_dgeqrf;
  static constexpr auto ormqr = accublas_dormqr;
};
template <>
struct Routines<float> {
  static constexpr auto trsm = accublas_strsm;
  static constexpr auto trsv = accublas_strsv;
  static constexpr auto getrf = accublas_sgetrf;
  static constexpr auto getrs = accublas_sgetrs;
  static constexpr auto potrf = accublas_spotrf;
  static constexpr auto syrk = accublas_ssyrk;
  static constexpr auto trmm = accublas_strmm;
  static constexpr auto ger = accublas_sger;
  static constexpr auto geqrf = accublas_sgeqrf;
  static constexpr auto ormqr = accublas_sormqr;
};

template <class T>
class SolutionExceptions : public ::testing::Test {
 protected:
  using limits = std::numeric_limits<T>;
  static constexpr T infinity = limits::infinity(), nan = limits::quiet_NaN(), huge = limits::max();
};
TYPED_TEST_SUITE(SolutionExceptions, api::Types);

}  // namespace

TYPED_TEST(SolutionExceptions, OfUpdatesAndTriangles) {
  using T = TypeParam;
  using F = SolutionExceptions<T>;
  constexpr std::int64_t n = 37;
  const T alpha = 1, beta = 1, huge = F::huge;
  for (const std::string mode : {"cr", "dot2", "dp:repro", "fixed:60", "slices:6"}) {
    api::Context context(mode);
    std::vector<T> x(n, T(1)), a(n * n, T(1));
    const bool updates = mode.substr(0, 5) != "fixed" && mode.substr(0, 6) != "slices";
    const auto ger = [&] {
      std::vector<T> to = a;
      return raised_by([&] {
        return Routines<T>::ger(context, ACCUBLAS_COL_MAJOR, n, n, &alpha, x.data(), 1, x.data(), 1, to.data(), n);
      });
    };
    if (updates) {
      EXPECT_EQ(ger(), 0) << mode;
      a[40] = huge, a[50] = F::infinity, a[60] = F::nan;
      EXPECT_EQ(ger(), 0) << mode;
      x[3] = huge;
      EXPECT_EQ(ger(), FE_OVERFLOW) << mode;
      x[3] = F::infinity;
      a[3] = -F::infinity;
      EXPECT_EQ(ger(), FE_INVALID) << mode;
    }
    // SYRK neither reads the other triangle of C, nor raises exceptions for its elements.
    std::vector<T> c(n * n, T(1)), b(n * 2, T(1));
    b[5] = std::sqrt(huge) * T(0.9999);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < j; ++i) c[i + j * n] = i % 2 == 0 ? huge : F::nan;
    const auto syrk = [&] {
      std::vector<T> to = c;
      return raised_by([&] {
        return Routines<T>::syrk(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, n, 2, &alpha, b.data(),
                                 n, &beta, to.data(), n);
      });
    };
    EXPECT_EQ(syrk(), 0) << mode;
    c[5 + 5 * n] = huge;
    EXPECT_EQ(syrk(), FE_OVERFLOW) << mode;
    c[5 + 5 * n] = F::infinity;
    EXPECT_EQ(syrk(), 0) << mode;
    c[5 + 5 * n] = -F::infinity;
    b[5] = F::infinity;
    EXPECT_EQ(syrk(), FE_INVALID) << mode;
    // In TRMM an entry of the other triangle makes no term, so an Inf in B does not make a NaN of it.
    std::vector<T> l(n * n, T(0)), right(n * 2, T(1));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = j; i < n; ++i) l[i + j * n] = T(1);
    right[n - 1] = F::infinity;
    const auto trmm = [&] {
      std::vector<T> to = right;
      return raised_by([&] {
        return Routines<T>::trmm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS,
                                 ACCUBLAS_NON_UNIT, n, 2, &alpha, l.data(), n, to.data(), n);
      });
    };
    EXPECT_EQ(trmm(), 0) << mode;
    l[20 + 3 * n] = huge;
    right[3] = 2;
    EXPECT_EQ(trmm(), FE_OVERFLOW) << mode;
    right[2] = -F::infinity;
    EXPECT_EQ(trmm(), FE_INVALID) << mode;
  }
}

TYPED_TEST(SolutionExceptions, OfSolutionsAndFactors) {
  using T = TypeParam;
  using F = SolutionExceptions<T>;
  for (const std::string mode : {"cr", "dot2", "dp:repro"}) {
    api::Context context(mode);
    const auto trsm = [&](std::vector<T> a, std::vector<T> b) {
      const T alpha = 1;
      std::vector<T> x = b;
      const int raised = raised_by([&] {
        return Routines<T>::trsm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS,
                                 ACCUBLAS_NON_UNIT, 2, 1, &alpha, a.data(), 2, x.data(), 2);
      });
      EXPECT_EQ(raised_by([&] {
                  return Routines<T>::trsv(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS,
                                           ACCUBLAS_NON_UNIT, 2, a.data(), 2, b.data(), 1);
                }),
                raised)
          << mode;
      return raised;
    };
    const T huge = F::huge, infinity = F::infinity, nan = F::nan;
    EXPECT_EQ(trsm({3, 1, 0, 7}, {1, 2}), 0) << mode;
    EXPECT_EQ(trsm({huge, huge, 0, huge}, {huge, huge}), 0) << mode;
    EXPECT_EQ(trsm({0, 0, 0, 1}, {1, 2}), FE_DIVBYZERO | FE_INVALID) << mode;  // 1 / 0, then 0 times Inf
    EXPECT_EQ(trsm({1, 0, 0, 0}, {1, 2}), FE_DIVBYZERO) << mode;
    EXPECT_EQ(trsm({1, 0, 0, 0}, {1, 0}), FE_INVALID) << mode;  // 0 / 0
    EXPECT_EQ(trsm({1, 0, 0, 0}, {1, infinity}), 0) << mode;
    EXPECT_EQ(trsm({1, 0, 0, nan}, {1, 0}), 0) << mode;
    EXPECT_EQ(trsm({1, 0, 0, T(0.5)}, {1, huge}), FE_OVERFLOW) << mode;
    EXPECT_EQ(trsm({1, 0, 0, T(0.3)}, {1, huge}), FE_OVERFLOW) << mode;
    EXPECT_EQ(trsm({1, 0, 0, infinity}, {1, infinity}), FE_INVALID) << mode;
    EXPECT_EQ(trsm({1, 0, 0, infinity}, {1, 5}), 0) << mode;
    if (mode == "dot2") continue;
    std::int64_t info = 0, pivots[2];
    const auto getrf = [&](std::vector<T> a) {
      return raised_by(
          [&] { return Routines<T>::getrf(context, ACCUBLAS_COL_MAJOR, 2, 2, a.data(), 2, pivots, &info); });
    };
    EXPECT_EQ(getrf({1, 2, 3, 4}), 0) << mode;
    EXPECT_EQ(getrf({1, 2, 1, 2}), 0) << mode;  // singular: nothing is divided by the zero pivot
    EXPECT_EQ(info, 2) << mode;
    EXPECT_EQ(getrf({1, 1, huge, -huge}), FE_OVERFLOW) << mode;
    EXPECT_EQ(getrf({infinity, infinity, 1, 1}), FE_INVALID) << mode;
    EXPECT_EQ(getrf({nan, 1, 1, 1}), 0) << mode;
    const auto potrf = [&](std::vector<T> a) {
      return raised_by(
          [&] { return Routines<T>::potrf(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, 2, a.data(), 2, &info); });
    };
    EXPECT_EQ(potrf({4, 2, 0, 5}), 0) << mode;
    EXPECT_EQ(potrf({4, 2, 0, 1}), 0) << mode;  // not definite
    EXPECT_EQ(info, 2) << mode;
    EXPECT_EQ(potrf({4, nan, 0, 1}), 0) << mode;
    std::vector<T> lu = {1, 1, 1, 0}, b = {1, 3};
    const std::int64_t kept[2] = {1, 2};
    EXPECT_EQ(raised_by([&] {
                return Routines<T>::getrs(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, 2, 1, lu.data(), 2, kept,
                                          b.data(), 2);
              }) & FE_DIVBYZERO,
              FE_DIVBYZERO)
        << mode;
  }
}

// ORMQR computes its columns together. If the Y of a large column overflows, this exception is dropped, but the
// exceptions of other columns are not.
TYPED_TEST(SolutionExceptions, OfLargeColumns) {
  using T = TypeParam;
  using F = SolutionExceptions<T>;
  api::Context context("cr");
  const T large = F::huge * T(0.7), infinity = F::infinity;
  std::vector<T> a = {1, 1};
  T tau = 0;
  ASSERT_EQ(raised_by([&] { return Routines<T>::geqrf(context, ACCUBLAS_COL_MAJOR, 2, 1, a.data(), 2, &tau); }), 0);
  const auto ormqr = [&](std::vector<T> c) {
    return raised_by([&] {
      return Routines<T>::ormqr(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, ACCUBLAS_TRANS, 2,
                                std::int64_t(c.size() / 2), 1, a.data(), 2, &tau, c.data(), 2);
    });
  };
  EXPECT_EQ(ormqr({large, large}), 0);
  EXPECT_EQ(ormqr({infinity, -infinity}), FE_INVALID);
  EXPECT_EQ(ormqr({large, large, infinity, -infinity}), FE_INVALID);
  EXPECT_EQ(ormqr({1, 2, infinity, -infinity, large, large, 3, 4}), FE_INVALID);
  EXPECT_EQ(ormqr({large, large, F::nan, infinity, F::huge, F::huge}), FE_OVERFLOW);
}
