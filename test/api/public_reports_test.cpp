// Public reports about level 1 and level 2 of other libraries, each as a test with the right value. A test says the
// project, the number and what went wrong there. Values are integers that every mode computes exactly, hexadecimal
// numbers derived in a comment, or sums of integers that the test makes itself.
#include "public_reports.hpp"

using namespace reports;

// OpenBLAS#28: dsdot of one product returned -5.97e-24 in place of -2.39e-3. OpenBLAS#1472: dsdot added in single
// precision. A product of two single-precision numbers has at most 48 bits and is a double-precision number; 2^24 + 1
// is one too.
TEST(PublicReports, OpenBlas28And1472DsdotIsInDoublePrecision) {
  for (const std::string& mode : defined_sums) {
    api::Context context(mode);
    const float x = 0.172555164f, y = -0.0138700781f, sum[] = {0x1p24f, 1}, ones[] = {1, 1}, sb = 1;
    double result = 0;
    SUCCEEDS(context, accublas_dsdot(context, 1, &x, 1, &y, 1, &result));
    EXPECT_EQ(result, static_cast<double>(x) * static_cast<double>(y)) << mode;
    SUCCEEDS(context, accublas_dsdot(context, 2, sum, 1, ones, 1, &result));
    EXPECT_EQ(result, 0x1.000001p24) << mode;
    // sdsdot: 1 + 2^24 + 1 is a number of single precision, which no order of additions in it finds.
    float single = 0;
    SUCCEEDS(context, accublas_sdsdot(context, 2, &sb, sum, 1, ones, 1, &single));
    EXPECT_EQ(single, 0x1.000002p24f) << mode;
  }
}

// OpenBLAS#522: sdot of the same terms gave another result with another number of leading zeros. The terms are
// multiples of 2^-46 below 2^14, so that 64-bit integers hold the sum.
TEST(PublicReports, OpenBlas522LeadingZerosChangeNoBitOfSdot) {
  const float x[] = {-28, 0, 41, -15, 0, 20, -55.744289f, -76.930283f};
  const float y[] = {-54.654705f, 0, 23.670898f, -4.533447f, 0, 79.964569f, -65.6026f, -4};
  std::int64_t sum = 0;
  for (int i = 0; i < 8; ++i) sum += scaled(x[i], 20) * scaled(y[i], 21);
  const float wanted = std::ldexp(static_cast<float>(sum), -41);
  for (const std::string& mode : defined) {
    api::Context context(mode);
    for (std::size_t zeros = 0; zeros <= 40; ++zeros) {
      std::vector<float> u(zeros, 0), v(zeros, 0);
      u.insert(u.end(), x, x + 8);
      v.insert(v.end(), y, y + 8);
      float result = 0;
      SUCCEEDS(context, accublas_sdot(context, std::int64_t(u.size()), u.data(), 1, v.data(), 1, &result));
      ASSERT_EQ(result, wanted) << mode << " " << zeros;
    }
  }
}

// OpenBLAS#189: sdot of 11 elements read a NaN behind them. OpenBLAS#171 and #4013: gemv read beside its vectors.
TEST(PublicReports, OpenBlas189And171And4013NaNBesideTheOperands) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    for (const std::string& mode : products) {
      api::Context context(mode);
      for (std::int64_t n = 1; n <= 35; ++n) {
        std::vector<E> x(static_cast<std::size_t>(n + 2), quiet_nan<E>), y = x;
        std::fill_n(x.begin() + 1, n, E(2));
        std::fill_n(y.begin() + 1, n, E(3));
        E result = -1;
        SUCCEEDS(context, dot(E{}, context, n, x.data() + 1, 1, y.data() + 1, 1, &result));
        ASSERT_EQ(result, E(static_cast<Real<E>>(6 * n))) << mode << " " << n;
        for (accublas_layout layout : {columns, rows})
          for (accublas_transpose op : {N, T, H}) {
            Matrix<E> a(layout, op == N ? 3 : n, op == N ? n : 3);
            for (std::int64_t i = 0; i < a.rows; ++i)
              for (std::int64_t j = 0; j < a.cols; ++j) a(i, j) = 1;
            std::vector<E> out(5, quiet_nan<E>), wanted = out;
            std::fill_n(wanted.begin() + 1, 3, E(static_cast<Real<E>>(2 * n)));
            const E one = 1;
            SUCCEEDS(context, gemv(E{}, context, layout, op, a.rows, a.cols, &one, a.p(), a.ld, x.data() + 1, 1, &zero,
                                   out.data() + 1, 1));
            ASSERT_TRUE(equal(out, wanted)) << mode << " " << n << " " << layout << " " << op;
          }
      }
    }
  });
}

