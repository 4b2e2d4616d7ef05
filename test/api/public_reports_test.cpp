// Public reports about level 1 and level 2 of other libraries, each as a test with the right value. A test says the
// project, the number and what went wrong there. Values are integers that every mode computes exactly, hexadecimal
// numbers derived in a comment, or sums of integers that the test makes itself.

#include "public_reports.hpp"

using namespace reports;

// OpenBLAS#929, rocBLAS#538, portBLAS#237, Julia#6096: gemv with beta = 0 left a NaN of y. Zeros times zeros are +0.
TEST(PublicReports, OpenBlas929AndRocBlas538GemvWithBetaZero) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E one = 1;
    for (const std::string& mode : products) {
      api::Context context(mode);
      for (std::size_t n : {1, 5, 64, 65})
        for (accublas_transpose op : {N, T, H})
          for (const E bad : {quiet_nan<E>, infinity<E>}) {
            const std::vector<E> a(n * n, zero), x(n, zero);
            std::vector<E> y(n, bad);
            const std::int64_t size = std::int64_t(n);
            SUCCEEDS(context, gemv(E{}, context, columns, op, size, size, &one, a.data(), size, x.data(), 1, &zero,
                                   y.data(), 1));
            for (const E& element : y) ASSERT_TRUE(same_bits(element, zero)) << mode << " " << n << " " << op;
          }
    }
  });
}

// OpenBLAS#746 and #750: a NaN that an earlier call had left in a buffer or a register reached a finite product.
TEST(PublicReports, OpenBlas746And750NaNOfTheCallBefore) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    constexpr std::int64_t m = 59, n = 50;
    Integers integers(3);
    Matrix<E> a(columns, m, n), poison(columns, m, n);
    a.fill(integers, 9);
    std::fill(poison.data.begin(), poison.data.end(), quiet_nan<E>);
    const std::vector<E> poisoned(m, quiet_nan<E>);
    const E one = 1;
    for (const std::string& mode : products) {
      api::Context context(mode);
      for (accublas_transpose op : {N, T, H}) {
        const std::int64_t outputs = op == N ? m : n, terms = op == N ? n : m;
        std::vector<E> x(static_cast<std::size_t>(terms)), y(static_cast<std::size_t>(outputs)), wanted = y, trash = y;
        for (E& element : x) element = integers.get<E>(9);
        for (std::int64_t i = 0; i < outputs; ++i)
          for (std::int64_t p = 0; p < terms; ++p)
            wanted[static_cast<std::size_t>(i)] += a.of(op, i, p) * x[static_cast<std::size_t>(p)];
        SUCCEEDS(context, gemv(E{}, context, columns, op, m, n, &one, poison.p(), poison.ld, poisoned.data(), 1, &zero,
                               trash.data(), 1));
        SUCCEEDS(context, gemv(E{}, context, columns, op, m, n, &one, a.p(), a.ld, x.data(), 1, &zero, y.data(), 1));
        EXPECT_TRUE(equal(y, wanted)) << mode << " " << op;
        E result = 0;
        SUCCEEDS(context, dot(E{}, context, n, poisoned.data(), 1, poisoned.data(), 1, &result));
        const E x2[] = {1, 0};
        SUCCEEDS(context, dot(E{}, context, 2, x2, 1, x2, 1, &result));
        EXPECT_EQ(result, one) << mode;
      }
    }
  });
}

// OpenBLAS#1004: the leading dimension of a row-major matrix is at least its number of columns, and sgemv took less
// without a word. (1 2; 3 4; 5 6) times (1, 2) is (5, 11, 17).
TEST(PublicReports, OpenBlas1004LeadingDimensionOfRowMajorGemv) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E a[] = {1, 2, 3, 4, 5, 6}, x[] = {1, 2}, one = 1;
    for (const std::string& mode : products) {
      api::Context context(mode);
      std::vector<E> y(3, quiet_nan<E>);
      const std::vector<E> before = y;
      EXPECT_EQ(gemv(E{}, context, rows, N, 3, 2, &one, a, 1, x, 1, &zero, y.data(), 1), ACCUBLAS_ERROR_ARGUMENT);
      EXPECT_NE(context.error().find("lda"), std::string::npos) << context.error();
      EXPECT_TRUE(equal(y, before));
      SUCCEEDS(context, gemv(E{}, context, rows, N, 3, 2, &one, a, 2, x, 1, &zero, y.data(), 1));
      EXPECT_TRUE(equal(y, {5, 11, 17})) << mode;
    }
  });
}

