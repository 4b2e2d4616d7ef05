// Public reports about level 3 of other libraries, each as a test with the right value.
#include "public_reports.hpp"

using namespace reports;

// LAPACK#1077 and its PR#1098: what NaN and infinities do where alpha or beta is zero. OpenBLAS#2914: sgemm with k = 0
// and beta = 0 left C; rocBLAS#753 returned early. tlapack#87, blaspp#39, clBLAS#201: beta = 0 read C. OpenBLAS#4728: 0
// times infinity in beta C is NaN, where the zero is an element of C.
TEST(PublicReports, Lapack1077GemmWithAlphaOrBetaZero) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    constexpr std::int64_t m = 5, n = 3;
    const E one = 1, two = 2;
    for (const std::string& mode : products) {
      api::Context context(mode);
      for (accublas_layout layout : {columns, rows})
        for (accublas_transpose ta : {N, T, H})
          for (accublas_transpose tb : {N, T, H})
            for (std::int64_t k : {0, 1, 4}) {
              Matrix<E> a = stored<E>(layout, ta, m, k), b = stored<E>(layout, tb, k, n);  // of NaN
              const auto result = [&](E alpha, E beta, E of_c, const E* pa, const E* pb) {
                Matrix<E> c(layout, m, n);
                for (std::int64_t i = 0; i < m; ++i)
                  for (std::int64_t j = 0; j < n; ++j) c(i, j) = of_c;
                EXPECT_EQ(gemm(E{}, context, layout, ta, tb, m, n, k, &alpha, pa, a.ld, pb, b.ld, &beta, c.p(), c.ld),
                          ACCUBLAS_SUCCESS)
                    << mode << ": " << context.error();
                for (std::int64_t i = 0; i < m; ++i)
                  for (std::int64_t j = 0; j < n; ++j)
                    EXPECT_TRUE(same_bits(c(i, j), c(0, 0))) << mode << " " << i << " " << j;
                return c(0, 0);
              };
              const E* const nothing = nullptr;
              for (const E alpha : {zero, one}) {
                if (alpha == one && k > 0) continue;
                EXPECT_TRUE(same_bits(result(alpha, zero, quiet_nan<E>, nothing, nothing), zero)) << mode << " " << k;
                EXPECT_TRUE(same_bits(result(alpha, zero, infinity<E>, nothing, nothing), zero)) << mode << " " << k;
                EXPECT_TRUE(same_bits(result(alpha, one, quiet_nan<E>, nothing, nothing), quiet_nan<E>))
                    << mode << " " << k;
                EXPECT_EQ(result(alpha, two, E(3), nothing, nothing), E(6)) << mode << " " << k;
                EXPECT_TRUE(is_nan(result(alpha, two, quiet_nan<E>, nothing, nothing))) << mode << " " << k;
                EXPECT_EQ(std::real(result(alpha, two, infinity<E>, nothing, nothing)), infinity<Real<E>>)
                    << mode << " " << k;
                EXPECT_TRUE(is_nan(result(alpha, infinity<E>, zero, nothing, nothing))) << mode << " " << k;
              }
              if (k == 0) continue;
              EXPECT_TRUE(is_nan(result(one, zero, zero, a.p(), b.p()))) << mode;
              for (std::int64_t i = 0; i < a.rows; ++i)
                for (std::int64_t j = 0; j < a.cols; ++j) a(i, j) = 1;
              for (std::int64_t i = 0; i < b.rows; ++i)
                for (std::int64_t j = 0; j < b.cols; ++j) b(i, j) = 1;
              EXPECT_EQ(result(one, zero, quiet_nan<E>, a.p(), b.p()), E(static_cast<Real<E>>(k))) << mode;
              EXPECT_EQ(result(one, zero, infinity<E>, a.p(), b.p()), E(static_cast<Real<E>>(k))) << mode;
              EXPECT_TRUE(is_nan(result(one, one, quiet_nan<E>, a.p(), b.p()))) << mode;
            }
    }
  });
}