// OpenBLAS#1326: sdot of more than 2^24 ones stopped growing. 2^24 + 3 lies between 2^24 + 2 and 2^24 + 4, and the even
// significand is that of 2^24 + 4.
TEST(PublicReports, OpenBlas1326SdotOfMoreThan2To24Ones) {
  for (const std::string& mode : defined) {
    api::Context context(mode);
    const float one = 1;
    float result = 0;
    SUCCEEDS(context, accublas_sdot(context, (1 << 24) + 3, &one, 0, &one, 0, &result));
    EXPECT_EQ(result, 0x1.000004p24f) << mode;
  }
}

// OpenBLAS#317: ddot's result depended on the alignment of its operands.
TEST(PublicReports, OpenBlas317AlignmentChangesNoBitOfDdot) {
  constexpr std::int64_t n = 1000;
  std::mt19937 random(1);
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 60));
    y[i] = std::ldexp(static_cast<double>(random()) - 0x1p31, static_cast<int>(random() % 60));
  }
  for (const std::string& mode : defined) {
    api::Context context(mode);
    double first = 0;
    SUCCEEDS(context, accublas_ddot(context, n, x.data(), 1, y.data(), 1, &first));
    for (std::size_t offset = 0; offset < 64; ++offset) {
      std::vector<double> u(n + 8), v(n + 8);
      double* const at_u = u.data() + offset % 8;
      double* const at_v = v.data() + offset / 8;
      std::copy(x.begin(), x.end(), at_u);
      std::copy(y.begin(), y.end(), at_v);
      double result = 0;
      SUCCEEDS(context, accublas_ddot(context, n, at_u, 1, at_v, 1, &result));
      ASSERT_TRUE(same_bits(result, first)) << mode << " " << offset;
    }
  }
}

// rocBLAS#129: dot returned without a result for negative increments.
TEST(PublicReports, RocBlas129DotWithNegativeIncrements) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E x[] = {1, 2, 3, 4}, y[] = {10, -1, 20, -1, 30, -1, 40};
    const struct {
      std::int64_t incx, incy;
      Real<E> wanted;
    } cases[] = {{1, 2, 300}, {-1, 2, 200}, {1, -2, 200}, {-1, -2, 300}};
    for (const std::string& mode : products) {
      api::Context context(mode);
      for (const auto& one : cases) {
        E result = -1;
        SUCCEEDS(context, dot(E{}, context, 4, x, one.incx, y, one.incy, &result));
        EXPECT_EQ(result, E(one.wanted)) << mode << " " << one.incx << " " << one.incy;
      }
    }
  });
}

// OpenBLAS#768: real and imaginary part of dotu and dotc were exchanged. conj(1 - i)(2 - 2i) + conj(-3 + 3i)(4 - 4i) =
// 4 - 24, and without conjugation -4i + 24i. OpenBLAS#2837: dotc(y, x) was not the conjugate of dotc(x, y).
TEST(PublicReports, OpenBlas768And2837PartsOfComplexDot) {
  for_types<Z, C>([](auto zero) {
    using E = decltype(zero);
    const E x[] = {{1, -1}, {-3, 3}}, y[] = {{2, -2}, {4, -4}};
    for (const std::string& mode : products) {
      api::Context context(mode);
      E result;
      SUCCEEDS(context, dotc(E{}, context, 2, x, 1, y, 1, &result));
      EXPECT_EQ(result, E(-20, 0)) << mode;
      SUCCEEDS(context, dot(E{}, context, 2, x, 1, y, 1, &result));
      EXPECT_EQ(result, E(0, 20)) << mode;
    }
    std::mt19937 random(2);
    std::vector<E> u(16), v(16);
    const auto number = [&] {
      return static_cast<Real<E>>(std::ldexp(static_cast<double>(random()), -32)) - Real<E>(0.5);
    };
    for (std::vector<E>* const vector : {&u, &v})
      for (E& element : *vector) {
        const Real<E> re = number();
        element = E(re, number());
      }
    for (const char* mode :
         {"dp:repro", "fixed:60", "cr"}) {  // dot2 adds the terms of the imaginary parts in another order
      api::Context context(mode);
      E uv, vu;
      SUCCEEDS(context, dotc(E{}, context, 16, u.data(), 1, v.data(), 1, &uv));
      SUCCEEDS(context, dotc(E{}, context, 16, v.data(), 1, u.data(), 1, &vu));
      EXPECT_EQ(uv, std::conj(vu)) << mode;
    }
  });
}

