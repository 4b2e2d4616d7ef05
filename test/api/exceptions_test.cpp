// Floating-point exceptions as docs/modes.md defines them: which flags a call raises, that flags which the caller had
// stay, and that a trap which the caller has enabled fires once, when the results are complete. test/oracle compares
// the flags of every routine, mode and engine.
#include <setjmp.h>
#include <signal.h>

#include <cfenv>
#include <complex>
#include <functional>

#include "api.hpp"

namespace {

constexpr int defined = FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO;
constexpr std::int64_t one = 1;

/// The exceptions that a call raises.
int raised_by(const std::function<accublas_status()>& call) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const accublas_status status = call();
  const int raised = std::fetestexcept(defined);
  std::feclearexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(status, ACCUBLAS_SUCCESS);
  return raised;
}

bool bits_defined(const std::string& mode) { return mode != "native" && mode != "dp"; }

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
};

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

TYPED_TEST(Exceptions, OfUpdatesAndTriangles) {
  using T = TypeParam;
  using F = Exceptions<T>;
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
    // SYRK: what stands in the other triangle, and overflows there, is nobody's.
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
    // TRMM: an entry in the other triangle makes no term, so an Inf in B makes no NaN of it.
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

TYPED_TEST(Exceptions, OfSolutionsAndFactors) {
  using T = TypeParam;
  using F = Exceptions<T>;
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

TEST(CallersFlags, Stay) {
  api::Context context("cr");
  const double x[2] = {1, 2};
  double result = 0;
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_INVALID | FE_DIVBYZERO);
  ASSERT_EQ(accublas_ddot(context, 2, x, 1, x, 1, &result), ACCUBLAS_SUCCESS);
  EXPECT_EQ(std::fetestexcept(defined), FE_INVALID | FE_DIVBYZERO);
  const double huge[2] = {1e300, 1e300};
  ASSERT_EQ(accublas_ddot(context, 2, huge, 1, huge, 1, &result), ACCUBLAS_SUCCESS);
  EXPECT_EQ(std::fetestexcept(defined), defined);
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST(CallersFlags, AreThoseOfTheRealBlas) {
  const double infinity = std::numeric_limits<double>::infinity(), ones[2] = {1, 1}, apart[2] = {infinity, -infinity},
               huge[2] = {1e308, 1e308};
  double result = 0;
  for (const std::string mode : {"native", "dp"}) {
    api::Context context(mode);
    accublas_set_num_threads(context, 1);
    const auto dot = [&](const double* x) {
      return raised_by([&] { return accublas_ddot(context, 2, x, 1, ones, 1, &result); });
    };
    EXPECT_EQ(dot(ones), 0) << mode;
    EXPECT_EQ(dot(apart), FE_INVALID) << mode;
    EXPECT_EQ(dot(huge), FE_OVERFLOW) << mode;
  }
}

TEST(CallersFlags, AreNotRaisedByAFailure) {
  api::Context context("cr");
  const double huge[2] = {1e300, 1e300};
  double result = 0;
  std::feclearexcept(FE_ALL_EXCEPT);
  accublas_set_target(context, 1e-300);
  EXPECT_EQ(accublas_ddot(context, 2, huge, 1, huge, 1, &result), ACCUBLAS_ERROR_ACCURACY);
  accublas_set_target(context, 0);
  EXPECT_EQ(std::fetestexcept(defined), 0);
  // Nor by the next call.
  const double x[2] = {1, 2};
  EXPECT_EQ(accublas_ddot(context, 2, x, 1, x, 1, &result), ACCUBLAS_SUCCESS);
  EXPECT_EQ(std::fetestexcept(defined), 0);
}

#if defined(__GLIBC__) && defined(__x86_64__)
namespace {

sigjmp_buf after_trap;
volatile int traps;

void on_trap(int) {
  traps = traps + 1;
  siglongjmp(after_trap, 1);
}

/// Makes a call whose exceptions trap; returns how many traps fired.
int trapped_by(int enabled, const std::function<void()>& call) {
  struct sigaction action {
  }, before{};
  action.sa_handler = on_trap;
  sigaction(SIGFPE, &action, &before);
  traps = 0;
  if (sigsetjmp(after_trap, 1) == 0) {
    std::feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(enabled);
    call();
  }
  fedisableexcept(FE_ALL_EXCEPT);
  std::feclearexcept(FE_ALL_EXCEPT);
  sigaction(SIGFPE, &before, nullptr);
  return traps;
}

}  // namespace

TEST(Traps, FireOnceAtTheEnd) {
  constexpr std::int64_t n = 100;
  for (const std::string& mode : api::modes()) {
    if (!bits_defined(mode)) continue;
    api::Context context(mode);
    for (const int threads : {1, 3}) {
      accublas_set_num_threads(context, threads);
      std::vector<double> a(n * n, 1.0), c(n * n, 0.0);
      const double factor = 1, zero = 0;
      const auto gemm = [&] {
        accublas_dgemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &factor, a.data(), n,
                       a.data(), n, &zero, c.data(), n);
      };
      EXPECT_EQ(trapped_by(defined, gemm), 0) << mode;
      for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n)] = 1e308;  // row 0
      std::fill(c.begin(), c.end(), 0.0);
      EXPECT_EQ(trapped_by(defined, gemm), 1) << mode;
      std::vector<double> untrapped(n * n, 0.0);
      c.swap(untrapped);
      gemm();
      EXPECT_TRUE(api::same_bits(c, untrapped)) << mode << ": the results are complete";
      EXPECT_EQ(trapped_by(FE_INVALID | FE_DIVBYZERO, gemm), 0) << mode;
      a[0] = std::numeric_limits<double>::infinity();
      a[n] = -a[0];
      EXPECT_EQ(trapped_by(FE_INVALID, gemm), 1) << mode;
      a[2 * n] = std::nan("");
      EXPECT_EQ(trapped_by(FE_INVALID, gemm), 0) << mode << ": every element of row 0 has a NaN";
    }
  }
}
#endif