// clBLAS#41 and #201, OpenBLAS#2496: a product of level 3 with beta = 0 read C. rocm-libraries#6671, OpenBLAS#2514 and
// #4905: syrk wrote the other triangle, or filled it in place of the wanted one, and so did row-major gemmt.
// OpenBLAS#4452: gemmt lost the conjugation. ampl/gsl#37: row-major syr2k mixed up its indices. OpenBLAS#5811: dsyrk of
// an upper triangle of A^T A.
TEST(PublicReports, RocmLibraries6671TrianglesOfProducts) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E one = 1, two = 2;
    for (const std::string& mode : products) {
      api::Context context(mode);
      Integers integers(7);
      for (accublas_layout layout : {columns, rows})
        for (accublas_uplo uplo : {U, L})
          for (accublas_transpose op : {N, T})
            for (std::int64_t n : {1, 2, 9, 17})
              for (std::int64_t k : {1, 6}) {
                Matrix<E> a = stored<E>(layout, op, n, k), b = stored<E>(layout, op, n, k), c(layout, n, n);
                a.fill(integers, 5);
                b.fill(integers, 5);
                const auto wanted = [&](std::int64_t i, std::int64_t j) { return i == j || (i < j) == (uplo == U); };
                const accublas_transpose other = op == N ? T : N;
                Matrix<E> result = c;
                SUCCEEDS(context,
                         syrk(E{}, context, layout, uplo, op, n, k, &two, a.p(), a.ld, &zero, result.p(), c.ld));
                Matrix<E> right = product(two, op, a, other, a, zero, c, wanted);
                ASSERT_TRUE(equal(result.data, right.data))
                    << "syrk " << mode << " " << layout << uplo << op << " " << n;
                SUCCEEDS(context,
                         syrk(E{}, context, layout, uplo, op, n, k, &one, a.p(), a.ld, &two, result.p(), c.ld));
                right = product(one, op, a, other, a, two, right, wanted);
                ASSERT_TRUE(equal(result.data, right.data))
                    << "syrk " << mode << " " << layout << uplo << op << " " << n;
                result = c;
                SUCCEEDS(context, syr2k(E{}, context, layout, uplo, op, n, k, &two, a.p(), a.ld, b.p(), b.ld, &zero,
                                        result.p(), c.ld));
                right = product(two, op, b, other, a, one, product(two, op, a, other, b, zero, c, wanted), wanted);
                ASSERT_TRUE(equal(result.data, right.data))
                    << "syr2k " << mode << " " << layout << uplo << op << " " << n;
                for (accublas_transpose tb : {other, op == N ? H : N}) {
                  result = c;
                  SUCCEEDS(context, gemmt(E{}, context, layout, uplo, op, tb, n, k, &two, a.p(), a.ld, b.p(), b.ld,
                                          &zero, result.p(), c.ld));
                  right = product(two, op, a, tb, b, zero, c, wanted);
                  ASSERT_TRUE(equal(result.data, right.data))
                      << "gemmt " << mode << " " << layout << uplo << op << " " << n;
                }
              }
    }
  });
}

// OpenBLAS#4905, its example: (2 3; 0 4)^T (2 3; 0 4) = (4 6; 6 25). OpenBLAS#5142: gemmt of one element with alpha = 0
// and beta = 0 left it.
TEST(PublicReports, OpenBlas4905And5142Gemmt) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E a[] = {2, 3, 0, 4}, one = 1;
    for (const std::string& mode : products) {
      api::Context context(mode);
      std::vector<E> c(4, quiet_nan<E>);
      SUCCEEDS(context, gemmt(E{}, context, rows, U, T, N, 2, 2, &one, a, 2, a, 2, &zero, c.data(), 2));
      EXPECT_TRUE(equal(c, {4, 6, quiet_nan<E>, 25})) << mode;
      c.assign(4, quiet_nan<E>);
      SUCCEEDS(context, gemmt(E{}, context, columns, U, T, N, 2, 2, &one, a, 2, a, 2, &zero, c.data(), 2));
      EXPECT_TRUE(equal(c, {13, quiet_nan<E>, 12, 16})) << mode;  // (2 0; 3 4)^T (2 0; 3 4)
      E element = quiet_nan<E>;
      SUCCEEDS(context, gemmt(E{}, context, columns, U, N, H, 1, 1, &zero, a, 2, a, 2, &zero, &element, 2));
      EXPECT_TRUE(same_bits(element, zero)) << mode;
    }
  });
}