// OpenBLAS#4326: scasum left out some components and added others twice on AVX-512 cores, where n is no multiple of 8.
TEST(PublicReports, OpenBlas4326AsumOfEveryLength) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    for (const std::string& mode : sums) {
      api::Context context(mode);
      Integers integers(16);
      for (std::int64_t n = 1; n <= 70; ++n)
        for (std::int64_t inc : {1, -1, 2}) {
          std::vector<E> x(static_cast<std::size_t>(n * std::abs(inc) + 1), quiet_nan<E>);
          Real<E> wanted = 0;
          for (std::int64_t i = 0; i < n; ++i) {
            const E element = integers.get<E>(9);
            x[static_cast<std::size_t>(i * std::abs(inc))] = element;
            wanted += std::abs(std::real(element)) + std::abs(std::imag(element));
          }
          Real<E> result = 0;
          SUCCEEDS(context, asum(E{}, context, n, x.data(), inc, &result));
          ASSERT_EQ(result, wanted) << mode << " " << n << " " << inc;
        }
    }
  });
}

// OpenBLAS#946, #2998 and #3052: nrm2 of zeros and one infinity was NaN.
TEST(PublicReports, OpenBlas946And2998NormOfAnInfinity) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    for (const std::string& mode : sums) {
      api::Context context(mode);
      for (std::size_t n : {1, 2, 7, 100})
        for (std::size_t where : {std::size_t(0), n / 2, n - 1}) {
          std::vector<E> x(n, zero);
          x[where] = -infinity<E>;
          Real<E> result = 0;
          SUCCEEDS(context, nrm2(E{}, context, std::int64_t(n), x.data(), 1, &result));
          EXPECT_EQ(result, infinity<Real<E>>) << mode << " " << n << " " << where;
        }
    }
  });
}

// OpenBLAS#3679: dnrm2 of numbers near 7.5e-310 was infinite, as its reciprocal is. BLIS#332: snrm2 of 2e20 and of
// 2e-28 overflowed and underflowed. The norm of one number is its magnitude; 3, 4 and 5 make a right triangle.
TEST(PublicReports, OpenBlas3679AndBlis332NormsWithoutOverflowAndUnderflow) {
  for (const std::string& mode : defined_sums) {
    api::Context context(mode);
    for (double x : {7.457008414e-310, 0x1p-1074, 2e-170, 2e170, 0x1.fffffffffffffp1023}) {
      double result = 0;
      SUCCEEDS(context, accublas_dnrm2(context, 1, &x, 1, &result));
      EXPECT_EQ(result, x) << mode;
      const double several[] = {0, x, -0.0};
      SUCCEEDS(context, accublas_dnrm2(context, 3, several, 1, &result));
      EXPECT_EQ(result, x) << mode;
    }
    for (float x : {2e-28f, 2e20f, 0x1p-149f, 0x1.fffffep127f}) {
      float result = 0;
      SUCCEEDS(context, accublas_snrm2(context, 1, &x, 1, &result));
      EXPECT_EQ(result, x) << mode;
    }
    for (int e : {-1074, -540, 0, 530, 1021}) {
      const double legs[] = {std::ldexp(3, e), std::ldexp(-4, e)};
      double result = 0;
      SUCCEEDS(context, accublas_dnrm2(context, 2, legs, 1, &result));
      EXPECT_EQ(result, std::ldexp(5, e)) << mode << " " << e;
      SUCCEEDS(context, accublas_dznrm2(context, 1, legs, 1, &result));
      EXPECT_EQ(result, std::ldexp(5, e)) << mode << " " << e;
    }
  }
}

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