// LAPACK#1374 and BLIS#951: row-major gemv with a conjugate transpose of no rows never returned, and changed signs in
// y.
TEST(PublicReports, Lapack1374AndBlis951ConjugateTransposeOfNoRows) {
  for_types<Z, C>([](auto zero) {
    using E = decltype(zero);
    const E one = 1, x[] = {{1, 2}};
    for (const std::string& mode : products) {
      api::Context context(mode);
      for (accublas_layout layout : {rows, columns})
        for (std::int64_t incy : {1, -1}) {
          std::vector<E> y = {{1, 2}, {3, 4}};
          const std::vector<E> before = y;
          SUCCEEDS(context, gemv(E{}, context, layout, H, 0, 2, &one, static_cast<const E*>(nullptr), 2, x, 1, &zero,
                                 y.data(), incy));
          EXPECT_TRUE(equal(y, before)) << mode;
        }
    }
  });
}

// OpenBLAS#154 and #340: gemv with more than 2^22 and 2^23 numbers in a line ran over a buffer. Matrices of one number.
TEST(PublicReports, OpenBlas154And340GemvOfLongLines) {
  constexpr std::int64_t n = (1 << 22) + 1;
  const std::vector<float> ones(n, 1);
  for (const char* mode : {"dp", "dot2", "cr"}) {
    api::Context context(mode);
    const float one = 1, zero = 0;
    float y[] = {-1, -1};
    SUCCEEDS(context, accublas_sgemv_strided(context, 2, n, &one, &one, 0, 0, ones.data(), 1, &zero, y, 1));
    EXPECT_EQ(y[0], static_cast<float>(n)) << mode;
    EXPECT_EQ(y[1], static_cast<float>(n)) << mode;
    SUCCEEDS(context, accublas_sgemv(context, columns, T, n, 1, &one, ones.data(), n, ones.data(), 1, &zero, y, 1));
    EXPECT_EQ(y[0], static_cast<float>(n)) << mode;
  }
}

// OpenBLAS#1388: ssymv of order 12 was wrong in its first elements. stdBLAS#278: hemv read imaginary parts of the
// diagonal.
TEST(PublicReports, OpenBlas1388AndStdBlas278SymvOfSmallOrders) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E one = 1;
    for (const std::string& mode : products) {
      api::Context context(mode);
      Integers integers(4);
      for (accublas_layout layout : {columns, rows})
        for (accublas_uplo uplo : {U, L})
          for (std::int64_t n = 1; n <= 20; ++n) {
            Matrix<E> a(layout, n, n), full(layout, n, n);
            std::vector<E> x(static_cast<std::size_t>(n)), y(x.size(), quiet_nan<E>), wanted(x.size());
            for (E& element : x) element = integers.get<E>(9);
            for (std::int64_t i = 0; i < n; ++i)
              for (std::int64_t j = i; j < n; ++j) {
                E element = integers.get<E>(9);
                if (i == j) element = std::real(element);
                full(i, j) = element;
                full(j, i) = conjugate(element);
                const bool upper = uplo == U;
                a(upper ? i : j, upper ? j : i) = full(upper ? i : j, upper ? j : i);
                if constexpr (is_complex<E>)
                  if (i == j) a(i, i) = E(std::real(element), quiet_nan<Real<E>>);
              }
            for (std::int64_t i = 0; i < n; ++i)
              for (std::int64_t j = 0; j < n; ++j)
                wanted[static_cast<std::size_t>(i)] += full(i, j) * x[static_cast<std::size_t>(j)];
            SUCCEEDS(context, symv(E{}, context, layout, uplo, n, &one, a.p(), a.ld, x.data(), 1, &zero, y.data(), 1));
            ASSERT_TRUE(equal(y, wanted)) << mode << " " << layout << " " << uplo << " " << n;
          }
    }
  });
}