// rocBLAS#1648, OpenBLAS#46: herk left an imaginary part on the diagonal. LinearAlgebra.jl#1480, scalapackfx#49:
// her2k's second product has conj(alpha). BLAS's quick return leaves C alone, its diagonal too.
TEST(PublicReports, RocBlas1648AndOpenBlas46DiagonalsOfHerk) {
  for_types<Z, C>([](auto zero) {
    using E = decltype(zero);
    using R = Real<E>;
    const R one = 1, two = 2, none = 0;
    const E alpha(2, -3), one_z = 1;
    for (const std::string& mode : products) {
      api::Context context(mode);
      Integers integers(8);
      for (accublas_layout layout : {columns, rows})
        for (accublas_uplo uplo : {U, L})
          for (accublas_transpose op : {N, H})
            for (std::int64_t n : {1, 2, 13}) {
              const std::int64_t k = 6;
              const accublas_transpose other = op == N ? H : N;
              Matrix<E> a = stored<E>(layout, op, n, k), b = stored<E>(layout, op, n, k), c(layout, n, n);
              a.fill(integers, 5);
              b.fill(integers, 5);
              const auto wanted = [&](std::int64_t i, std::int64_t j) { return i == j || (i < j) == (uplo == U); };
              for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j < n; ++j)
                  if (wanted(i, j)) c(i, j) = i == j ? E(integers.get<R>(5)) : integers.get<E>(5);
              Matrix<E> given = c;
              for (std::int64_t i = 0; i < n; ++i) given(i, i) = E(std::real(c(i, i)), R(-1e10));
              const auto check = [&](const char* name, const Matrix<E>& result, const Matrix<E>& right) {
                EXPECT_TRUE(equal(result.data, right.data))
                    << name << " " << mode << " " << layout << uplo << op << " " << n;
                for (std::int64_t i = 0; i < n; ++i)
                  EXPECT_TRUE(same_bits(std::imag(result(i, i)), none)) << name << " " << mode;
              };
              Matrix<E> result = given;
              SUCCEEDS(context, herk(E{}, context, layout, uplo, op, n, k, &two, a.p(), a.ld, &one, result.p(), c.ld));
              check("herk", result, product(E(2), op, a, other, a, one_z, c, wanted));
              result = given;
              SUCCEEDS(context, her2k(E{}, context, layout, uplo, op, n, k, &alpha, a.p(), a.ld, b.p(), b.ld, &two,
                                      result.p(), c.ld));
              const Matrix<E> first = product(alpha, op, a, other, b, E(2), c, wanted);
              check("her2k", result, product(std::conj(alpha), op, b, other, a, one_z, first, wanted));
              result = given;
              SUCCEEDS(context, herk(E{}, context, layout, uplo, op, n, k, &none, a.p(), a.ld, &one, result.p(), c.ld));
              EXPECT_TRUE(equal(result.data, given.data)) << mode;
            }
    }
  });
}

// LAPACK#1337: the row-major C interface took a transpose for herk and her2k, and a conjugate transpose for complex
// syrk and syr2k, and computed something else.
TEST(PublicReports, Lapack1337TranspositionsThatARoutineLacks) {
  for_types<Z, C>([](auto zero) {
    using E = decltype(zero);
    const Real<E> one = 1;
    const E one_z = 1, a[] = {1, 2, 3, 4};
    for (accublas_layout layout : {columns, rows}) {
      api::Context context("cr");
      std::vector<E> c(4, E(7));
      const std::vector<E> before = c;
      EXPECT_EQ(herk(E{}, context, layout, U, T, 2, 2, &one, a, 2, &one, c.data(), 2), ACCUBLAS_ERROR_ARGUMENT);
      EXPECT_EQ(her2k(E{}, context, layout, U, T, 2, 2, &one_z, a, 2, a, 2, &one, c.data(), 2),
                ACCUBLAS_ERROR_ARGUMENT);
      EXPECT_EQ(syrk(E{}, context, layout, U, H, 2, 2, &one_z, a, 2, &one_z, c.data(), 2), ACCUBLAS_ERROR_ARGUMENT);
      EXPECT_EQ(syr2k(E{}, context, layout, U, H, 2, 2, &one_z, a, 2, a, 2, &one_z, c.data(), 2),
                ACCUBLAS_ERROR_ARGUMENT);
      EXPECT_NE(context.error().find("trans"), std::string::npos) << context.error();
      EXPECT_TRUE(equal(c, before));
    }
  });
}

