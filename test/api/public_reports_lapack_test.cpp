// Public reports about LAPACK's routines in other libraries, each as a test with the right value.

#include "public_reports.hpp"

using namespace reports;

// OpenBLAS#671, #723 and #624, LAPACK#763 and its PR#1416: LU of a matrix with NaN took rows that it does not have,
// getri went on with them, and a NaN was no pivot, or one by its place.
TEST(PublicReports, OpenBlas671And624PivotsThatAreNaN) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    for (const std::string& mode : factorizations) {
      api::Context context(mode);
      for (std::size_t n : {1, 2, 8, 10, 70}) {
        std::vector<E> a(n * n, quiet_nan<E>);
        std::vector<std::int64_t> pivots(n, -1);
        const std::int64_t size = std::int64_t(n);
        std::int64_t info = -1;
        SUCCEEDS(context, getrf(E{}, context, columns, size, size, a.data(), size, pivots.data(), &info));
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_GE(pivots[i], static_cast<std::int64_t>(i) + 1) << mode << " " << n;
          ASSERT_LE(pivots[i], size) << mode << " " << n;
        }
        SUCCEEDS(context, getri(E{}, context, columns, size, a.data(), size, pivots.data(), &info));
        if (mode == "dp") continue;  // OpenBLAS's SSCAL by NaN makes zeros
        for (const E& element : a) ASSERT_TRUE(is_nan(element)) << mode << " " << n;
      }
    }
    for (const std::string& mode : defined_factorizations) {  // the first NaN is larger than every number
      api::Context context(mode);
      const struct {
        std::vector<E> column;
        std::int64_t pivot;
      } cases[] = {{{5, infinity<E>, quiet_nan<E>, 8, 9}, 3},
                   {{5, quiet_nan<E>, infinity<E>, 8, 9}, 2},
                   {{quiet_nan<E>, 0, 2}, 1},
                   {{0, quiet_nan<E>, 2}, 2},
                   {{1, infinity<E>, 2}, 2},
                   {{1, -2, 2}, 2}};
      for (const auto& one : cases) {
        std::vector<E> a = one.column;
        std::int64_t pivot = 0, info = -1;
        SUCCEEDS(context, getrf(E{}, context, columns, std::int64_t(a.size()), 1, a.data(), std::int64_t(a.size()),
                                &pivot, &info));
        EXPECT_EQ(pivot, one.pivot) << mode;
        EXPECT_EQ(info, 0) << mode;
      }
    }
  });
}

// BLIS#461 in LU: a multiplier (p - j h p) / p, 2 h the distance of the numbers below 1, by a pivot p of every power of
// two. For an odd j it lies halfway between two numbers, of which the even one is right.
TEST(PublicReports, Blis461PivotsThatArePowersOfTwo) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    using R = Real<E>;
    constexpr int digits = std::numeric_limits<R>::digits, least = std::numeric_limits<R>::min_exponent - digits;
    for (const std::string& mode : defined_factorizations) {
      api::Context context(mode);
      for (int e = least; e < std::numeric_limits<R>::max_exponent; ++e)
        for (const int j : {1, 3, 5}) {
          const R p = std::ldexp(e % 2 ? R(1) : R(-1), e), h = std::ldexp(R(1), -digits - 1);
          // By columns: (1 p 0; 0 p 0; j h p 1).
          E a[] = {1, 0, R(j) * h, p, p, p, 0, 0, 1};
          std::int64_t pivots[3] = {}, info = -1;
          SUCCEEDS(context, getrf(E{}, context, columns, 3, 3, a, 3, pivots, &info));
          ASSERT_EQ(info, 0) << mode << " " << e;
          ASSERT_EQ(pivots[1], 2) << mode << " " << e;
          ASSERT_EQ(a[5], E(R(1) - R((j + 1) / 4 * 2) * 2 * h)) << std::hexfloat << mode << " " << e << " " << j;
        }
    }
  });
}

