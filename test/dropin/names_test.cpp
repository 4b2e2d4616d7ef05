// Every name computes the right thing with its own integers, whether the caller passes hidden CHARACTER lengths or not,
// and the counters show that none went elsewhere. Linked in the order -laccublas_blas -lblas: what accublas does not
// export comes from the real BLAS.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "accublas.h"
#include "test/dropin/blas_names.hpp"

extern "C" void daxpy_(const int* n, const double* alpha, const double* x, const int* incx, double* y, const int* incy);

namespace {

std::uint64_t calls(const std::string& routine) {
  std::size_t count = 0;
  accublas_counters(nullptr, 0, &count);
  std::vector<accublas_counter_t> rows(count);
  accublas_counters(rows.data(), rows.size(), &count);
  std::uint64_t sum = 0;
  for (const auto& row : rows)
    if (routine == row.routine) sum += row.calls;
  return sum;
}

// Small integers: every order of summation is exact in both types.
template <class T>
std::vector<T> numbers(int count, int seed) {
  std::vector<T> v(count);
  for (int i = 0; i < count; ++i) v[i] = static_cast<T>((i * 37 + seed * 11) % 23 - 11);
  return v;
}

constexpr int m = 5, n = 4, k = 7, lda = 9, ldb = 8, ldc = 10;

template <class T>
T entry(const std::vector<T>& v, int ld, bool row_major, bool transposed, int i, int j) {
  if (transposed) std::swap(i, j);
  return row_major ? v[i * ld + j] : v[i + j * ld];
}

template <class T>
std::vector<T> expected_gemm(bool row_major, bool ta, bool tb, T alpha, const std::vector<T>& a,
                             const std::vector<T>& b, T beta, std::vector<T> c) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      T sum = 0;
      for (int p = 0; p < k; ++p) sum += entry(a, lda, row_major, ta, i, p) * entry(b, ldb, row_major, tb, p, j);
      T& out = row_major ? c[i * ldc + j] : c[i + j * ldc];
      out = alpha * sum + beta * out;
    }
  return c;
}

TEST(Names, Gemm) {
  for_all_names([](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    using WithLengths = void(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*,
                             const Int*, const T*, const Int*, const T*, T*, const Int*, std::size_t, std::size_t);
    const auto a = numbers<T>(100, 1), b = numbers<T>(100, 2), c0 = numbers<T>(100, 3);
    const Int mi = m, ni = n, ki = k, ldai = lda, ldbi = ldb, ldci = ldc;
    const T alpha = 2, beta = -3;
    for (const char* trans : {"NN", "TN", "nT", "tc", "Cn"}) {
      const bool ta = std::tolower(trans[0]) != 'n', tb = std::tolower(trans[1]) != 'n';
      const std::uint64_t before = calls(blas.letter == 'd' ? "dgemm" : "sgemm");
      auto c = c0;
      blas.gemm(trans, trans + 1, &mi, &ni, &ki, &alpha, a.data(), &ldai, b.data(), &ldbi, &beta, c.data(), &ldci);
      EXPECT_EQ(c, expected_gemm(false, ta, tb, alpha, a, b, beta, c0)) << blas.f77("") << trans;
      c = c0;
      reinterpret_cast<WithLengths*>(reinterpret_cast<void (*)()>(blas.gemm))(
          trans, trans + 1, &mi, &ni, &ki, &alpha, a.data(), &ldai, b.data(), &ldbi, &beta, c.data(), &ldci, 1, 1);
      EXPECT_EQ(c, expected_gemm(false, ta, tb, alpha, a, b, beta, c0)) << blas.f77("") << trans;
      for (const bool row_major : {false, true}) {
        c = c0;
        blas.cblas_gemm(row_major ? 101 : 102, ta ? 112 : 111, tb ? 113 : 111, m, n, k, alpha, a.data(), lda, b.data(),
                        ldb, beta, c.data(), ldc);
        EXPECT_EQ(c, expected_gemm(row_major, ta, tb, alpha, a, b, beta, c0)) << blas.f77("") << trans;
      }
      EXPECT_EQ(calls(blas.letter == 'd' ? "dgemm" : "sgemm"), before + 4);
    }
  });
}

