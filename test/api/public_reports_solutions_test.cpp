// Reports in public trackers about TRMM and TRSM: quotients, singular triangles, and the ends of the range.
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "public_reports.hpp"

using namespace reports;

// OpenBLAS#951, #2257, #33 and #24: trmm was wrong in one of its forms. SLATE#66, kokkos-kernels#632: so was trsm,
// which changed alpha. Both with integers, and a triangle beside NaN.
TEST(PublicReports, OpenBlas951And2257EveryFormOfTrmmAndTrsm) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    const E one = 1, alpha = -2;
    Integers integers(12);
    for (auto [m, n] : {std::array<std::int64_t, 2>{10, 10}, {2, 7}, {1, 1}, {19, 3}})
      for (accublas_layout layout : {columns, rows})
        for (accublas_side side : {ACCUBLAS_LEFT, ACCUBLAS_RIGHT})
          for (accublas_uplo uplo : {U, L})
            for (accublas_transpose op : {N, T, H})
              for (accublas_diag diag : {ACCUBLAS_NON_UNIT, ACCUBLAS_UNIT}) {
                const bool left = side == ACCUBLAS_LEFT;
                // Solutions grow with the order, and single precision has to hold them.
                const Matrix<E> a = triangle<E>(layout, uplo, diag, left ? m : n, integers),
                                full = whole(a, uplo, diag);
                Matrix<E> x(layout, m, n);
                x.fill(integers, 3);
                const Matrix<E> b = left ? product(one, op, full, N, x, zero, x, everywhere)
                                         : product(one, N, x, op, full, zero, x, everywhere);
                Matrix<E> twice = b;
                for (std::int64_t i = 0; i < m; ++i)
                  for (std::int64_t j = 0; j < n; ++j) twice(i, j) *= alpha;
                for (const std::string& mode : products) {
                  api::Context context(mode);
                  Matrix<E> result = x;
                  E factor = alpha;
                  SUCCEEDS(context, trmm(E{}, context, layout, side, uplo, op, diag, m, n, &factor, a.p(), a.ld,
                                         result.p(), x.ld));
                  ASSERT_TRUE(equal(result.data, twice.data))
                      << "trmm " << mode << " " << layout << " " << side << uplo << op << diag << " " << m << " " << n;
                  if (mode == "fixed:60") continue;
                  factor = one;
                  result = b;
                  SUCCEEDS(context, trsm(E{}, context, layout, side, uplo, op, diag, m, n, &factor, a.p(), a.ld,
                                         result.p(), x.ld));
                  ASSERT_TRUE(equal(result.data, x.data))
                      << "trsm " << mode << " " << layout << " " << side << uplo << op << diag << " " << m << " " << n;
                  ASSERT_EQ(factor, one);
                }
              }
  });
}

// BLIS#461: trsm with 2^-1074 on the diagonal multiplied by its reciprocal, which is infinite. LAPACK#714: (a a a; 0 a
// a; 0 0 a) x = (a, 0, a) with the largest number a has the solution (1, -1, 1).
TEST(PublicReports, Blis461AndLapack714SolutionsAtTheEndsOfTheRange) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    using R = Real<E>;
    const E one = 1;
    const R tiny = std::numeric_limits<R>::denorm_min(), huge = std::numeric_limits<R>::max();
    for (const std::string& mode : defined_sums) {
      api::Context context(mode);
      const E a[] = {tiny, 0, 0, 0, tiny, 0, 0, 0, tiny};
      std::vector<E> b(a, a + 9);
      SUCCEEDS(context,
               trsm(E{}, context, rows, ACCUBLAS_LEFT, L, N, ACCUBLAS_NON_UNIT, 3, 3, &one, a, 3, b.data(), 3));
      EXPECT_TRUE(equal(b, {1, 0, 0, 0, 1, 0, 0, 0, 1})) << mode;
      const E upper[] = {huge, huge, huge, quiet_nan<E>, huge, huge, quiet_nan<E>, quiet_nan<E>, huge};
      std::vector<E> x = {huge, 0, huge};
      SUCCEEDS(context, trsv(E{}, context, rows, U, N, ACCUBLAS_NON_UNIT, 3, upper, 3, x.data(), 1));
      EXPECT_TRUE(equal(x, {1, -1, 1})) << mode;
    }
  });
}