// SLATE#111, OpenBLAS#4505 and #2097: which pivot is zero was not told, or another one. Where no number is rounded info
// is the first such column in every mode.
TEST(PublicReports, Slate111AndOpenBlas4505InfoOfSingularMatrices) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    constexpr std::int64_t n = 67;
    for (const std::string& mode : factorizations) {
      api::Context context(mode);
      const auto info_of = [&](std::vector<E> a) {
        std::vector<std::int64_t> pivots(n);
        std::int64_t info = -1;
        EXPECT_EQ(getrf(E{}, context, columns, n, n, a.data(), n, pivots.data(), &info), ACCUBLAS_SUCCESS)
            << context.error();
        return info;
      };
      std::vector<E> a(n * n, zero);
      EXPECT_EQ(info_of(a), 1) << mode;
      for (std::size_t i = 0; i < n; ++i) a[i * (n + 1)] = 3;
      EXPECT_EQ(info_of(a), 0) << mode;
      for (std::size_t column : {0, 1, 13, 66}) {
        std::vector<E> singular = a;
        singular[column * (n + 1)] = 0;
        EXPECT_EQ(info_of(singular), static_cast<std::int64_t>(column) + 1) << mode;
      }
      EXPECT_EQ(info_of(std::vector<E>(n * n, E(1))), 2) << mode;
    }
  });
}

// OpenBLAS#610: rows 1 + 2 times row 2 looked singular by rounding in one build and not in the next. Definition of
// `cr`: l = RN(0.4), RN(0.2); v = 10 - 25 RN(0.4) = -25 * 0.4 * 2^-54 = -10 2^-54 is the pivot and not zero; half of it
// stands above, so l = 0.5; the last pivot is 7 - RN(0.2) - u / 2 with u = RN(-3 - RN(0.4)), in units of 2^-55 here.
TEST(PublicReports, OpenBlas610PivotThatRoundingLeaves) {
  for (const std::string& mode : defined_factorizations) {
    api::Context context(mode);
    double a[] = {1, 5, 7, 2, 10, -3, 5, 25, 1};
    std::int64_t pivots[3], info = -1;
    SUCCEEDS(context, accublas_dgetrf(context, rows, 3, 3, a, 3, pivots, &info));
    EXPECT_EQ(info, 0) << mode;
    EXPECT_EQ(pivots[0], 3);
    EXPECT_EQ(pivots[1], 2);
    const double u = -3 - 0.4;
    const double last = std::ldexp(static_cast<double>(scaled(7, 55) - scaled(0.2, 55) - scaled(u / 2, 55)), -55);
    const double wanted[] = {5, 25, 1, 0.4, -0x1.4p-51, u, 0.2, 0.5, last};
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(a[i], wanted[i]) << mode << " " << i;
  }
}

// OpenBLAS#3924 (numpy#22025): LU of (0 a; a 0) with a below 1e-305 lost L's diagonal block, as 1 / a is infinite.
TEST(PublicReports, OpenBlas3924LuOfTinyNumbers) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const Real<E> least = std::numeric_limits<Real<E>>::denorm_min();
    for (const std::string& mode : defined_factorizations) {
      api::Context context(mode);
      for (const Real<E> tiny : {least, 8 * least, std::numeric_limits<Real<E>>::min()}) {
        std::vector<E> a = {zero, E(tiny), E(tiny), zero};
        std::int64_t pivots[2], info = -1;
        SUCCEEDS(context, getrf(E{}, context, columns, 2, 2, a.data(), 2, pivots, &info));
        EXPECT_TRUE(equal(a, {E(tiny), zero, zero, E(tiny)})) << mode << " " << tiny;
        EXPECT_EQ(pivots[0], 2);
        EXPECT_EQ(pivots[1], 2);
        EXPECT_EQ(info, 0);
        a = {E(8 * tiny), E(2 * tiny), E(4 * tiny), E(4 * tiny)};  // l = 1/4, u = 4 - 4/4
        SUCCEEDS(context, getrf(E{}, context, columns, 2, 2, a.data(), 2, pivots, &info));
        EXPECT_TRUE(equal(a, {E(8 * tiny), E(0.25), E(4 * tiny), E(3 * tiny)})) << mode << " " << tiny;
      }
    }
  });
}