// GEMMTR is another name of GEMMT: GEMM in one triangle of an n x n C.
TEST(Names, Gemmtr) {
  for_all_names([](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    const auto a = numbers<T>(100, 1), b = numbers<T>(100, 2), c0 = numbers<T>(100, 3);
    const Int ni = n, ki = k, ldai = lda, ldbi = ldb, ldci = ldc;
    const T alpha = 2, beta = -3;
    const std::string routine = blas.letter == 'd' ? "dgemmt" : "sgemmt";
    for (const char* options : {"UNN", "lTN", "LnT", "utC"}) {
      const bool upper = std::tolower(options[0]) == 'u';
      const bool ta = std::tolower(options[1]) != 'n', tb = std::tolower(options[2]) != 'n';
      const auto expect = [&](bool row_major, const std::vector<T>& c) {
        const auto whole = expected_gemm(row_major, ta, tb, alpha, a, b, beta, c0);
        auto expected = c0;
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) {
            const int at = row_major ? i * ldc + j : i + j * ldc;
            if (upper ? i <= j : i >= j) expected[at] = whole[at];
          }
        EXPECT_EQ(c, expected) << blas.f77("") << options << row_major;
      };
      const std::uint64_t before = calls(routine);
      auto c = c0;
      blas.gemmtr(options, options + 1, options + 2, &ni, &ki, &alpha, a.data(), &ldai, b.data(), &ldbi, &beta,
                  c.data(), &ldci);
      expect(false, c);
      for (const bool row_major : {false, true}) {
        c = c0;
        blas.cblas_gemmtr(row_major ? 101 : 102, upper ? 121 : 122, ta ? 112 : 111, tb ? 113 : 111, n, k, alpha,
                          a.data(), lda, b.data(), ldb, beta, c.data(), ldc);
        expect(row_major, c);
      }
      EXPECT_EQ(calls(routine), before + 3);
    }
  });
}

// A batch holds two matrices a fixed distance apart, and then two groups of one matrix, in both layouts.
TEST(Names, GemmBatches) {
  for_all_names([](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    const auto a = numbers<T>(100, 1), b = numbers<T>(100, 2), c0 = numbers<T>(100, 3);
    const auto twice = [](std::vector<T> x) {
      x.insert(x.end(), x.begin(), x.end());
      return x;
    };
    const std::vector<T> as = twice(a), bs = twice(b);
    const T alphas[] = {2, 2}, betas[] = {-3, -3};
    const Int ms[] = {m, m}, ns[] = {n, n}, ks[] = {k, k}, ldas[] = {lda, lda}, ldbs[] = {ldb, ldb},
              ldcs[] = {ldc, ldc};
    const Int stride = 100, count = 2, ones[] = {1, 1};
    const std::string routine = blas.letter == 'd' ? "dgemm_batched" : "sgemm_batched";
    for (const char* trans : {"NN", "TN", "nT", "tc", "Cn"}) {
      const bool ta = std::tolower(trans[0]) != 'n', tb = std::tolower(trans[1]) != 'n';
      const int tas[] = {ta ? 112 : 111, ta ? 112 : 111}, tbs[] = {tb ? 113 : 111, tb ? 113 : 111};
      const char f77_tas[] = {trans[0], trans[0]}, f77_tbs[] = {trans[1], trans[1]};
      const std::uint64_t before = calls(routine);
      std::vector<T> c;
      const T *at_a[] = {a.data(), a.data()}, *at_b[] = {b.data(), b.data()};
      T* at_c[2];
      const auto start = [&] {
        c = twice(c0);
        at_c[0] = c.data();
        at_c[1] = c.data() + stride;
      };
      const auto expect = [&](bool row_major) {
        EXPECT_EQ(c, twice(expected_gemm(row_major, ta, tb, alphas[0], a, b, betas[0], c0))) << blas.f77("") << trans;
      };
      start();
      blas.gemm_batch_strided(trans, trans + 1, ms, ns, ks, alphas, as.data(), ldas, &stride, bs.data(), ldbs, &stride,
                              betas, c.data(), ldcs, &stride, &count);
      expect(false);
      start();
      blas.gemm_batch(f77_tas, f77_tbs, ms, ns, ks, alphas, at_a, ldas, at_b, ldbs, betas, at_c, ldcs, &count, ones);
      expect(false);
      for (const bool row_major : {false, true}) {
        const int layout = row_major ? 101 : 102;
        start();
        blas.cblas_gemm_batch_strided(layout, *tas, *tbs, m, n, k, *alphas, as.data(), lda, stride, bs.data(), ldb,
                                      stride, *betas, c.data(), ldc, stride, count);
        expect(row_major);
        start();
        blas.cblas_gemm_batch(layout, tas, tbs, ms, ns, ks, alphas, at_a, ldas, at_b, ldbs, betas, at_c, ldcs, count,
                              ones);
        expect(row_major);
      }
      EXPECT_EQ(calls(routine), before + 9);  // a call for each group
    }
  });
}

