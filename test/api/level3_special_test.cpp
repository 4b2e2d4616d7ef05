// TRSM in cr on the CPU with an infinite alpha, or with infinite and NaN right-hand sides, pivots and entries. Finite
// numbers are integers, and pivots are powers of two, so that plain substitution in doubles is exact where it is finite
// and follows IEEE's rules elsewhere. It shares no code with the library.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "accublas.h"

namespace special_systems {
namespace {

using Random = std::mt19937_64;
constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest_integer = 0x1p20;  ///< exact also in float

int below(Random& random, int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

template <class E>
constexpr bool is_complex = !std::is_floating_point_v<E>;

using Parts = std::complex<double>;

template <class E>
E element(const Parts& x) {
  if constexpr (is_complex<E>)
    return E(x);
  else
    return static_cast<E>(x.real());
}

/// Which numbers are infinite or NaN.
enum class Special { alpha, sides, pivots, entries, all };

/// M X = alpha B, with M lower triangular in its own order.
struct System {
  int order, sides;
  bool unit;
  Parts alpha;
  std::vector<Parts> m, b, x;

  Parts& entry(int i, int j) { return m[static_cast<std::size_t>(i + j * order)]; }
  Parts& right(int i, int s) { return b[static_cast<std::size_t>(i + s * order)]; }
  Parts& unknown(int i, int s) { return x[static_cast<std::size_t>(i + s * order)]; }
};

/// Adds f z to a sum part by part. A part of f that is zero has no term if `skips`, as that of alpha.
void add(Parts& sum, const Parts& f, const Parts& z, bool is_complex_number, bool skips) {
  double re = sum.real(), im = sum.imag();
  if (!(skips && f.real() == 0)) {
    re += f.real() * z.real();
    if (is_complex_number) im += f.real() * z.imag();
  }
  if (is_complex_number && !(skips && f.imag() == 0)) {
    re += -f.imag() * z.imag();
    im += f.imag() * z.real();
  }
  sum = {re, im};
}

/// Makes a system and its solution. A row whose unknowns become too large for exact sums is replaced by its pivot.
System make_system(Random& random, int order, int sides, bool is_complex_number, Special special) {
  System s{order, sides, is_complex_number || below(random, 2) == 0, {1, 0}, {}, {}, {}};
  const auto count = static_cast<std::size_t>(order);
  s.m.assign(count * count, {});
  s.b.assign(count * static_cast<std::size_t>(sides), {});
  s.x = s.b;
  const auto has = [&](Special kind) { return special == kind || special == Special::all; };
  const auto infinite = [&](bool with_nan) {
    return with_nan && below(random, 3) == 0 ? nan : below(random, 2) ? infinity : -infinity;
  };
  const auto integer = [&](int most) {
    const auto part = [&] { return static_cast<double>(below(random, 2 * most + 1) - most); };
    const double re = part();
    return Parts{re, is_complex_number ? part() : 0};
  };
  const auto insert = [&](Parts& z) {
    if (is_complex_number && below(random, 2))
      z.imag(infinite(true));
    else
      z.real(infinite(true));
  };
  if (has(Special::alpha)) {
    s.alpha = {infinite(below(random, 8) == 0), is_complex_number && below(random, 2) ? integer(2).real() : 0};
    if (is_complex_number && below(random, 3) == 0) s.alpha = {0, infinite(false)};
  } else if (below(random, 2)) {
    s.alpha = {below(random, 2) ? -2. : 0.5, 0};
  }
  for (int i = 0; i < order; ++i) {
    for (int side = 0; side < sides; ++side) {
      s.right(i, side) = integer(4) * 2.;
      if (has(Special::sides) && below(random, 20 * sides) == 0) insert(s.right(i, side));
    }
    for (int j = 0; j < i; ++j)
      if (below(random, order) < 3) s.entry(i, j) = integer(1);
    s.entry(i, i) = below(random, 2) ? 1. : below(random, 2) ? -2. : 0.5;
    if (has(Special::pivots) && below(random, order) == 0) s.entry(i, i) = below(random, 2) ? infinite(true) : -0.;
    if (i > 0 && has(Special::entries) && below(random, order) == 0) insert(s.entry(i, below(random, i)));
    for (;;) {
      bool exact = true;
      for (int side = 0; side < sides; ++side) {
        Parts sum{};
        add(sum, s.alpha, s.right(i, side), is_complex_number, true);
        for (int j = 0; j < i; ++j) add(sum, -s.entry(i, j), s.unknown(j, side), is_complex_number, false);
        const double pivot = s.entry(i, i).real();
        if (!s.unit) {
          // A sum of zero is +0, and so is its quotient.
          const bool zero = sum.real() == 0 && pivot != 0 && !std::isnan(pivot);
          sum = {zero ? 0 : sum.real() / pivot, 0};
        }
        s.unknown(i, side) = sum;
        for (const double part : {sum.real(), sum.imag()})
          if (std::isfinite(part) && (std::fabs(part) > largest_integer || part * 1024 != std::rint(part * 1024)))
            exact = false;
      }
      if (exact) break;
      for (int j = 0; j < i; ++j)
        if (std::isfinite(s.entry(i, j).real()) && std::isfinite(s.entry(i, j).imag())) s.entry(i, j) = 0;
      s.entry(i, i) = 1;
    }
  }
  return s;
}

accublas_status solve(double, accublas_side side, accublas_uplo uplo, accublas_transpose trans, accublas_diag diag,
                      int m, int n, const double* alpha, const double* a, int lda, double* b,
                      const accublas_options* options) {
  return accublas_dtrsm_ex(nullptr, ACCUBLAS_COL_MAJOR, side, uplo, trans, diag, m, n, alpha, a, lda, b, m, options);
}
accublas_status solve(float, accublas_side side, accublas_uplo uplo, accublas_transpose trans, accublas_diag diag,
                      int m, int n, const float* alpha, const float* a, int lda, float* b,
                      const accublas_options* options) {
  return accublas_strsm_ex(nullptr, ACCUBLAS_COL_MAJOR, side, uplo, trans, diag, m, n, alpha, a, lda, b, m, options);
}
accublas_status solve(std::complex<double>, accublas_side side, accublas_uplo uplo, accublas_transpose trans,
                      accublas_diag diag, int m, int n, const void* alpha, const void* a, int lda, void* b,
                      const accublas_options* options) {
  return accublas_ztrsm_ex(nullptr, ACCUBLAS_COL_MAJOR, side, uplo, trans, diag, m, n, alpha, a, lda, b, m, options);
}
accublas_status solve(std::complex<float>, accublas_side side, accublas_uplo uplo, accublas_transpose trans,
                      accublas_diag diag, int m, int n, const void* alpha, const void* a, int lda, void* b,
                      const accublas_options* options) {
  return accublas_ctrsm_ex(nullptr, ACCUBLAS_COL_MAJOR, side, uplo, trans, diag, m, n, alpha, a, lda, b, m, options);
}

bool same(double got, double want) {
  return std::isnan(want) ? std::isnan(got) : got == want && std::signbit(got) == std::signbit(want);
}

template <class E>
class SpecialSystems : public testing::Test {};
using Types = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(SpecialSystems, Types);

TYPED_TEST(SpecialSystems, FollowIeeeArithmetic) {
  using E = TypeParam;
  Random random(48);
  std::int64_t finite = 0, infinite = 0, not_numbers = 0;
  for (int round = 0; round < 240; ++round) {
    const auto special = static_cast<Special>(round % 5);
    const int order = round % 40 == 39 ? 300 : 1 + below(random, 90), sides = 1 + below(random, 40);
    System s = make_system(random, order, sides, is_complex<E>, special);
    const bool left = below(random, 2), transposed = below(random, 2), conjugated = transposed && below(random, 2);
    // The rows of op(A) in the order of substitution go down, or up; on the right it is op(A)'s transpose.
    const bool down = below(random, 2);
    const auto place = [&](int i) { return down ? i : order - 1 - i; };
    const int m = left ? order : sides, n = left ? sides : order;
    std::vector<E> a(static_cast<std::size_t>(order * order), E(7)), b(static_cast<std::size_t>(m * n));
    for (int i = 0; i < order; ++i)
      for (int j = 0; j <= i; ++j) {
        const bool swapped = transposed == left;
        const int row = swapped ? place(j) : place(i), col = swapped ? place(i) : place(j);
        const Parts entry = s.entry(i, j);
        a[static_cast<std::size_t>(row + col * order)] = element<E>(conjugated ? std::conj(entry) : entry);
      }
    const auto at = [&](int i, int side) {
      return static_cast<std::size_t>(left ? place(i) + side * m : side + place(i) * m);
    };
    for (int i = 0; i < order; ++i)
      for (int side = 0; side < sides; ++side) b[at(i, side)] = element<E>(s.right(i, side));
    // In its own order M is lower triangular.
    const bool lower = down != (transposed == left);
    const E alpha = element<E>(s.alpha);
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.mode = ACCUBLAS_MODE_CR;
    options.backend = ACCUBLAS_BACKEND_CPU;
    options.num_threads = 1 + below(random, 2);
    ASSERT_EQ(solve(E{}, left ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT, lower ? ACCUBLAS_LOWER : ACCUBLAS_UPPER,
                    conjugated   ? ACCUBLAS_CONJ_TRANS
                    : transposed ? ACCUBLAS_TRANS
                                 : ACCUBLAS_NO_TRANS,
                    s.unit ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT, m, n, &alpha, a.data(), order, b.data(), &options),
              ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
    for (int i = 0; i < order; ++i)
      for (int side = 0; side < sides; ++side) {
        const Parts got(b[at(i, side)]), want = s.unknown(i, side);
        ASSERT_TRUE(same(got.real(), want.real()) && same(got.imag(), want.imag()))
            << "round " << round << ": order " << order << ", " << sides << " sides, left " << left << ", transposed "
            << transposed << ", lower " << lower << ", unit " << s.unit << ", alpha " << s.alpha << ": unknown " << i
            << " of side " << side << " is " << got << " instead of " << want;
        ++(std::isnan(want.real()) ? not_numbers : std::isinf(want.real()) ? infinite : finite);
      }
  }
  EXPECT_GT(finite, 10000);
  EXPECT_GT(infinite, 1000);
  EXPECT_GT(not_numbers, 1000);
}

}  // namespace
}  // namespace special_systems