// OpenBLAS#729: the imaginary part of a conj(a) was -1.28e-9. It is ai ar - ar ai = 0; the real part is a number of
// double precision, which is rounded once.
TEST(PublicReports, OpenBlas729NumberTimesItsConjugate) {
  const C a(0.4713259f, 0.14339028f), one = 1, zero = 0;
  const double re = std::real(a), im = std::imag(a), exact = re * re + im * im;
  for (const std::string& mode : defined) {
    api::Context context(mode);
    for (accublas_transpose ta : {N, T}) {
      C c;
      SUCCEEDS(context, accublas_cgemm(context, columns, ta, H, 1, 1, 1, &one, &a, 1, &a, 1, &zero, &c, 1));
      EXPECT_TRUE(same_bits(std::imag(c), 0.0f)) << mode << " " << c;
      if (mode != "dp:repro") {
        EXPECT_EQ(std::real(c), static_cast<float>(exact)) << mode;
      }
      EXPECT_NEAR(std::real(c), exact, 9 * 0x1p-24 * exact) << mode;  // (2 k + 7) u
    }
  }
}

// OpenBLAS#1870, #1933 and #3152, clBLAS#246 (N = 7, 11, 15 where transpositions differ), ozIMMU#1 (m = 7, n = 61,
// k = 68), BLIS#460 (one column, a large ldb), BLIS#635 and #821 (single rows and columns), CLBLAS.jl#41, BLIS#507:
// GEMM of particular shapes was wrong or crashed.
TEST(PublicReports, OzImmu1AndClBlas246GemmOfSmallShapes) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E alpha = 2, beta = 3;
    std::vector<std::array<std::int64_t, 3>> shapes = {{4, 4, 4},   {7, 61, 68}, {126, 1, 126}, {16, 7, 9}, {16, 11, 9},
                                                       {16, 15, 9}, {1, 16, 15}, {6, 1, 31},    {1, 1, 1},  {65, 3, 2}};
    Integers integers(9);
    for (int i = 0; i < 4 * scale(); ++i) {
      const auto size = [&] { return 1 + std::abs(std::real(integers.get<Real<E>>(20))); };
      const auto m = static_cast<std::int64_t>(size()), n = static_cast<std::int64_t>(size());
      shapes.push_back({m, n, static_cast<std::int64_t>(size())});
    }
    for (auto [m, n, k] : shapes)
      for (accublas_layout layout : {columns, rows})
        for (accublas_transpose ta : {N, T, H})
          for (accublas_transpose tb : {N, T, H}) {
            if (!is_complex<E> && (ta == H || tb == H)) continue;
            Matrix<E> a = stored<E>(layout, ta, m, k), b = stored<E>(layout, tb, k, n), c(layout, m, n);
            c.fill(integers, 9);
            const Matrix<E> wanted =
                product(alpha, ta, a.fill(integers, 9), tb, b.fill(integers, 9), beta, c, everywhere);
            for (const std::string& mode : products) {
              api::Context context(mode);
              Matrix<E> result = c;
              SUCCEEDS(context, gemm(E{}, context, layout, ta, tb, m, n, k, &alpha, a.p(), a.ld, b.p(), b.ld, &beta,
                                     result.p(), c.ld));
              ASSERT_TRUE(equal(result.data, wanted.data))
                  << mode << " " << layout << ta << tb << " " << m << " " << n << " " << k;
            }
          }
  });
}