/// RN(x y / 2^e) for x y of at most 53 bits.
template <class R>
R over_power_of_two(double x, double y, int e) {
  int of_x = 0, of_y = 0;
  const double product = std::frexp(x, &of_x) * std::frexp(y, &of_y);
  const int exponent = of_x + of_y - e;
  return static_cast<R>(std::ldexp(product, sizeof(R) == 8 ? exponent : std::clamp(exponent, -400, 400)));
}

// BLIS#461 again, for 2^e of every exponent on the diagonal, of either sign, real or imaginary: quotients that lie
// halfway between two numbers have a bit too many wherever they are, and the reciprocal may be infinite or subnormal.
TEST(PublicReports, Blis461PowersOfTwoOnTheDiagonal) {
  for_all_types([](auto zero) {
    using E = decltype(zero);
    using R = Real<E>;
    constexpr int digits = std::numeric_limits<R>::digits, least = std::numeric_limits<R>::min_exponent - digits,
                  most = std::numeric_limits<R>::max_exponent;
    std::mt19937_64 rng(461);
    const auto below = [&rng](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
    // An odd number of as many bits as alpha leaves at a place where its quotient by 2^e may be in range.
    const auto number = [&](int e) {
      const int bits = std::min(digits, 51) - (below(3) ? 0 : below(digits - 3));
      const double odd = static_cast<double>((rng() >> (64 - bits)) | 1 | std::uint64_t{1} << (bits - 1));
      const int at = std::clamp(e + least - bits - 2 + below(most - least + 4), least, most - bits - 1);
      return static_cast<R>(std::ldexp(odd, at) * (below(2) ? 1 : -1));
    };
    for (const std::string& mode : defined_sums) {
      api::Context context(mode);
      for (int e = least; e < most; e += sizeof(R) == 8 ? 1 + below(5) : 1) {
        const R sign = below(2) ? R(1) : R(-1), power = static_cast<R>(std::ldexp(sign, e));
        const double factor = below(2) ? 3 : -1.5;
        const E alpha = static_cast<R>(factor);
        E pivot = power, b, want, want_of_one;
        if constexpr (is_complex<E>) {
          const bool imaginary = below(2);
          if (imaginary) pivot = E(0, power);
          b = E(number(e), number(e));
          const auto over = [&](double by) {
            const R re = sign * over_power_of_two<R>(by, b.real(), e),
                    im = sign * over_power_of_two<R>(by, b.imag(), e);
            return imaginary ? E(im, -re) : E(re, im);
          };
          want = over(factor), want_of_one = over(1);
        } else {
          b = number(e);
          want = sign * over_power_of_two<R>(factor, b, e), want_of_one = sign * over_power_of_two<R>(1, b, e);
        }
        E x = b;
        SUCCEEDS(context, trsm(E{}, context, columns, below(2) ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT, below(2) ? U : L,
                               below(2) ? N : T, ACCUBLAS_NON_UNIT, 1, 1, &alpha, &pivot, 1, &x, 1));
        ASSERT_TRUE(same_bits(x, want)) << std::hexfloat << mode << " " << alpha << " " << b << " / " << pivot << ": "
                                        << x << " for " << want;
        x = b;
        SUCCEEDS(context,
                 trsv(E{}, context, rows, below(2) ? U : L, below(2) ? N : T, ACCUBLAS_NON_UNIT, 1, &pivot, 1, &x, 1));
        ASSERT_TRUE(same_bits(x, want_of_one)) << std::hexfloat << mode << " " << b << " / " << pivot;
      }
    }
  });
}

// LAPACK#1377, flang (llvm-project#76324), LAPACK#575: complex quotients over- and underflowed on the way. With M =
// 2^1023: 1.0625 M (1 + i) / (-M (1 + i)) = -1.0625; (h - h i) / (2 + 2i) = -i h / 2; tiny / tiny = 1, and by tiny i it
// is -i.
TEST(PublicReports, Lapack1377AndFlang76324ComplexQuotients) {
  for_types<Z, C>([](auto zero) {
    using E = decltype(zero);
    using R = Real<E>;
    const R m = std::ldexp(R(1), std::numeric_limits<R>::max_exponent - 1), h = std::numeric_limits<R>::max(),
            tiny = std::numeric_limits<R>::denorm_min(), small = std::numeric_limits<R>::min();
    const E cases[][3] = {{E(R(1.0625) * m, R(1.0625) * m), E(-m, -m), E(R(-1.0625), 0)},
                          {E(h, -h), E(2, 2), E(0, -h / 2)},
                          {E(tiny, 0), E(tiny, 0), E(1, 0)},
                          {E(tiny, 0), E(0, tiny), E(0, -1)},
                          {E(0, small), E(0, small), E(1, 0)},
                          {E(h, h), E(h, h), E(1, 0)},
                          {E(h, tiny), E(h, tiny), E(1, 0)}};
    for (const std::string& mode : defined_sums) {
      api::Context context(mode);
      for (const auto& [b, a, quotient] : cases) {
        E x = b;
        SUCCEEDS(context, trsv(E{}, context, columns, U, N, ACCUBLAS_NON_UNIT, 1, &a, 1, &x, 1));
        EXPECT_EQ(x, quotient) << mode << " " << b << " / " << a;
      }
    }
  });
}

// LAPACK#636 and its PR#1301: zeros on the diagonal and a column of zeros on the right gave 0 in some forms of trsm and
// NaN in others. 0 / 0 is NaN. stan#877: a NaN in the triangle gave zeros behind it.
TEST(PublicReports, Lapack636AndStan877SingularAndNaNTriangles) {
  for_types<double, float>([](auto zero) {
    using E = decltype(zero);
    const E one = 1;
    const E upper[] = {0, 1, 1, 0, 0, 1, 0, 0, 0}, lower[] = {0, 0, 0, 1, 0, 0, 1, 1, 0};  // row-major
    const struct {
      const E* a;
      accublas_uplo uplo;
      accublas_transpose op;
      std::vector<E> first;  // the solution for a column of ones, by x / 0 = Inf and Inf - Inf = NaN
    } forms[] = {{upper, U, N, {quiet_nan<E>, -infinity<E>, infinity<E>}},
                 {upper, U, T, {infinity<E>, -infinity<E>, quiet_nan<E>}},
                 {lower, L, N, {infinity<E>, -infinity<E>, quiet_nan<E>}},
                 {lower, L, T, {quiet_nan<E>, -infinity<E>, infinity<E>}}};
    for (const std::string& mode : defined_sums) {
      api::Context context(mode);
      for (const auto& form : forms) {
        std::vector<E> b = {1, 0, 1, 0, 1, 0};
        SUCCEEDS(context, trsm(E{}, context, rows, ACCUBLAS_LEFT, form.uplo, form.op, ACCUBLAS_NON_UNIT, 3, 2, &one,
                               form.a, 3, b.data(), 2));
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_TRUE(same_bits(b[2 * i], form.first[i])) << mode << " " << form.uplo << form.op << " " << i;
          EXPECT_TRUE(same_bits(b[2 * i + 1], quiet_nan<E>)) << mode << " " << form.uplo << form.op << " " << i;
        }
      }
      const E a[] = {10, 0, 0, quiet_nan<E>, 10, 0, E(0.5), 4, 10};
      std::vector<E> x = {1, 1, 1};
      SUCCEEDS(context, trsv(E{}, context, rows, L, N, ACCUBLAS_NON_UNIT, 3, a, 3, x.data(), 1));
      EXPECT_TRUE(equal(x, {E(1) / E(10), quiet_nan<E>, quiet_nan<E>})) << mode;
    }
  });
}