// gonum/lapack#25, scipy#7891: getrs of a transposed or conjugated system. P A = L U with multiples of 1/2 in L and
// powers of two on U's diagonal, so that integers are found exactly.
TEST(PublicReports, Scipy7891SolutionsOfTransposedSystems) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E one = 1;
    for (accublas_layout layout : {columns, rows})
      for (std::int64_t n : {1, 2, 9, 40}) {
        Integers integers(13);
        Matrix<E> l(layout, n, n), u(layout, n, n), pa(layout, n, n), a(layout, n, n), x(layout, n, 3);
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            l(i, j) = i == j ? one : i > j ? integers.get<Real<E>>(1) * Real<E>(0.5) : zero;
            u(i, j) = i == j ? E(i % 2 ? -4 : 4) : i < j && j < i + 3 ? integers.get<E>(2) * Real<E>(2) : zero;
          }
        pa = product(one, N, l, N, u, zero, pa, everywhere);
        for (std::int64_t i = 0; i < n; ++i)  // rows in another order
          for (std::int64_t j = 0; j < n; ++j) a((i * 7 + 3) % n, j) = pa(i, j);
        if (n % 7 == 0) FAIL() << "the order of rows has to be one";
        x.fill(integers, 3);
        for (const std::string& mode : factorizations) {
          api::Context context(mode);
          Matrix<E> factors = a;
          std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
          std::int64_t info = -1;
          SUCCEEDS(context, getrf(E{}, context, layout, n, n, factors.p(), a.ld, pivots.data(), &info));
          ASSERT_EQ(info, 0);
          for (accublas_transpose op : {N, T, H}) {
            Matrix<E> b = product(one, op, a, N, x, zero, x, everywhere);
            SUCCEEDS(context, getrs(E{}, context, layout, op, n, 3, factors.p(), a.ld, pivots.data(), b.p(), b.ld));
            EXPECT_TRUE(equal(b.data, x.data)) << mode << " " << layout << " " << op << " " << n;
          }
        }
      }
  });
}

// OpenBLAS#695: cpotrf gave NaN after a zpotrs of other data.
TEST(PublicReports, OpenBlas695FactorizationAfterAnotherCall) {
  constexpr std::int64_t n = 10;
  Integers integers(14);
  std::vector<C> a(n * n);
  for (C& element : a) element = integers.get<C>(9);
  for (std::size_t i = 0; i < n; ++i) a[i * (n + 1)] = 200;
  for (const std::string& mode : factorizations) {
    api::Context context(mode);
    std::vector<C> first = a, second = a;
    std::vector<Z> other(n * n, api::nan_value<double>), b(n, 1);
    std::int64_t info = -1;
    SUCCEEDS(context, accublas_cpotrf(context, columns, U, n, first.data(), n, &info));
    EXPECT_EQ(info, 0);
    SUCCEEDS(context, accublas_zpotrs(context, columns, U, n, 1, other.data(), n, b.data(), n));
    SUCCEEDS(context, accublas_cpotrf(context, columns, U, n, second.data(), n, &info));
    EXPECT_EQ(info, 0);
    EXPECT_TRUE(equal(second, first)) << mode;
  }
}

// LAPACK#934 and #938: a reflector of (e^2, e^4), and of (e^4, 2 e^5), e = 2^-23, overflowed on the way. Their norms
// round to their first elements s, so that r = -s, tau = 2 and v = x / (2 s): 2^-47, and e. rocm-libraries#8168,
// num.zig#3, LAPACK#1365: a first element of zero, or a column of zeros, gave NaN. (0, 3, 4) has r = -5, tau = 1, v =
// (3/5, 4/5).
TEST(PublicReports, Lapack934And938Reflectors) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    using R = Real<E>;
    for (const std::string& mode : defined_factorizations) {
      api::Context context(mode);
      const auto reflect = [&](std::vector<E> x, const std::vector<E>& wanted, E wanted_tau) {
        E tau = quiet_nan<E>;
        const std::int64_t n = std::int64_t(x.size());
        EXPECT_EQ(geqrf(E{}, context, columns, n, 1, x.data(), n, &tau), ACCUBLAS_SUCCESS) << context.error();
        EXPECT_TRUE(equal(x, wanted)) << mode << " " << x[0];
        EXPECT_EQ(tau, wanted_tau) << mode << " " << x[0];
      };
      reflect({E(R(0x1p-46)), E(R(0x1p-92))}, {E(R(-0x1p-46)), E(R(0x1p-47))}, E(2));
      if constexpr (sizeof(R) == 4)  // (2 e^4 is less than half a unit of single precision alone)
        reflect({E(R(0x1p-92)), E(R(0x1p-114))}, {E(R(-0x1p-92)), E(R(0x1p-23))}, E(2));
      reflect({zero, 3, 4}, {-5, R(3) / R(5), R(4) / R(5)}, E(1));
      reflect({zero, zero, zero}, {zero, zero, zero}, zero);
      reflect({E(-7), zero, zero}, {E(-7), zero, zero}, zero);
      reflect({E(7)}, {E(7)}, zero);
    }
  });
}