// numpy#9758: the last columns of a float outer product, 2 x 69900, were wrong.
TEST(PublicReports, Numpy9758OuterProductOfALongRow) {
  constexpr std::int64_t n = 69900;
  std::vector<float> b(n);
  for (std::size_t j = 0; j < b.size(); ++j) b[j] = static_cast<float>(j % 4001);
  const float a[] = {3, -5}, one = 1, zero = 0;
  for (const std::string& mode : products) {
    api::Context context(mode);
    std::vector<float> c(2 * n, api::nan_value<float>);
    SUCCEEDS(context, accublas_sgemm(context, rows, N, N, 2, n, 1, &one, a, 1, b.data(), n, &zero, c.data(), n));
    std::size_t wrong = 0;
    for (std::size_t j = 0; j < b.size(); ++j) wrong += c[j] != 3 * b[j] || c[n + j] != -5 * b[j];
    EXPECT_EQ(wrong, std::size_t(0)) << mode;
  }
}

// eshkol#307: an emulation that tests had fed with integers alone lost 5 to 30 % of fractions. GEMMul8 lost all digits
// of data that were scaled by 2^-4 or 2^20. Fractions of 20 bits make sums below 2^53 of units of 2^-40.
TEST(PublicReports, Eshkol307FractionsAndScales) {
  for_types<double, float>([](auto zero) {
    using E = decltype(zero);
    constexpr std::int64_t m = 9, n = 8, k = 70;
    std::mt19937 random(10);
    Matrix<double> a(columns, m, k), b(columns, k, n);
    for (Matrix<double>* const matrix : {&a, &b})
      for (std::int64_t i = 0; i < matrix->rows; ++i)
        for (std::int64_t j = 0; j < matrix->cols; ++j)
          (*matrix)(i, j) = std::ldexp(static_cast<double>(random() % (1 << 21)) - 0x1p20, -20);
    const E one = 1;
    for (const std::string& mode : defined) {
      api::Context context(mode);
      for (int shift : {-60, -4, 0, 20, 50}) {
        Matrix<E> sa(columns, m, k), sb(columns, k, n), c(columns, m, n);
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < k; ++j) sa(i, j) = static_cast<E>(std::ldexp(a(i, j), shift));
        for (std::int64_t i = 0; i < k; ++i)
          for (std::int64_t j = 0; j < n; ++j) sb(i, j) = static_cast<E>(b(i, j));
        SUCCEEDS(context,
                 gemm(E{}, context, columns, N, N, m, n, k, &one, sa.p(), sa.ld, sb.p(), sb.ld, &zero, c.p(), c.ld));
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            std::int64_t sum = 0;
            for (std::int64_t p = 0; p < k; ++p) sum += scaled(a(i, p), 20) * scaled(b(p, j), 20);
            ASSERT_EQ(c(i, j), std::ldexp(static_cast<E>(sum), shift - 40)) << mode << " " << shift;
          }
      }
    }
  });
}