TEST(Names, Gemv) {
  for_all_names([](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    using WithLength = void(const char*, const Int*, const Int*, const T*, const T*, const Int*, const T*, const Int*,
                            const T*, T*, const Int*, std::size_t);
    const auto a = numbers<T>(100, 1), x = numbers<T>(30, 2), y0 = numbers<T>(30, 3);
    const T alpha = 2, beta = -3;
    for (const char* trans : {"N", "t", "C"})
      for (const int incx : {1, -2})
        for (const int incy : {-1, 3})
          for (const bool row_major : {false, true}) {
            const bool t = *trans != 'N';
            const int outputs = t ? k : m, terms = t ? m : k;
            auto expected = y0;
            for (int i = 0; i < outputs; ++i) {
              T sum = 0;
              for (int p = 0; p < terms; ++p)
                sum += entry(a, lda, row_major, t, i, p) * x[incx > 0 ? p * incx : (p - terms + 1) * incx];
              T& out = expected[incy > 0 ? i * incy : (i - outputs + 1) * incy];
              out = alpha * sum + beta * out;
            }
            const std::uint64_t before = calls(blas.letter == 'd' ? "dgemv" : "sgemv");
            const Int mi = m, ki = k, ldai = lda, incxi = incx, incyi = incy;
            auto y = y0;
            if (!row_major) {
              blas.gemv(trans, &mi, &ki, &alpha, a.data(), &ldai, x.data(), &incxi, &beta, y.data(), &incyi);
              EXPECT_EQ(y, expected) << blas.f77("") << trans;
              y = y0;
              reinterpret_cast<WithLength*>(reinterpret_cast<void (*)()>(blas.gemv))(
                  trans, &mi, &ki, &alpha, a.data(), &ldai, x.data(), &incxi, &beta, y.data(), &incyi, 1);
              EXPECT_EQ(y, expected) << blas.f77("") << trans;
              y = y0;
            }
            blas.cblas_gemv(row_major ? 101 : 102, t ? 112 : 111, m, k, alpha, a.data(), lda, x.data(), incx, beta,
                            y.data(), incy);
            EXPECT_EQ(y, expected) << blas.f77("") << trans << row_major;
            EXPECT_EQ(calls(blas.letter == 'd' ? "dgemv" : "sgemv"), before + (row_major ? 1 : 3));
          }
  });
}

TEST(Names, Dot) {
  for_all_names([](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    const auto x = numbers<T>(100, 1), y = numbers<T>(100, 2);
    for (const int length : {1, 2, 5, 31})
      for (const int incx : {1, 3, -2})
        for (const int incy : {1, -1, 2}) {
          T sum = 0;
          for (int i = 0; i < length; ++i)
            sum += x[incx > 0 ? i * incx : (i - length + 1) * incx] * y[incy > 0 ? i * incy : (i - length + 1) * incy];
          const std::uint64_t before = calls(blas.letter == 'd' ? "ddot" : "sdot");
          const Int ni = length, incxi = incx, incyi = incy;
          EXPECT_EQ(blas.dot(&ni, x.data(), &incxi, y.data(), &incyi), sum);
          EXPECT_EQ(blas.cblas_dot(length, x.data(), incx, y.data(), incy), sum);
          EXPECT_EQ(calls(blas.letter == 'd' ? "ddot" : "sdot"), before + 2);
        }
  });
}

