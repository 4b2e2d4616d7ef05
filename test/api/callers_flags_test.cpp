// Calls keep the floating-point environment of their caller (docs/modes.md, "Floating-point exceptions"): raised flags
// stay raised, and a trap that the caller has enabled fires once, when the results are complete.
#include <setjmp.h>
#include <signal.h>

#include "exceptions.hpp"

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
  // The next call does not raise the flags of the failed one.
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

/// Makes a call with the traps of some exceptions enabled, and returns how many traps fired.
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
