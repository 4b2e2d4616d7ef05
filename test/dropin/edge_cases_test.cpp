// The BLAS names keep their promises at the edges, whatever the real BLAS does there: operands that are not read, early
// returns, norms of infinities, the caller's floating-point environment. The tests run on the real BLAS that the
// environment leads to.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "accublas.h"
#include "c_api/private.hpp"
#include "test/dropin/blas_names.hpp"
#include "test/dropin/edge_cases.hpp"

namespace {

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

// Strides that 32 bits do not hold, and one that they do, but not its product with a length; then reflectors in pages
// that cannot be written. Such a leading dimension keeps pages apart, of which three are touched.
TEST(EdgeCases, OperandsBeyond32BitsAndInPagesThatCannotBeWritten) {
  constexpr std::int64_t ld = (INT64_C(1) << 31) + 3, bytes = (2 * ld + 16) * 8;
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) GTEST_SKIP() << "the system has no room for such addresses";
  double* const a = static_cast<double*>(pages);
  double number = 1;
  if (accublas_dsyrk(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_TRANS, 1, 1, &number, &number, 1, &number, a,
                     1) == ACCUBLAS_ERROR_NO_BLAS)
    GTEST_SKIP() << "the real BLAS has no level 3 but GEMM";
  for_all_ways([&](const char* way) {
    if (std::string(way).find("native") != std::string::npos) return;  // which may lack the routines
    const double one = 1, zero = 0;
    const std::int64_t n = 3;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) a[i + j * ld] = i + j;
    double c[9] = {};
    dsyrk_64_("U", "T", &n, &n, &one, a, &ld, &zero, c, &n);
    EXPECT_EQ(c[0], 5) << way;
    EXPECT_EQ(c[3], 8) << way;
    EXPECT_EQ(c[8], 29) << way;
    constexpr int increment = -(1 << 30) - 1;
    double y[3] = {1, 1, 1}, r[9] = {};
    for (int i = 0; i < 3; ++i) a[i * -static_cast<std::int64_t>(increment)] = i + 1;
    cblas_dger(column_major, 3, 3, 1, a, increment, y, 1, r, 3);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(r[i], 3 - i) << way;
  });
  const std::int64_t n = 2, work_length = 200;
  double tau[2], work[200];
  std::int64_t info = 0;
  const double given[] = {3, 4, 1, 2};
  std::copy(given, given + 4, a);
  dgeqrf_64_(&n, &n, a, &n, tau, work, &work_length, &info);
  ASSERT_EQ(mprotect(pages, 4096, PROT_READ), 0);
  const bool lapack = !accublas_private_real_blas()->lacks(accublas::routine_named("dormqr"));
  for_all_ways([&](const char* way) {
    if (std::string(way).find("native") != std::string::npos && !lapack) return;
    double c[] = {3, 4, 1, 2};
    dormqr_64_("L", "T", &n, &n, &n, a, &n, tau, c, &n, work, &work_length, &info);
    EXPECT_NEAR(c[0], a[0], 1e-14) << way;
    EXPECT_NEAR(c[1], 0, 1e-14) << way;
  });
  munmap(pages, bytes);
}

