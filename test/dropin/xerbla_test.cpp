// Every bad argument of every routine under every name is told to the program's own handlers, with the numbers of
// netlib, and nothing is written. Built with all handlers (OWN_ALL), and with xerbla_ alone, as most Fortran programs
// have it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/dropin/blas_names.hpp"
#include "test/dropin/xerbla_handlers.hpp"

extern "C" {
void zgemm3m_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*, const void*,
              const void*, const std::int32_t*, const void*, const std::int32_t*, const void*, void*,
              const std::int32_t*);
void dtrtri_(const char*, const char*, const std::int32_t*, double*, const std::int32_t*, std::int32_t*);
void dlauum_(const char*, const std::int32_t*, double*, const std::int32_t*, std::int32_t*);
void dpotri_(const char*, const std::int32_t*, double*, const std::int32_t*, std::int32_t*);
void dgetri_(const std::int32_t*, double*, const std::int32_t*, const std::int32_t*, double*, const std::int32_t*,
             std::int32_t*);
void sgetri_(const std::int32_t*, float*, const std::int32_t*, const std::int32_t*, float*, const std::int32_t*,
             std::int32_t*);
}

namespace {

template <class T>
struct Operands {
  std::vector<T> a = std::vector<T>(64, 1), b = a, c = std::vector<T>(64, 7);
  void expect_untouched() const { EXPECT_EQ(c, std::vector<T>(64, 7)); }
};

// Good arguments, to be spoilt one at a time: op(A) 3 x 4, op(B) 4 x 2.
struct GemmCase {
  int number;  // of F77
  char transa = 'N', transb = 'N';
  int m = 3, n = 2, k = 4, lda, ldb, ldc;
};

std::vector<GemmCase> bad_gemms(bool row_major) {
  std::vector<GemmCase> cases;
  for (char ta : {'N', 'T', 'C', 'n', 't', 'c'})
    for (char tb : {'N', 'T', 'C', 'n', 't', 'c'}) {
      const bool na = ta == 'N' || ta == 'n', nb = tb == 'N' || tb == 'n';
      GemmCase good{0, ta, tb, 3, 2, 4, na != row_major ? 3 : 4, nb != row_major ? 4 : 2, row_major ? 2 : 3};
      const auto add = [&](int number, auto GemmCase::*argument, int value) {
        cases.push_back(good);
        cases.back().number = number;
        cases.back().*argument = static_cast<std::remove_reference_t<decltype(good.*argument)>>(value);
      };
      add(1, &GemmCase::transa, 'X');
      add(1, &GemmCase::transa, 'R');
      add(2, &GemmCase::transb, '/');
      add(3, &GemmCase::m, -1);
      add(4, &GemmCase::n, -1);
      add(5, &GemmCase::k, -3);
      add(8, &GemmCase::lda, good.lda - 1);
      add(8, &GemmCase::lda, -5);
      add(10, &GemmCase::ldb, good.ldb - 1);
      add(13, &GemmCase::ldc, good.ldc - 1);
      add(13, &GemmCase::ldc, 0);
    }
  return cases;
}

int cblas_trans(char c) {
  return c == 'N' || c == 'n' ? 111 : c == 'T' || c == 't' ? 112 : c == 'C' || c == 'c' ? 113 : 114;
}

TEST(Xerbla, Gemm) {
  for_all_names([](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    for (const GemmCase& g : bad_gemms(false)) {
      Operands<T> o;
      const Int m = g.m, n = g.n, k = g.k, lda = g.lda, ldb = g.ldb, ldc = g.ldc;
      const T alpha = 1, beta = 2;
      blas.gemm(&g.transa, &g.transb, &m, &n, &k, &alpha, o.a.data(), &lda, o.b.data(), &ldb, &beta, o.c.data(), &ldc);
      expect_one(expected_f77(blas, "GEMM", g.number));
      o.expect_untouched();
    }
    for (const bool row_major : {false, true})
      for (const GemmCase& g : bad_gemms(row_major)) {
        Operands<T> o;
        blas.cblas_gemm(row_major ? 101 : 102, cblas_trans(g.transa), cblas_trans(g.transb), g.m, g.n, g.k, 1,
                        o.a.data(), g.lda, o.b.data(), g.ldb, 2, o.c.data(), g.ldc);
        expect_one(expected_cblas(blas, "GEMM", g.number + 1));
        o.expect_untouched();
      }
    for (const int layout : {0, 100, 103, 67}) {
      Operands<T> o;
      blas.cblas_gemm(layout, 111, 111, 3, 2, 4, 1, o.a.data(), 4, o.b.data(), 4, 2, o.c.data(), 4);
      expect_one(expected_cblas(blas, "GEMM", 1));
      o.expect_untouched();
    }
  });
}

struct GemvCase {
  int number;
  char trans = 'N';
  int m = 3, n = 2, lda = 3, incx = 1, incy = 1;
};

std::vector<GemvCase> bad_gemvs(bool row_major) {
  std::vector<GemvCase> cases;
  for (char trans : {'N', 'T', 'C', 'n', 't', 'c'}) {
    const int lda = row_major ? 2 : 3;
    cases.insert(cases.end(), {{1, 'X', 3, 2, lda, 1, 1},
                               {1, 'R', 3, 2, lda, 1, 1},
                               {2, trans, -1, 2, lda, 1, 1},
                               {3, trans, 3, -1, lda, 1, 1},
                               {6, trans, 3, 2, lda - 1, 1, 1},
                               {6, trans, 0, 0, 0, 1, 1},
                               {8, trans, 3, 2, lda, 0, 1},
                               {11, trans, 3, 2, lda, -1, 0}});
  }
  return cases;
}

TEST(Xerbla, Gemv) {
  for_all_names([](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    for (const GemvCase& g : bad_gemvs(false)) {
      Operands<T> o;
      const Int m = g.m, n = g.n, lda = g.lda, incx = g.incx, incy = g.incy;
      const T alpha = 1, beta = 2;
      blas.gemv(&g.trans, &m, &n, &alpha, o.a.data(), &lda, o.b.data(), &incx, &beta, o.c.data(), &incy);
      expect_one(expected_f77(blas, "GEMV", g.number));
      o.expect_untouched();
    }
    for (const bool row_major : {false, true})
      for (const GemvCase& g : bad_gemvs(row_major)) {
        Operands<T> o;
        blas.cblas_gemv(row_major ? 101 : 102, cblas_trans(g.trans), g.m, g.n, 1, o.a.data(), g.lda, o.b.data(), g.incx,
                        2, o.c.data(), g.incy);
        expect_one(expected_cblas(blas, "GEMV", g.number + 1));
        o.expect_untouched();
      }
    Operands<T> o;
    blas.cblas_gemv(99, 111, 3, 2, 1, o.a.data(), 3, o.b.data(), 1, 2, o.c.data(), 1);
    expect_one(expected_cblas(blas, "GEMV", 1));
  });
}

// GEMMTR has a name of its own in complaints, and GEMMT's numbers.
TEST(Xerbla, Gemmtr) {
  for_all_names([](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    Operands<T> o;
    const Int three = 3, two = 2;
    const T one = 1;
    blas.gemmtr("/", "N", "N", &three, &three, &one, o.a.data(), &three, o.b.data(), &three, &one, o.c.data(), &three);
    expect_one(expected_f77(blas, "GEMMTR", 1));
    blas.gemmtr("U", "N", "N", &three, &three, &one, o.a.data(), &three, o.b.data(), &three, &one, o.c.data(), &two);
    expect_one(expected_f77(blas, "GEMMTR", 13));
    for (const int layout : {101, 102}) {
      blas.cblas_gemmtr(layout, 121, 111, 111, 3, 3, 1, o.a.data(), 2, o.b.data(), 3, 1, o.c.data(), 3);
      expect_one(expected_cblas(blas, "GEMMTR", 9));
    }
    o.expect_untouched();
  });
}

// The numbers of a batch with strides count the strides, too. Overlapping results are a bad stride.
TEST(Xerbla, GemmBatchStrided) {
  const auto number_of = [](int of_gemm) { return of_gemm + (of_gemm > 8) + (of_gemm > 10); };
  for_all_names([&](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    const std::string routine = "GEMM_BATCH_STRIDED";
    const Int none = 0, twenty = 20;
    const T alpha = 1, beta = 2;
    const auto f77 = [&](const GemmCase& g, Int stride_c, Int count, int number) {
      Operands<T> o;
      const Int m = g.m, n = g.n, k = g.k, lda = g.lda, ldb = g.ldb, ldc = g.ldc;
      blas.gemm_batch_strided(&g.transa, &g.transb, &m, &n, &k, &alpha, o.a.data(), &lda, &none, o.b.data(), &ldb,
                              &none, &beta, o.c.data(), &ldc, &stride_c, &count);
      expect_one(expected_f77(blas, routine, number));
      o.expect_untouched();
    };
    const auto cblas = [&](int layout, const GemmCase& g, Int stride_c, Int count, int number) {
      Operands<T> o;
      blas.cblas_gemm_batch_strided(layout, cblas_trans(g.transa), cblas_trans(g.transb), g.m, g.n, g.k, alpha,
                                    o.a.data(), g.lda, 0, o.b.data(), g.ldb, 0, beta, o.c.data(), g.ldc, stride_c,
                                    count);
      expect_one(expected_cblas(blas, routine, number));
      o.expect_untouched();
    };
    for (const GemmCase& g : bad_gemms(false)) f77(g, twenty, 2, number_of(g.number));
    for (const bool row_major : {false, true})
      for (const GemmCase& g : bad_gemms(row_major)) cblas(row_major ? 101 : 102, g, 20, 2, number_of(g.number) + 1);
    const GemmCase good{0, 'N', 'N', 3, 2, 4, 4, 4, 3};
    f77(good, twenty, -1, 17);
    f77(good, none, 2, 16);
    for (const int layout : {101, 102}) {
      cblas(layout, good, 20, -1, 18);
      cblas(layout, good, 1, 2, 17);
    }
    cblas(100, good, 20, 2, 1);
  });
}

// The arguments of each group have GEMM's numbers. A bad one in the last group leaves the results of all alone.
TEST(Xerbla, GemmBatch) {
  for_all_names([](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    const GemmCase good{0, 'N', 'N', 3, 2, 4, 4, 4, 3};
    // Layout 0 stands for the F77 name.
    const auto call = [&](int layout, const GemmCase& g, Int group_count, Int last, int number) {
      Operands<T> o;
      const T alphas[] = {1, 1}, betas[] = {2, 2};
      const T *a[] = {o.a.data(), o.a.data()}, *b[] = {o.b.data(), o.b.data()};
      T* c[] = {o.c.data(), o.c.data()};
      const Int m[] = {good.m, g.m}, n[] = {good.n, g.n}, k[] = {good.k, g.k}, sizes[] = {1, last},
                lda[] = {good.lda, g.lda}, ldb[] = {good.ldb, g.ldb}, ldc[] = {good.ldc, g.ldc};
      const char tas[] = {good.transa, g.transa}, tbs[] = {good.transb, g.transb};
      const int cblas_tas[] = {111, cblas_trans(g.transa)}, cblas_tbs[] = {111, cblas_trans(g.transb)};
      if (layout == 0) {
        blas.gemm_batch(tas, tbs, m, n, k, alphas, a, lda, b, ldb, betas, c, ldc, &group_count, sizes);
        expect_one(expected_f77(blas, "GEMM_BATCH", number));
      } else {
        blas.cblas_gemm_batch(layout, cblas_tas, cblas_tbs, m, n, k, alphas, a, lda, b, ldb, betas, c, ldc, group_count,
                              sizes);
        expect_one(expected_cblas(blas, "GEMM_BATCH", number + 1));
      }
      o.expect_untouched();
    };
    for (const int layout : {0, 101, 102}) {
      for (const GemmCase& g : bad_gemms(layout == 101)) call(layout, g, 2, 1, g.number);
      call(layout, good, -1, 1, 14);
      call(layout, good, 2, -1, 15);
    }
    call(100, good, 2, 1, 0);
  });
}

// GEMM3M has a name of its own in complaints.
TEST(Xerbla, Gemm3m) {
  const std::int32_t three = 3, two = 2;
  double x[18] = {};
  zgemm3m_("N", "N", &three, &three, &three, x, x, &two, x, &three, x, x, &three);
  expect_one({"xerbla_", "ZGEMM3M", 8});
}

// LAPACK's numbers, in info too, and the size of GETRI's work.
TEST(Xerbla, Inverses) {
  std::vector<double> a(64, 7), work(64, 7);
  const std::int32_t minus = -1, two = 2, three = 3, pivots[3] = {1, 2, 3};
  std::int32_t info = 0;
  const auto expect_bad = [&](const char* routine, int number) {
    expect_one({"xerbla_", routine, number});
    EXPECT_EQ(info, -number) << routine;
    EXPECT_EQ(a, std::vector<double>(64, 7)) << routine;
    EXPECT_EQ(work, std::vector<double>(64, 7)) << routine;
  };
  dtrtri_("/", "N", &three, a.data(), &three, &info);
  expect_bad("DTRTRI", 1);
  dtrtri_("l", "/", &three, a.data(), &three, &info);
  expect_bad("DTRTRI", 2);
  dtrtri_("U", "u", &minus, a.data(), &three, &info);
  expect_bad("DTRTRI", 3);
  dtrtri_("U", "N", &three, a.data(), &two, &info);
  expect_bad("DTRTRI", 5);
  dlauum_("/", &three, a.data(), &three, &info);
  expect_bad("DLAUUM", 1);
  dlauum_("u", &minus, a.data(), &three, &info);
  expect_bad("DLAUUM", 2);
  dlauum_("L", &three, a.data(), &two, &info);
  expect_bad("DLAUUM", 4);
  dpotri_("/", &three, a.data(), &three, &info);
  expect_bad("DPOTRI", 1);
  dpotri_("L", &minus, a.data(), &three, &info);
  expect_bad("DPOTRI", 2);
  dpotri_("L", &three, a.data(), &two, &info);
  expect_bad("DPOTRI", 4);
  dgetri_(&minus, a.data(), &three, pivots, work.data(), &three, &info);
  expect_bad("DGETRI", 1);
  dgetri_(&three, a.data(), &two, pivots, work.data(), &three, &info);
  expect_bad("DGETRI", 3);
  dgetri_(&three, a.data(), &three, pivots, work.data(), &two, &info);
  expect_bad("DGETRI", 6);
  dgetri_(&minus, a.data(), &three, pivots, work.data(), &minus, &info);
  expect_bad("DGETRI", 1);

  const std::int32_t none = 0, one = 1, many = 2097153;  // single precision does not have the number 64 times that
  dgetri_(&three, nullptr, &three, nullptr, work.data(), &minus, &info);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(work[0], 9);
  dgetri_(&none, nullptr, &one, nullptr, work.data(), &one, &info);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(work[0], 1);
  float best = 0;
  sgetri_(&many, nullptr, &many, nullptr, &best, &minus, &info);
  EXPECT_GE(best, 64.0 * many);
  EXPECT_LE(best, 64.0 * many * (1 + 0x1p-22));
  EXPECT_TRUE(complaints.empty());
}

// Whether there are the handlers of a BLAS beside the program's own.
TEST(Xerbla, LinkedBlas) {
#ifdef LINKED_BLAS
  EXPECT_TRUE(dlsym(RTLD_DEFAULT, "dscal_"));
#else
  EXPECT_FALSE(dlsym(RTLD_DEFAULT, "dscal_"));
#endif
}

// DOT has no bad argument: no length and no increment makes a complaint.
TEST(Xerbla, Dot) {
  for_all_names([](const auto& blas) {
    using T = typename std::decay_t<decltype(blas)>::Type;
    using Int = typename std::decay_t<decltype(blas)>::Integer;
    const T x[] = {2, 3, 5, 7, 11}, y[] = {1, 10, 100, 1000, 10000};
    const Int none = 0, negative = -4, three = 3, one = 1, minus_two = -2;
    EXPECT_EQ(blas.dot(&none, x, &one, y, &one), 0);
    EXPECT_EQ(blas.dot(&negative, x, &one, y, &one), 0);
    EXPECT_EQ(blas.dot(&three, x, &none, y, &one), 222);
    EXPECT_EQ(blas.dot(&three, x, &one, y, &none), 10);
    EXPECT_EQ(blas.dot(&three, x, &minus_two, y, &one), 11 + 50 + 200);
    EXPECT_EQ(blas.cblas_dot(-1, x, 1, y, 1), 0);
    EXPECT_EQ(blas.cblas_dot(3, x, 0, y, 0), 6);
    EXPECT_TRUE(complaints.empty());
  });
}

}  // namespace