// OpenBLAS#1237: ssyrk of small numbers makes subnormal ones. (1.5 2^-75)^2 = 1.125 2^-149 rounds to 2^-149, (2^-75)^2
// lies between 0 and 2^-149 and rounds to the even 0, whatever the caller's environment says of rounding and of
// subnormals.
TEST(PublicReports, OpenBlas1237SubnormalResults) {
  const float a[] = {0x1.8p-75f, 0x1p-75f}, one = 1, zero = 0;
#if defined(__SSE2__)
  const unsigned usual = _mm_getcsr();
  const std::vector<unsigned> states = {usual, 0x9FC0, 0x5F80};  // flush to zero and subnormals are zero, upwards
#else
  const std::vector<unsigned> states = {0};
#endif
  for (const std::string& mode : defined) {
    api::Context context(mode);
    for ([[maybe_unused]] unsigned state : states) {
      std::vector<float> c(4, -1);
#if defined(__SSE2__)
      _mm_setcsr(state);
#endif
      const accublas_status status = accublas_ssyrk(context, columns, U, N, 2, 1, &one, a, 2, &zero, c.data(), 2);
#if defined(__SSE2__)
      _mm_setcsr(usual);
#endif
      ASSERT_EQ(status, ACCUBLAS_SUCCESS) << context.error();
      // 1.5 2^-75 2^-75 = 0.75 2^-149
      EXPECT_TRUE(equal(c, {0x1p-149f, -1, 0x1p-149f, 0})) << mode << " " << state;
    }
  }
}