// Public reports about the names of other libraries. OpenBLAS#28: dsdot_ of one product, which double precision holds.
// OpenBLAS#2914: cblas_sgemm of one element with k = 0, beta = 0. OpenBLAS#2837: cblas_zdotc_sub(y, x) is the conjugate
// of cblas_zdotc_sub(x, y). LAPACK#1374: cblas_zgemv, row-major, conjugate transpose, no rows. OpenBLAS#2514 and #4905:
// the wanted triangle of row-major cblas_dsyrk and cblas_dgemmt. OpenBLAS#46: the diagonal of cblas_zherk.
TEST(EdgeCases, PublicReportsAboutNames) {
  for (const char* mode : {"dp:repro", "dot2", "cr"}) {
    ASSERT_EQ(accublas_set_mode_name(nullptr, mode), 0);
    constexpr int row_major = 101, no_trans = 111, trans = 112, conj_trans = 113, upper = 121;
    const int n = 1, inc = 1;
    const float x = 0.172555164f, y = -0.0138700781f;
    EXPECT_EQ(dsdot_(&n, &x, &inc, &y, &inc), static_cast<double>(x) * static_cast<double>(y)) << mode;
    EXPECT_EQ(cblas_dsdot(n, &x, inc, &y, inc), static_cast<double>(x) * static_cast<double>(y)) << mode;
    float element = nan<float>;
    cblas_sgemm(row_major, no_trans, no_trans, 1, 1, 0, 1, &x, 2, &y, 1, 0, &element, 2);
    EXPECT_EQ(element, 0) << mode;

    const double u[] = {1, 2, -3, 4}, v[] = {5, -6, 7, 8}, one[] = {1, 0}, zero[] = {0, 0};
    double uv[2], vu[2];  // (1 - 2i)(5 - 6i) + (-3 - 4i)(7 + 8i) = -7 - 16i + 11 - 52i
    cblas_zdotc_sub(2, u, 1, v, 1, uv);
    cblas_zdotc_sub(2, v, 1, u, 1, vu);
    EXPECT_EQ(uv[0], 4) << mode;
    EXPECT_EQ(uv[1], -68) << mode;
    EXPECT_EQ(vu[0], 4) << mode;
    EXPECT_EQ(vu[1], 68) << mode;

    std::vector<double> vector = {1, 2, 3, 4};
    cblas_zgemv(row_major, conj_trans, 0, 2, one, u, 2, v, 1, zero, vector.data(), 1);
    EXPECT_EQ(vector, (std::vector<double>{1, 2, 3, 4})) << mode;

    const double a[] = {2, 3, 0, 4};  // A^T A = (4 6; 6 25)
    std::vector<double> c(4, -1);
    cblas_dgemmt(row_major, upper, trans, no_trans, 2, 2, 1, a, 2, a, 2, 0, c.data(), 2);
    EXPECT_EQ(c, (std::vector<double>{4, 6, -1, 25})) << mode;
    c.assign(4, -1);
    cblas_dsyrk(row_major, upper, trans, 2, 2, 1, a, 2, 0, c.data(), 2);
    EXPECT_EQ(c, (std::vector<double>{4, 6, -1, 25})) << mode;
    c = {1, -1e10};
    cblas_zherk(row_major, upper, no_trans, 1, 2, 1, u, 2, 2, c.data(), 1);
    EXPECT_EQ(c, (std::vector<double>{32, 0})) << mode;  // 1 + 4 + 9 + 16 + 2
  }
  accublas_set_mode_name(nullptr, nullptr);
}

/// The wanted triangle of op(A) op(B), by numbers that are exact: 3 x 3 of 2 terms, A and B stored as op says.
template <class T, class Gemmt>
void expect_conjugated(Gemmt gemmt, const char* message) {
  using E = std::complex<T>;
  const E x[] = {{1, 2}, {-3, 1}, {0, 4}, {2, -1}, {5, 3}, {-2, -2}},
          y[] = {{2, 1}, {1, -3}, {4, 0}, {-1, 2}, {3, 5}, {1, 1}};
  const E one = 1, zero = 0;
  for (const int layout : {101, 102})
    for (const int uplo : {121, 122})
      for (const int ta : {111, 112, 113})
        for (const int tb : {111, 112, 113}) {
          const auto at = [&](const E* m, int op, int i, int j, int rows, int cols) {  // of op(M), rows x cols
            const int r = op == 111 ? i : j, c = op == 111 ? j : i, stored = op == 111 ? rows : cols,
                      width = op == 111 ? cols : rows;
            const E e = m[layout == 102 ? r + c * stored : r * width + c];
            return op == 113 ? std::conj(e) : e;
          };
          const int lda = (layout == 102) == (ta == 111) ? 3 : 2, ldb = (layout == 102) == (tb == 111) ? 2 : 3;
          std::vector<E> result(9, E(-1));
          gemmt(layout, uplo, ta, tb, 3, 2, &one, x, lda, y, ldb, &zero, result.data(), 3);
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
              const bool wanted = uplo == 121 ? i <= j : i >= j;
              const E product =
                  at(x, ta, i, 0, 3, 2) * at(y, tb, 0, j, 2, 3) + at(x, ta, i, 1, 3, 2) * at(y, tb, 1, j, 2, 3);
              EXPECT_EQ(result[static_cast<std::size_t>(layout == 102 ? i + 3 * j : 3 * i + j)],
                        wanted ? product : E(-1))
                  << message << " " << layout << " " << uplo << " " << ta << " " << tb << " " << i << " " << j;
            }
        }
}

