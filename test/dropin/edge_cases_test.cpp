// What the BLAS names promise at their edges, whatever the real BLAS does there: what is not read, early returns, norms
// of infinities, the caller's floating-point environment. Runs on the real BLAS that the environment leads to.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "accublas.h"
#include "test/dropin/blas_names.hpp"

namespace {

int32_t serve_natively(accublas_status, const char*, void*) { return 1; }

/// Runs `check(message)` by each way that a call can take: the modes that the real BLAS serves, one that it does not,
/// and the real BLAS after a failure.
template <class Check>
void for_all_ways(Check check) {
  for (const char* mode : {"native", "dp", "cr"}) {
    ASSERT_EQ(accublas_set_mode_name(nullptr, mode), 0);
    check(mode);
  }
  ASSERT_EQ(accublas_set_mode_name(nullptr, "native"), 0);
  ASSERT_EQ(accublas_set_target(nullptr, 1e-40), 0);
  accublas_set_failure_handler(serve_natively, nullptr);
  check("native after a failure");
  accublas_set_failure_handler(nullptr, nullptr);
  accublas_set_target(nullptr, 0);
  accublas_set_mode_name(nullptr, nullptr);
}

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T inf = std::numeric_limits<T>::infinity();

constexpr int column_major = 102;
int op_of(char letter) { return letter == 'N' ? 111 : 112; }

/// Both names of a routine, turn and turn about.
struct Names {
  bool cblas;
};

template <class T, class Int>
void gemm(const Blas<T, Int>& blas, Names names, char ta, char tb, Int m, Int n, Int k, T alpha, const T* a, Int lda,
          const T* b, Int ldb, T beta, T* c, Int ldc) {
  if (names.cblas)
    blas.cblas_gemm(column_major, op_of(ta), op_of(tb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  else
    blas.gemm(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

template <class T, class Int>
void gemv(const Blas<T, Int>& blas, Names names, char ta, Int m, Int n, T alpha, const T* a, Int lda, const T* x,
          Int incx, T beta, T* y, Int incy) {
  if (names.cblas)
    blas.cblas_gemv(column_major, op_of(ta), m, n, alpha, a, lda, x, incx, beta, y, incy);
  else
    blas.gemv(&ta, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);
}

/// beta c as the definition has it: nothing is read where beta = 0, and beta = 1 is an early return.
template <class T>
T scaled(T beta, T c) {
  return beta == 0 ? T{0} : beta == 1 ? c : beta * c;
}

/// Sizes on both sides of where kernels for small matrices end and where threads begin.
constexpr int sizes[] = {1, 4, 13, 40, 110};

// C = alpha A B + beta C with nothing to add: A and B are not there.
TEST(EdgeCases, AlphaZeroReadsNeitherAnorB) {
  for_all_ways([](const char* way) {
    for_all_names([way](const auto& blas) {
      using T = typename std::decay_t<decltype(blas)>::Type;
      using Int = typename std::decay_t<decltype(blas)>::Integer;
      for (const int size : sizes)
        for (const T beta : {T(0), T(1), T(2), T(-0.5)})
          for (const char* ops : {"NN", "NT", "TN", "TT"})
            for (const bool no_terms : {false, true}) {
              const Int m = size, n = size + 2, k = no_terms ? 0 : size + 1, ld = size + 3;
              const std::vector<T> poison(static_cast<std::size_t>(ld * ld), nan<T>);
              const T* const operand = no_terms ? nullptr : poison.data();
              const T alpha = no_terms ? T(3) : T(0), old = beta == 0 ? nan<T> : T(7);
              std::vector<T> c(static_cast<std::size_t>(ld * n), old);
              gemm(blas, {size % 2 == 0}, ops[0], ops[1], m, n, k, alpha, operand, ld, operand, ld, beta, c.data(), ld);
              for (Int j = 0; j < n; ++j)
                for (Int i = 0; i < m; ++i)
                  ASSERT_EQ(c[static_cast<std::size_t>(i + j * ld)], scaled(beta, old))
                      << way << " " << blas.f77(std::string(1, blas.letter) + "gemm") << " " << ops << " " << size
                      << " " << beta;
              if (no_terms) continue;
              for (const Int incy : {1, -2}) {
                std::vector<T> y(static_cast<std::size_t>(2 * n), old);
                gemv(blas, {size % 2 == 1}, ops[0], m, n, alpha, operand, ld, operand, Int{1}, beta, y.data(), incy);
                const Int outputs = ops[0] == 'N' ? m : n;
                for (Int i = 0; i < outputs; ++i)
                  ASSERT_EQ(y[static_cast<std::size_t>(i * (incy > 0 ? 1 : 2))], scaled(beta, old))
                      << way << " " << blas.f77(std::string(1, blas.letter) + "gemv") << " " << ops << " " << size
                      << " " << beta;
              }
            }
    });
  });
}

// C = A B where C holds NaN: the sums of ones are k.
TEST(EdgeCases, BetaZeroDoesNotReadC) {
  for_all_ways([](const char* way) {
    for_all_names([way](const auto& blas) {
      using T = typename std::decay_t<decltype(blas)>::Type;
      using Int = typename std::decay_t<decltype(blas)>::Integer;
      for (const int size : sizes)
        for (const char* ops : {"NN", "NT", "TN", "TT"}) {
          const Int m = size, n = size + 2, k = size + 1, ld = size + 3;
          const std::vector<T> ones(static_cast<std::size_t>(ld * ld), T(1));
          std::vector<T> c(static_cast<std::size_t>(ld * n), nan<T>);
          gemm(blas, {size % 2 == 0}, ops[0], ops[1], m, n, k, T(2), ones.data(), ld, ones.data(), ld, T(0), c.data(),
               ld);
          for (Int j = 0; j < n; ++j) {
            for (Int i = 0; i < m; ++i)
              ASSERT_EQ(c[static_cast<std::size_t>(i + j * ld)], T(2 * k)) << way << " " << ops << " " << size;
            for (Int i = m; i < ld; ++i)
              ASSERT_TRUE(std::isnan(c[static_cast<std::size_t>(i + j * ld)])) << way << ": written beside C";
          }
          for (const Int incy : {1, -2, 3}) {
            std::vector<T> y(static_cast<std::size_t>(3 * n), nan<T>);
            gemv(blas, {size % 2 == 1}, ops[0], m, n, T(2), ones.data(), ld, ones.data(), Int{1}, T(0), y.data(), incy);
            const Int outputs = ops[0] == 'N' ? m : n, terms = ops[0] == 'N' ? n : m, step = incy < 0 ? -incy : incy;
            for (Int i = 0; i < 3 * n; ++i) {
              const bool output = i % step == 0 && i / step < outputs;
              const T element = y[static_cast<std::size_t>(i)];
              ASSERT_TRUE(output ? element == T(2 * terms) : std::isnan(element))
                  << way << " " << ops << " " << size << " incy " << incy << ", element " << i << ": " << element;
            }
          }
        }
    });
  });
}

// netlib's rule: GEMV leaves y alone where either dimension is 0, and GEMM C where it has no elements.
TEST(EdgeCases, NoRowsOrColumns) {
  for_all_ways([](const char* way) {
    for_all_names([way](const auto& blas) {
      using T = typename std::decay_t<decltype(blas)>::Type;
      using Int = typename std::decay_t<decltype(blas)>::Integer;
      const std::vector<T> ones(16, T(1)), before(16, T(5));
      for (const T beta : {T(0), T(3)})
        for (const char op : {'N', 'T'})
          for (const Int m : {0, 4}) {
            std::vector<T> y = before;
            gemv(blas, {m == 0}, op, m, Int(4 - m), T(1), ones.data(), Int{4}, ones.data(), Int{1}, beta, y.data(),
                 Int{1});
            EXPECT_EQ(y, before) << way << " " << op << " " << m;
            gemm(blas, {m == 0}, op, op, m, Int(4 - m), Int{4}, T(1), ones.data(), Int{4}, ones.data(), Int{4}, beta,
                 y.data(), Int{4});
            EXPECT_EQ(y, before) << way << " " << op << " " << m;
          }
    });
  });
}

TEST(EdgeCases, SumsOverNothing) {
  for_all_ways([](const char* way) {
    for_all_names([way](const auto& blas) {
      using T = typename std::decay_t<decltype(blas)>::Type;
      using Int = typename std::decay_t<decltype(blas)>::Integer;
      const T x[] = {nan<T>, nan<T>, nan<T>};
      const Int one = 1;
      for (const Int n : {0, -3}) {
        EXPECT_EQ(blas.dot(&n, x, &one, x, &one), 0) << way;
        EXPECT_EQ(blas.nrm2(&n, x, &one), 0) << way;
        EXPECT_EQ(blas.cblas_asum(n, x, one), 0) << way;
      }
    });
  });
}

TEST(EdgeCases, NormsOfInfinitiesAndNaN) {
  for_all_ways([](const char* way) {
    for_all_names([way](const auto& blas) {
      using T = typename std::decay_t<decltype(blas)>::Type;
      using Int = typename std::decay_t<decltype(blas)>::Integer;
      for (const int length : {1, 2, 9, 300})
        for (const Int inc : {1, 3})
          for (const int infinities : {1, 2})
            for (const bool also_nan : {false, true}) {
              std::vector<T> x(static_cast<std::size_t>(length * inc), T(2));
              const auto at = [&](int i) -> T& { return x[static_cast<std::size_t>(i % length) * inc]; };
              at(length / 2) = -inf<T>;
              if (infinities == 2) at(length - 1) = inf<T>;
              if (also_nan) at(length - 2 > 0 ? length - 2 : 0) = nan<T>;
              const Int n = length;
              const T nrm2 = blas.nrm2(&n, x.data(), &inc), asum = blas.asum(&n, x.data(), &inc);
              EXPECT_TRUE(also_nan ? std::isnan(nrm2) : nrm2 == inf<T>) << way << " " << length << ": " << nrm2;
              EXPECT_TRUE(also_nan ? std::isnan(asum) : asum == inf<T>) << way << " " << length << ": " << asum;
            }
    });
  });
}

#if defined(__SSE2__)
// The control bits of MXCSR, in its usual and in another state.
TEST(EdgeCases, TheEnvironmentStaysTheCallers) {
  const unsigned usual = _mm_getcsr();
  for_all_ways([&](const char* way) {
    for_all_names([&](const auto& blas) {
      using T = typename std::decay_t<decltype(blas)>::Type;
      using Int = typename std::decay_t<decltype(blas)>::Integer;
      const std::vector<T> ones(16, T(1));
      std::vector<T> c(16, T(1));
      const Int n = 4, one = 1;
      for (const unsigned state : {0x1F80u, 0x9FC0u, 0x7F80u}) {
        const auto expect_state = [&](const char* routine) {
          const unsigned now = _mm_getcsr() & ~0x3Fu;
          _mm_setcsr(usual);
          EXPECT_EQ(now, state) << way << " " << blas.letter << routine;
          _mm_setcsr(state);
        };
        _mm_setcsr(state);
        gemm(blas, {false}, 'N', 'N', n, n, n, T(1), ones.data(), n, ones.data(), n, T(1), c.data(), n);
        expect_state("gemm");
        gemv(blas, {false}, 'N', n, n, T(1), ones.data(), n, ones.data(), one, T(1), c.data(), one);
        expect_state("gemv");
        blas.dot(&n, ones.data(), &one, ones.data(), &one);
        expect_state("dot");
        blas.nrm2(&n, ones.data(), &one);
        expect_state("nrm2");
        blas.asum(&n, ones.data(), &one);
        expect_state("asum");
        _mm_setcsr(usual);
      }
    });
  });
}
#endif

/// OPENBLAS_CORETYPE makes OpenBLAS run a core's kernels on any CPU.
bool can_run(const std::string& core) {
#if defined(__x86_64__)
  if (core == "SkylakeX")
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (core == "Haswell") return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return core == "Prescott" && __builtin_cpu_supports("sse3");
#else
  return core.empty();
#endif
}

}  // namespace

int main(int count, char** arguments) {
  const char* const core = std::getenv("OPENBLAS_CORETYPE");
  if (core && !can_run(core)) return 77;  // skipped
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