// OpenBLAS#1332: dtrmv was wrong for some orders up to 64 with lda = 64.
TEST(PublicReports, OpenBlas1332TrmvOfEveryOrderUpTo64) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    for (const std::string& mode : products) {
      api::Context context(mode);
      Integers integers(5);
      for (std::int64_t n = 1; n <= 64; n += n < 18 ? 1 : 23)
        for (accublas_uplo uplo : {U, L})
          for (accublas_transpose op : {N, T, H})
            for (accublas_diag diag : {ACCUBLAS_NON_UNIT, ACCUBLAS_UNIT}) {
              const Matrix<E> a = triangle<E>(columns, uplo, diag, n, integers), full = whole(a, uplo, diag);
              std::vector<E> x(static_cast<std::size_t>(n)), wanted(x.size());
              for (E& element : x) element = integers.get<E>(9);
              for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j < n; ++j)
                  wanted[static_cast<std::size_t>(i)] += full.of(op, i, j) * x[static_cast<std::size_t>(j)];
              SUCCEEDS(context, trmv(E{}, context, columns, uplo, op, diag, n, a.p(), a.ld, x.data(), 1));
              ASSERT_TRUE(equal(x, wanted)) << mode << " " << n << " " << uplo << " " << op << " " << diag;
            }
    }
  });
}

// OpenBLAS#492: zsyr took a vector of increment -3 from its wrong end. gonum#192: zher and a diagonal that is not real.
TEST(PublicReports, OpenBlas492AndGonum192SyrWithANegativeIncrement) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const Real<E> two = 2;
    std::vector<E> x(10, quiet_nan<E>);
    std::vector<E> elements = {1, 3, 5, 7};  // in the order in which the increment takes them
    if constexpr (is_complex<E>) elements = {E(1, 2), E(3, 4), E(5, 6), E(7, 8)};
    for (std::size_t i = 0; i < 4; ++i) x[9 - 3 * i] = elements[i];
    for (const std::string& mode : sums) {
      api::Context context(mode);
      for (accublas_layout layout : {columns, rows})
        for (accublas_uplo uplo : {U, L}) {
          Matrix<E> a(layout, 4, 4);
          for (std::int64_t i = 0; i < 4; ++i)
            for (std::int64_t j = 0; j < 4; ++j)
              if (i == j || (i < j) == (uplo == U)) a(i, j) = static_cast<Real<E>>(i + j);
          Matrix<E> wanted = a;
          for (std::int64_t i = 0; i < 4; ++i) {
            for (std::int64_t j = 0; j < 4; ++j)
              if (i == j || (i < j) == (uplo == U))
                wanted(i, j) +=
                    two * elements[static_cast<std::size_t>(i)] * conjugate(elements[static_cast<std::size_t>(j)]);
            if constexpr (is_complex<E>) a(i, i) = E(std::real(a(i, i)), quiet_nan<Real<E>>);
          }
          SUCCEEDS(context, syr(E{}, context, layout, uplo, 4, &two, x.data(), -3, a.p(), a.ld));
          EXPECT_TRUE(equal(a.data, wanted.data)) << mode << " " << layout << " " << uplo;
        }
    }
  });
}

// OpenBLAS#402: row-major ger of a 2 x 1 matrix with lda = 3 left its second row.
TEST(PublicReports, OpenBlas402RowMajorGerOfAColumn) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E one = 1;
    Integers integers(6);
    for (const std::string& mode : sums) {
      api::Context context(mode);
      for (accublas_layout layout : {rows, columns})
        for (std::int64_t m : {1, 2, 3, 7})
          for (std::int64_t n : {1, 2, 5}) {
            std::vector<E> x(static_cast<std::size_t>(m)), y(static_cast<std::size_t>(n));
            for (E& element : x) element = integers.get<E>(9);
            for (E& element : y) element = integers.get<E>(9);
            Matrix<E> a(layout, m, n);
            a.fill(integers, 9);
            Matrix<E> plain = a, conjugated = a;
            for (std::int64_t i = 0; i < m; ++i)
              for (std::int64_t j = 0; j < n; ++j) {
                plain(i, j) += x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(j)];
                conjugated(i, j) += x[static_cast<std::size_t>(i)] * conjugate(y[static_cast<std::size_t>(j)]);
              }
            Matrix<E> result = a;
            SUCCEEDS(context, ger(E{}, context, layout, m, n, &one, x.data(), 1, y.data(), 1, result.p(), a.ld));
            EXPECT_TRUE(equal(result.data, plain.data)) << mode << " " << layout << " " << m << " " << n;
            if constexpr (is_complex<E>) {
              result = a;
              SUCCEEDS(context, gerc(E{}, context, layout, m, n, &one, x.data(), 1, y.data(), 1, result.p(), a.ld));
              EXPECT_TRUE(equal(result.data, conjugated.data)) << mode << " " << layout << " " << m << " " << n;
            }
          }
    }
  });
}