// OpenBLAS#4452: cblas_zgemmt takes B^T for B^H. LAPACK 3.13 calls GEMMT GEMMTR.
TEST(EdgeCases, GemmtConjugatesBothOperands) {
  for_all_ways([](const char* message) {
    expect_conjugated<double>(cblas_zgemmt, message);
    expect_conjugated<float>(cblas_cgemmt, message);
    expect_conjugated<double>(cblas_zgemmtr, message);
    expect_conjugated<float>(cblas_cgemmtr, message);
  });
}

// Complex sums of dot2 have the order of the caller's operands in both layouts.
TEST(EdgeCases, LayoutsOfComplexProductsHaveEqualBits) {
  using E = std::complex<double>;
  const E a[] = {1, {1, 1}, 1}, b[] = {{0, 1}, {1, 0x1p106}, {0, -0x1p106}}, one = 1, zero = 0;
  ASSERT_EQ(accublas_set_mode_name(nullptr, "dot2"), 0);
  E by_rows, by_columns, of_batch;
  cblas_zgemm(101, 111, 111, 1, 1, 3, &one, a, 3, b, 1, &zero, &by_rows, 1);
  cblas_zgemm(102, 111, 111, 1, 1, 3, &one, a, 1, b, 3, &zero, &by_columns, 1);
  cblas_zgemm_batch_strided(101, 111, 111, 1, 1, 3, &one, a, 3, 3, b, 1, 3, &zero, &of_batch, 1, 1, 1);
  EXPECT_EQ(by_rows, by_columns);
  EXPECT_EQ(of_batch, by_columns);
  accublas_set_mode_name(nullptr, nullptr);
}

// Julia#42762: dgeqrf_ of no columns answers a query with room for one number at least, and takes that.
// scipy#8329: so does dgels_ of a wide matrix, whose B has as many rows as there are unknowns.
// NumPy's suite: a query reads no entry, so that the matrix may exceed every address space.
TEST(EdgeCases, PublicReportsAboutQueries) {
  for (const char* mode : {"dp", "dp:repro", "cr"}) {
    ASSERT_EQ(accublas_set_mode_name(nullptr, mode), 0);
    const int none = 0, one = 1, two = 2, four = 4, huge = INT_MAX, query = -1;
    double a[8] = {1, 0, 0, 2}, b[4] = {3, 8}, tau[2], size = 0;
    int info = -1;
    dgeqrf_(&huge, &huge, a, &huge, tau, &size, &query, &info);
    EXPECT_EQ(info, 0) << mode;
    dgeqrf_(&two, &none, a, &two, tau, &size, &query, &info);
    EXPECT_EQ(info, 0) << mode;
    ASSERT_GE(size, 1) << mode;
    int room = static_cast<int>(size);
    std::vector<double> work(static_cast<std::size_t>(room));
    dgeqrf_(&two, &none, a, &two, tau, work.data(), &room, &info);
    EXPECT_EQ(info, 0) << mode;
    dgels_("N", &two, &four, &one, a, &two, b, &four, &size, &query, &info, 1);
    EXPECT_EQ(info, 0) << mode;
    ASSERT_GE(size, 1) << mode;
    room = static_cast<int>(size);
    work.resize(static_cast<std::size_t>(room));
    dgels_("N", &two, &four, &one, a, &two, b, &four, work.data(), &room, &info, 1);
    EXPECT_EQ(info, 0) << mode;
    EXPECT_EQ(b[0], 3) << mode;
    EXPECT_EQ(b[1], 4) << mode;
    EXPECT_EQ(b[2], 0) << mode;
  }
  accublas_set_mode_name(nullptr, nullptr);
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
