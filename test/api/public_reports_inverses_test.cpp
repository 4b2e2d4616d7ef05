// Reports in public trackers about inverses, sizes of zero, and calls beside other threads.
#include <thread>

#include "public_reports.hpp"

using namespace reports;

// OpenBLAS#1643 and #5602: potrf was wrong on one kernel. OpenBLAS#2194: potri was wrong. OpenBLAS#309: ztrtri was
// wrong from order 65 on. legacy-rocm-build#6623: potri read the other triangle. L has ones, and -1 (of complex types
// -i) below them: then L^-1 has powers of i in its triangle, and the inverse of L L^H is n - max(j, k) times i^(j - k).
TEST(PublicReports, OpenBlas2194And309InversesByCholesky) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    E below = -1;
    if constexpr (is_complex<E>) below = E(0, -1);
    const auto power = [&](std::int64_t e) {
      E result = 1;
      for (std::int64_t i = 0; i < e % 4; ++i) result *= -below;
      return result;
    };
    for (const std::string& mode : factorizations) {
      api::Context context(mode);
      for (accublas_layout layout : {columns, rows})
        for (accublas_uplo uplo : {U, L})
          for (std::int64_t n : {1, 2, 26, 70}) {
            const auto lower = [&](auto element) {  // of L or a Hermitian matrix; U = L^H
              Matrix<E> a(layout, n, n);
              for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j <= i; ++j)
                  if (uplo == L)
                    a(i, j) = element(i, j);
                  else
                    a(j, i) = conjugate(element(i, j));
              return a;
            };
            const auto factor = [&](std::int64_t i, std::int64_t j) {
              return i == j ? E(1) : i == j + 1 ? below : zero;
            };
            const Matrix<E> l = lower(factor);
            Matrix<E> a = lower([&](std::int64_t i, std::int64_t j) {
              return i == j ? E(i == 0 ? Real<E>(1) : Real<E>(2)) : i == j + 1 ? below : zero;
            });
            std::int64_t info = -1;
            SUCCEEDS(context, potrf(E{}, context, layout, uplo, n, a.p(), a.ld, &info));
            EXPECT_EQ(info, 0);
            ASSERT_TRUE(equal(a.data, l.data)) << "potrf " << mode << " " << layout << uplo << " " << n;
            SUCCEEDS(context, trtri(E{}, context, layout, uplo, ACCUBLAS_NON_UNIT, n, a.p(), a.ld, &info));
            const Matrix<E> inverse = lower([&](std::int64_t i, std::int64_t j) { return power(i - j); });
            ASSERT_TRUE(equal(a.data, inverse.data)) << "trtri " << mode << " " << layout << uplo << " " << n;
            a = l;
            SUCCEEDS(context, potri(E{}, context, layout, uplo, n, a.p(), a.ld, &info));
            const Matrix<E> both =
                lower([&](std::int64_t i, std::int64_t j) { return static_cast<Real<E>>(n - i) * power(i - j); });
            ASSERT_TRUE(equal(a.data, both.data)) << "potri " << mode << " " << layout << uplo << " " << n;
          }
    }
  });
}

// numpy#2777, LinearAlgebra.jl#682 and #882, numba#5779: sizes of zero wrote somewhere, were refused, or left garbage.
TEST(PublicReports, Numpy2777SizesOfZeroWithoutOperands) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E one = 1;
    E* const null = nullptr;
    std::int64_t info = -1, *const no_pivots = nullptr;
    for (const std::string& mode : factorizations) {
      api::Context context(mode);
      for (accublas_layout layout : {columns, rows}) {
        SUCCEEDS(context, gemm(E{}, context, layout, N, N, 0, 3, 4, &one, null, 4, null, 4, &zero, null, 3));
        SUCCEEDS(context, gemm(E{}, context, layout, N, N, 3, 0, 4, &one, null, 4, null, 4, &zero, null, 3));
        SUCCEEDS(context, gemv(E{}, context, layout, N, 0, 3, &one, null, 3, null, 1, &zero, null, 1));
        SUCCEEDS(context,
                 trsm(E{}, context, layout, ACCUBLAS_LEFT, U, N, ACCUBLAS_NON_UNIT, 0, 3, &one, null, 3, null, 3));
        SUCCEEDS(context,
                 trsm(E{}, context, layout, ACCUBLAS_LEFT, U, N, ACCUBLAS_NON_UNIT, 3, 0, &one, null, 3, null, 3));
        SUCCEEDS(context, syrk(E{}, context, layout, U, N, 0, 3, &one, null, 3, &zero, null, 1));
        SUCCEEDS(context, potrf(E{}, context, layout, U, 0, null, 1, &info));
        EXPECT_EQ(info, 0);
        SUCCEEDS(context, getrf(E{}, context, layout, 0, 3, null, 3, no_pivots, &info));
        EXPECT_EQ(info, 0);
        SUCCEEDS(context, getrf(E{}, context, layout, 3, 0, null, 3, no_pivots, &info));
        SUCCEEDS(context, geqrf(E{}, context, layout, 2, 0, null, 2, null));
        SUCCEEDS(context, geqrf(E{}, context, layout, 0, 2, null, 2, null));
        std::vector<E> c(9, quiet_nan<E>);
        SUCCEEDS(context, gemm(E{}, context, layout, N, N, 3, 3, 0, &one, null, 3, null, 3, &zero, c.data(), 3));
        for (const E& element : c) EXPECT_TRUE(same_bits(element, zero)) << mode;
        std::vector<E> b(4, quiet_nan<E>);  // least squares without equations
        SUCCEEDS(context, gels(E{}, context, layout, N, 0, 2, 2, null, 2, b.data(), 2, &info));
        for (const E& element : b) EXPECT_TRUE(same_bits(element, zero)) << mode;
      }
      E result = quiet_nan<E>;
      SUCCEEDS(context, dot(E{}, context, 0, null, 1, null, 1, &result));
      EXPECT_TRUE(same_bits(result, zero)) << mode;
      Real<E> norm = quiet_nan<Real<E>>;
      SUCCEEDS(context, nrm2(E{}, context, 0, null, 1, &norm));
      EXPECT_TRUE(same_bits(norm, Real<E>(0))) << mode;
    }
  });
}

// OpenBLAS#5825: dgemm of ones was wrong while another thread was in LAPACK. OpenBLAS#1401, #1755 and #2126: so was
// sgemm of the same operands in several threads.
TEST(PublicReports, OpenBlas5825ProductsBesideOtherThreads) {
  constexpr std::int64_t n = 64, k = 128;
  const std::vector<double> ones(n * k, 1);
  for (const std::string& mode : factorizations) {
    std::vector<std::thread> threads;
    std::vector<int> wrong(3, 0);
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&, t] {
        api::Context context(mode);
        for (int round = 0; round < 5 * scale(); ++round) {
          std::int64_t info = 0;
          if (t == 0) {
            std::vector<double> a(n * n, 1);
            for (std::size_t i = 0; i < n; ++i) a[i * (n + 1)] = 2 * n;
            wrong[0] += accublas_dpotrf(context, columns, L, n, a.data(), n, &info) != ACCUBLAS_SUCCESS || info != 0;
            continue;
          }
          const double one = 1, zero = 0;
          std::vector<double> c(n * n, api::nan_value<double>);
          wrong[static_cast<std::size_t>(t)] += accublas_dgemm(context, columns, N, N, n, n, k, &one, ones.data(), n,
                                                               ones.data(), k, &zero, c.data(), n) != ACCUBLAS_SUCCESS;
          for (double element : c) wrong[static_cast<std::size_t>(t)] += element != k;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(3, 0)) << mode;
  }
}
