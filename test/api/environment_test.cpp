// The floating-point environment: whatever the caller's, the bits of the bit-defined modes are the same, no trap fires
// inside, and the caller finds its environment again. Then fork and many threads.
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <atomic>
#include <thread>

#include "api.hpp"

namespace {

constexpr std::int64_t m = 20, n = 24, k = 150;

/// Rows and columns of ordinary, subnormal, huge, infinite and NaN entries.
template <class T>
std::vector<T> difficult(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  using limits = std::numeric_limits<T>;
  std::vector<T> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = static_cast<T>(uniform(random));
    switch ((i / static_cast<std::size_t>(k)) % 8) {
      case 1:
        x[i] *= limits::denorm_min() * 1000;
        break;
      case 2:
        x[i] *= limits::min();
        break;
      case 3:
        x[i] *= std::sqrt(limits::max());
        break;
      case 4:
        if (i % 97 == 5) x[i] = limits::infinity();
        break;
      case 5:
        if (i % 89 == 3) x[i] = limits::quiet_NaN();
        break;
      default:
        break;
    }
  }
  return x;
}

/// Made once, in the ordinary environment: the test's own arithmetic must not meet the odd ones.
template <class T>
struct Data {
  const std::vector<T> a = difficult<T>(m * k, 1), b = difficult<T>(k * n, 2), c = difficult<T>(m * n + m + 8, 3);
};
template <class T>
const Data<T>& data() {
  static const Data<T> made;
  return made;
}

/// All routines on difficult data in one mode; the outputs one after the other.
template <class T>
std::vector<T> all_routines(const std::string& mode, accublas_context* ctx) {
  const std::vector<T>&a = data<T>().a, &b = data<T>().b;
  std::vector<T> out = data<T>().c;
  const T alpha = T(1.25), beta = T(-0.5), zero = 0, two = 2;
  EXPECT_EQ(api::gemm(T{}, ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, m, n, k, &alpha, a.data(), k,
                      b.data(), k, &beta, out.data(), m),
            ACCUBLAS_SUCCESS)
      << mode << ": " << accublas_last_error(ctx);
  EXPECT_EQ(api::gemv(T{}, ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_TRANS, k, m, &alpha, a.data(), k, b.data(),
                      std::int64_t{1}, &beta, out.data() + m * n, std::int64_t{1}),
            ACCUBLAS_SUCCESS)
      << mode << ": " << accublas_last_error(ctx);
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(api::dot(T{}, ctx, k, a.data() + i * k, std::int64_t{1}, b.data() + i * k, std::int64_t{1},
                       out.data() + m * n + m + i),
              ACCUBLAS_SUCCESS);
  std::vector<T> scaled(data<T>().c.begin(), data<T>().c.begin() + m * n);  // alpha = 0: c = beta c
  EXPECT_EQ(api::gemm(T{}, ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, m, n, k, &zero, a.data(), k,
                      b.data(), k, &two, scaled.data(), m),
            ACCUBLAS_SUCCESS);
  out.insert(out.end(), scaled.begin(), scaled.end());
  for (int i = 0; i < 7; ++i) {
    T norms[2] = {};
    EXPECT_EQ(api::nrm2(T{}, ctx, k, a.data() + i * k, std::int64_t{1}, &norms[0]), ACCUBLAS_SUCCESS);
    EXPECT_EQ(api::asum(T{}, ctx, k, a.data() + i * k, std::int64_t{1}, &norms[1]), ACCUBLAS_SUCCESS);
    // NRM2 and ASUM run in dp where they lack the mode: no bits are promised there.
    if (mode.substr(0, 5) != "fixed" && mode.substr(0, 6) != "slices") out.insert(out.end(), norms, norms + 2);
  }
  std::vector<T> batch(data<T>().c.begin(), data<T>().c.begin() + m * n / 2);  // two matrices of m / 2 x n / 2
  EXPECT_EQ(api::gemm_strided_batched(T{}, ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, m / 2, n / 2, k,
                                      &alpha, a.data(), k, k * m / 2, b.data(), k, k * n / 2, &beta, batch.data(),
                                      m / 2, m * n / 4, std::int64_t{2}),
            ACCUBLAS_SUCCESS)
      << mode << ": " << accublas_last_error(ctx);
  out.insert(out.end(), batch.begin(), batch.end());
  return out;
}

bool bits_defined(const std::string& mode) { return mode != "native" && mode != "dp"; }

template <class T>
class FloatingPoint : public ::testing::Test {
 protected:
  void SetUp() override {
    data<T>();
    std::fegetenv(&saved_);
  }
  void TearDown() override { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
};
TYPED_TEST_SUITE(FloatingPoint, api::Types);

}  // namespace

