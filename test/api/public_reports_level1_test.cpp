// Reports in public trackers about DOT, NRM2 and ASUM: what users saw of other libraries does not happen here.

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