// pytorch#45422, #51276 and #136338, ectrans#144: a row had other bits in a larger product, or in another batch.
// numpy#12218, LinearAlgebra.jl#1513: A A^T by GEMM was not symmetric.
TEST(PublicReports, PyTorch45422RowsAloneAndInABatch) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    constexpr std::int64_t m = 24, n = 20, k = 33;
    std::mt19937 random(11);
    Matrix<E> a(rows, m, k), b(rows, k, n);
    const auto part = [&] {
      return static_cast<Real<E>>(
          std::ldexp(static_cast<double>(random()) - 0x1p31, static_cast<int>(random() % 30) - 45));
    };
    for (Matrix<E>* const matrix : {&a, &b})
      for (std::int64_t i = 0; i < matrix->rows; ++i)
        for (std::int64_t j = 0; j < matrix->cols; ++j) {
          const Real<E> re = part();
          if constexpr (is_complex<E>)
            (*matrix)(i, j) = E(re, part());
          else
            (*matrix)(i, j) = re;
        }
    const E one = 1;
    for (const char* mode : {"dot2", "fixed:60", "slices:6", "cr"}) {
      api::Context context(mode);
      Matrix<E> whole_product(rows, m, n);
      SUCCEEDS(context, gemm(E{}, context, rows, N, N, m, n, k, &one, a.p(), a.ld, b.p(), b.ld, &zero,
                             whole_product.p(), whole_product.ld));
      for (std::int64_t size : {1, 2, 5, 24})
        for (std::int64_t i = 0; i + size <= m; i += size) {
          Matrix<E> c(rows, m, n);
          SUCCEEDS(context, gemm(E{}, context, rows, N, N, size, n, k, &one, &a(i, 0), a.ld, b.p(), b.ld, &zero,
                                 &c(i, 0), c.ld));
          for (std::int64_t r = i; r < i + size; ++r)
            for (std::int64_t j = 0; j < n; ++j)
              ASSERT_TRUE(same_bits(c(r, j), whole_product(r, j))) << mode << " " << size << " " << r << " " << j;
        }
      std::vector<E> batch(m * n);
      SUCCEEDS(context, gemm_strided_batched(E{}, context, rows, N, N, 1, n, k, &one, a.p(), a.ld, a.ld, b.p(), b.ld, 0,
                                             &zero, batch.data(), n, n, m));
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j)
          ASSERT_TRUE(same_bits(batch[static_cast<std::size_t>(i * n + j)], whole_product(i, j))) << mode;
    }
    if constexpr (!is_complex<E>)
      for (const std::string& mode : defined) {
        api::Context context(mode);
        Matrix<E> c(rows, m, m);
        SUCCEEDS(context, gemm(E{}, context, rows, N, T, m, m, k, &one, a.p(), a.ld, a.p(), a.ld, &zero, c.p(), c.ld));
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < m; ++j) ASSERT_TRUE(same_bits(c(i, j), c(j, i))) << mode;
      }
  });
}

// portBLAS#240: a batch with alpha = 0 scaled its first matrix alone. Tensile#269, MatX#474: stride 0 for one operand
// of all. CLBlast#346 and #578: a stride of 0 for the results lost products; results must not coincide here.
TEST(PublicReports, PortBlas240AndTensile269Batches) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E one = 1, two = 2, a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, 1};
    const E* const nothing = nullptr;
    for (const std::string& mode : products) {
      api::Context context(mode);
      const auto batch = [&](E alpha, const E* pa, std::int64_t stride_a, E beta, std::int64_t stride_c, E* c,
                             std::int64_t count) {
        return gemm_strided_batched(E{}, context, columns, N, N, 1, 2, 2, &alpha, pa, 1, stride_a, pa ? b : nothing, 2,
                                    0, &beta, c, 1, stride_c, count);
      };
      std::vector<E> c = {1, 2, 3, 4, 5, 6, 7};
      SUCCEEDS(context, batch(zero, nothing, 2, two, 2, c.data(), 3));
      EXPECT_TRUE(equal(c, {2, 4, 6, 8, 10, 12, 7})) << mode;
      SUCCEEDS(context, batch(one, a, 2, zero, 2, c.data(), 3));  // (a0 a1) (1 2; 0 1) = (a0, 2 a0 + a1)
      EXPECT_TRUE(equal(c, {1, 4, 3, 10, 5, 16, 7})) << mode;
      SUCCEEDS(context, batch(one, a, 0, zero, 2, c.data(), 3));
      EXPECT_TRUE(equal(c, {1, 4, 1, 4, 1, 4, 7})) << mode;
      const std::vector<E> before = c;
      EXPECT_EQ(batch(one, a, 2, zero, 0, c.data(), 3), ACCUBLAS_ERROR_ARGUMENT) << mode;
      EXPECT_NE(context.error().find("stride_c"), std::string::npos) << context.error();
      SUCCEEDS(context, batch(one, nothing, 2, zero, 0, nullptr, 0));
      SUCCEEDS(context,
               gemm_batched(E{}, context, columns, N, N, 1, 2, 2, &one, nullptr, 1, nullptr, 2, &zero, nullptr, 1, 0));
      EXPECT_TRUE(equal(c, before)) << mode;
    }
  });
}