TYPED_TEST(FloatingPoint, SameBitsAndRestored) {
  using T = TypeParam;
  for (const std::string& mode : api::modes()) {
    if (mode == "native") continue;  // runs in the caller's environment
    api::Context context(mode);
    const std::vector<T> expected = all_routines<T>(mode, context);
    for (int threads : {1, 3}) {
      accublas_set_num_threads(context, threads);
      for (int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        ASSERT_EQ(std::fesetround(rounding), 0);
        const std::vector<T> got = all_routines<T>(mode, context);
        const int after = std::fegetround();
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(after, rounding) << mode;
        EXPECT_TRUE(!bits_defined(mode) || api::same_bits(got, expected)) << mode << " rounding " << rounding;
      }
#if defined(__SSE2__)
      const unsigned before = _mm_getcsr();
      _mm_setcsr(before | 0x8040);  // FTZ and DAZ
      const std::vector<T> got = all_routines<T>(mode, context);
      const unsigned after = _mm_getcsr();
      _mm_setcsr(before);
      EXPECT_EQ(after & 0xFFC0u, (before | 0x8040u) & 0xFFC0u) << mode;
      EXPECT_TRUE(!bits_defined(mode) || api::same_bits(got, expected)) << mode << " FTZ, DAZ";
#endif
#if defined(__GLIBC__)
      ASSERT_NE(feenableexcept(FE_UNDERFLOW), -1);  // exceptions_test.cpp has the traps that fire at the end
      const std::vector<T> trapped = all_routines<T>(mode, context);
      const int traps = fegetexcept();
      fedisableexcept(FE_ALL_EXCEPT);
      EXPECT_EQ(traps, FE_UNDERFLOW) << mode;
      EXPECT_TRUE(!bits_defined(mode) || api::same_bits(trapped, expected)) << mode << " traps";
#endif
    }
  }
}

TYPED_TEST(FloatingPoint, RestoredAfterAFailure) {
  using T = TypeParam;
  api::Context context("cr");
  accublas_set_target(context, 1e-300);
  const std::vector<T> a(4, 1);
  std::vector<T> c(4, 2);
  const T one = 1;
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const accublas_status status = api::gemm(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS,
                                           std::int64_t{2}, std::int64_t{2}, std::int64_t{2}, &one, a.data(),
                                           std::int64_t{2}, a.data(), std::int64_t{2}, &one, c.data(), std::int64_t{2});
  const int after = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(status, ACCUBLAS_ERROR_ACCURACY);
  EXPECT_EQ(after, FE_UPWARD);
  EXPECT_EQ(c, std::vector<T>(4, 2));
}

#if defined(__GLIBC__)
// glibc raises overflow in the x87 unit, whose control word the call changes.
TYPED_TEST(FloatingPoint, RaisedFlagsStay) {
  using T = TypeParam;
  for (const std::string& mode : api::modes()) {
    if (mode == "native") continue;  // runs in the caller's environment
    api::Context context(mode);
    for (const int flag : {FE_OVERFLOW, FE_DIVBYZERO, FE_INVALID}) {
      ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
      std::feclearexcept(FE_ALL_EXCEPT);
      std::feraiseexcept(flag);
      all_routines<T>(mode, context);
      const int raised = std::fetestexcept(flag);
      std::feclearexcept(FE_ALL_EXCEPT);
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(raised, flag) << mode;
    }
  }
}
#endif

TYPED_TEST(FloatingPoint, ForkedChildren) {
  using T = TypeParam;
  for (const std::string& mode : api::modes()) {
    if (!bits_defined(mode)) continue;
    api::Context context(mode);
    accublas_set_num_threads(context, 3);
    const std::vector<T> expected = all_routines<T>(mode, context);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(api::same_bits(all_routines<T>(mode, context), expected) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << mode;
  }
}

TYPED_TEST(FloatingPoint, ManyCallers) {
  using T = TypeParam;
  for (const std::string& mode : api::modes()) {
    if (!bits_defined(mode)) continue;
    std::vector<T> expected;
    {
      api::Context context(mode);
      expected = all_routines<T>(mode, context);
    }
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 6; ++caller)
      callers.emplace_back([&, caller] {
        accublas_set_mode_name(nullptr, mode.c_str());
        accublas_set_num_threads(nullptr, 1 + caller % 3);
        for (int i = 0; i < 3; ++i)
          if (!api::same_bits(all_routines<T>(mode, nullptr), expected)) wrong.fetch_add(1);
      });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0) << mode;
  }
}