// LAPACK#122 and #1134, OpenBLAS#615: from the right the row-major interface took a wrong dimension of A. The
// reflectors I - v v^T with v = (1, -1, 0, 0, 0) and (0, 1, 0, -1, 0) exchange two columns each: C H1 H2 has the
// columns 1, 3, 2, 0, 4.
TEST(PublicReports, Lapack122And1134ReflectorsFromTheRight) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const std::int64_t order[] = {1, 3, 2, 0, 4};
    const E tau[] = {1, 1};
    for (const std::string& mode : factorizations) {
      api::Context context(mode);
      for (accublas_layout layout : {columns, rows})
        for (accublas_side side : {ACCUBLAS_LEFT, ACCUBLAS_RIGHT})
          for (bool transposed : {false, true}) {
            Integers integers(15);
            Matrix<E> a(layout, 5, 2);
            for (std::int64_t i = 0; i < 5; ++i) a(i, 0) = i == 1 ? E(-1) : i == 0 ? E(77) : zero;
            for (std::int64_t i = 0; i < 5; ++i) a(i, 1) = i == 3 ? E(-1) : i < 2 ? E(77) : zero;
            const bool left = side == ACCUBLAS_LEFT;
            Matrix<E> c(layout, left ? 5 : 3, left ? 3 : 5);
            c.fill(integers, 9);
            Matrix<E> wanted = c;
            // C Q has C's column order[j] as its column j, and Q^T C has C's row order[j] as its row j. The other two
            // products are inverse to these.
            for (std::int64_t j = 0; j < 5; ++j)
              for (std::int64_t i = 0; i < 3; ++i) {
                const bool inverse = left != transposed;
                const std::int64_t to = inverse ? order[j] : j, from = inverse ? j : order[j];
                if (left)
                  wanted(to, i) = c(from, i);
                else
                  wanted(i, to) = c(i, from);
              }
            SUCCEEDS(context, ormqr(E{}, context, layout, side, transposed ? is_complex<E> ? H : T : N, c.rows, c.cols,
                                    2, a.p(), a.ld, tau, c.p(), c.ld));
            EXPECT_TRUE(equal(c.data, wanted.data)) << mode << " " << layout << " " << side << transposed;
          }
    }
  });
}

// LAPACK#1391: A = 2^1023 I and b = (2^1023, 2^-27) have the solution (1, 2^-1050), of which gels kept (1, 0).
TEST(PublicReports, Lapack1391LeastSquaresAcrossTheRange) {
  for (const std::string& mode : defined_factorizations) {
    api::Context context(mode);
    double a[] = {0x1p1023, 0, 0, 0x1p1023}, b[] = {0x1p1023, 0x1p-27};
    std::int64_t info = -1;
    SUCCEEDS(context, accublas_dgels(context, columns, N, 2, 2, 1, a, 2, b, 2, &info));
    EXPECT_EQ(info, 0);
    EXPECT_EQ(b[0], 1) << mode;
    EXPECT_EQ(b[1], 0x1p-1050) << mode;
    double small_a[] = {0x1p-1000, 0, 0, 0x1p-1000}, small_b[] = {0x1p-1000, 0x1p20};
    SUCCEEDS(context, accublas_dgels(context, columns, N, 2, 2, 1, small_a, 2, small_b, 2, &info));
    EXPECT_EQ(small_b[0], 1) << mode;
    EXPECT_EQ(small_b[1], 0x1p1020) << mode;
  }
}

// scipy#8329: gels of a wide matrix needs as many rows of B as there are unknowns. OpenBLAS#4129 and LAPACK#258: no
// right-hand side at all.
TEST(PublicReports, Scipy8329WideLeastSquares) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const std::vector<E> a = {1, 0, 0, 2, 0, 0, 0, 0};  // (1 0 0 0; 0 2 0 0)
    for (const std::string& mode : factorizations) {
      api::Context context(mode);
      std::vector<E> factors = a, b = {3, 8, quiet_nan<E>, quiet_nan<E>};
      const std::vector<E> before = b;
      std::int64_t info = -1;
      EXPECT_EQ(gels(E{}, context, columns, N, 2, 4, 1, factors.data(), 2, b.data(), 2, &info),
                ACCUBLAS_ERROR_ARGUMENT);
      EXPECT_NE(context.error().find("ldb"), std::string::npos) << context.error();
      EXPECT_TRUE(equal(b, before));
      SUCCEEDS(context, gels(E{}, context, columns, N, 2, 4, 1, factors.data(), 2, b.data(), 4, &info));
      EXPECT_EQ(info, 0);
      EXPECT_TRUE(equal(b, {3, 4, 0, 0})) << mode;
      factors = a;
      SUCCEEDS(context, gels(E{}, context, columns, N, 2, 4, 0, factors.data(), 2, static_cast<E*>(nullptr), 4, &info));
      EXPECT_EQ(info, 0);
    }
  });
}