TEST(Names, Norms) {
  for_all_names([](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    const std::string nrm2 = blas.letter == 'd' ? "dnrm2" : "snrm2", asum = blas.letter == 'd' ? "dasum" : "sasum";
    std::vector<T> x(200, 99);
    for (const int root : {1, 2, 5, 7})
      for (const int inc : {1, 3}) {
        const Int ni = root * root, inci = inc;
        for (int i = 0; i < root * root; ++i) x[i * inc] = i % 2 ? T(-3) : T(3);
        const std::uint64_t before = calls(nrm2), before_asum = calls(asum);
        EXPECT_EQ(blas.nrm2(&ni, x.data(), &inci), T(3 * root)) << blas.f77("");
        EXPECT_EQ(blas.cblas_nrm2(ni, x.data(), inc), T(3 * root)) << blas.f77("");
        EXPECT_EQ(blas.asum(&ni, x.data(), &inci), T(3 * root * root)) << blas.f77("");
        EXPECT_EQ(blas.cblas_asum(ni, x.data(), inc), T(3 * root * root)) << blas.f77("");
        EXPECT_EQ(calls(nrm2), before + 2);
        EXPECT_EQ(calls(asum), before_asum + 2);
      }
    // Nothing to add up; ASUM has no other increments than positive ones.
    for (const int n : {-1, 0, 1, 5})
      for (const int inc : {-2, -1, 0, 1}) {
        if (n > 0 && inc > 0) continue;
        const Int ni = n, inci = inc;
        if (n <= 0) {
          EXPECT_EQ(blas.nrm2(&ni, x.data() + 50, &inci), 0);
        }
        EXPECT_EQ(blas.cblas_asum(n, x.data() + 50, inc), 0);
      }
  });
}

// Only int64 can say this, and no memory is touched: netlib's quick returns.
TEST(Names, HugeSizes) {
  const std::int64_t huge = std::int64_t{1} << 40, none = 0, one = 1;
  const double alpha = 1, keep = 1;
  double c = 5;
  dgemm_64_("N", "N", &huge, &none, &huge, &alpha, &c, &huge, &c, &huge, &keep, &c, &huge);
  dgemm64_("N", "N", &one, &one, &none, &alpha, &c, &huge, &c, &huge, &keep, &c, &huge);
  cblas_dgemv64_(102, 111, huge, 0, 1, &c, huge, &c, huge, 1, &c, 1);
  EXPECT_EQ(c, 5);
  EXPECT_EQ(cblas_ddot_64(1, &c, huge, &c, -huge), 25);
}

// The report knows a call by its BLAS name as well, the short way to the real BLAS included.
TEST(Names, Report) {
  const int m = 2, n = 1, k = 3;
  const double alpha = 1, beta = 0, a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 10, 100};
  double c[] = {0, 0, 0};
  accublas_report_t report;
  report.struct_size = sizeof report;
  char mode[32];
  dgemm_("N", "N", &m, &n, &k, &alpha, a, &m, b, &k, &beta, c, &m);
  ASSERT_EQ(accublas_report(nullptr, &report), 0);
  ASSERT_EQ(accublas_get_mode_name(nullptr, ACCUBLAS_FAMILY_DGEMM, mode, sizeof mode), 0);
  EXPECT_STREQ(report.routine, "dgemm");
  EXPECT_STREQ(report.mode, mode);
  EXPECT_STREQ(report.backend, "cpu");
  EXPECT_EQ(report.m, 2);
  EXPECT_EQ(report.n, 1);
  EXPECT_EQ(report.k, 3);
  EXPECT_LT(report.bound_relative + report.bound_componentwise, 1e-15);
  dgemv_("T", &m, &k, &alpha, a, &m, b, &n, &beta, c, &n);
  ASSERT_EQ(accublas_report(nullptr, &report), 0);
  EXPECT_STREQ(report.routine, "dgemv");
  EXPECT_EQ(report.m, 3);
  EXPECT_EQ(report.k, 2);
  ddot_(&k, a, &n, b, &n);
  ASSERT_EQ(accublas_report(nullptr, &report), 0);
  EXPECT_STREQ(report.routine, "ddot");
  EXPECT_EQ(report.k, 3);
  const int none = 0, three = 3;
  double cs[6];
  dgemm_batch_strided_("N", "N", &m, &n, &k, &alpha, a, &m, &none, b, &k, &none, &beta, cs, &m, &m, &three);
  ASSERT_EQ(accublas_report(nullptr, &report), 0);
  EXPECT_STREQ(report.routine, "dgemm_batched");
  EXPECT_EQ(report.batch_count, 3);
}

TEST(LinkOrder, TheRestIsTheRealBlas) {
  const int three = 3, one = 1;
  const double alpha = 2, x[] = {1, 2, 3};
  double y[] = {10, 20, 30};
  daxpy_(&three, &alpha, x, &one, y, &one);
  EXPECT_EQ(y[0] + y[1] + y[2], 72);
}

}  // namespace
