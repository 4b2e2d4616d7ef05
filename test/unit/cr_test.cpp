// cr and fixed:T of DOT and GEMV: cr against the exact accumulators for every instruction set, those and fixed:T
// against MPFR.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/numerics/float_bits.hpp"
#include "test/unit/cr_data.hpp"
#include "test/unit/mpfr_reference.hpp"

namespace {

using namespace accublas;
using accublas_test::Data;
using accublas_test::entry;
using accublas_test::growing_entry;
using accublas_test::pick;
using accublas_test::Random;
using accublas_test::Real;

template <class T>
struct Case {
  Index m, k;
  T alpha, beta;
  std::vector<T> a, x, y;
  Index row_stride, col_stride, incx, incy;

  Gemv<T> gemv(std::vector<T>& out) {
    return {m,
            k,
            alpha,
            {a.data(), row_stride, col_stride},
            {x.data() + (incx < 0 ? -incx * (k - 1) : 0), incx},
            beta,
            {out.data() + (incy < 0 ? -incy * (m - 1) : 0), incy}};
  }
};

template <class T>
Case<T> make_case(Random& random, Index m, Index k) {
  Case<T> c{m, k, T(1), T(0), {}, {}, {}, 0, 0, 1, 1};
  const Data data = static_cast<Data>(pick(random, 0, static_cast<int>(Data::count) - 1));
  if (pick(random, 0, 1)) c.alpha = static_cast<T>(pick(random, -3, 3)) / 4 + T(2);
  if (pick(random, 0, 1)) c.beta = static_cast<T>(pick(random, -2, 2)) / 3;
  switch (pick(random, 0, 3)) {
    case 0:
      c.row_stride = 1, c.col_stride = m + pick(random, 0, 3);
      break;
    case 1:
      c.row_stride = k + pick(random, 0, 3), c.col_stride = 1;
      break;
    case 2:
      c.row_stride = 2, c.col_stride = 2 * m + 1;
      break;
    default:
      c.row_stride = 3 * k, c.col_stride = 3;
      break;
  }
  if (pick(random, 0, 2) == 0) c.incx = pick(random, 0, 1) ? -2 : 3;
  if (pick(random, 0, 2) == 0) c.incy = pick(random, 0, 1) ? -3 : 2;
  c.a.assign(static_cast<std::size_t>(m * c.row_stride + k * c.col_stride), T(99));
  c.x.assign(static_cast<std::size_t>(k * std::abs(c.incx)), T(98));
  c.y.assign(static_cast<std::size_t>(m * std::abs(c.incy)), T(97));
  std::vector<T> none;
  const Gemv<T> g = c.gemv(none);
  for (Index p = 0; p < k; ++p)
    c.x[static_cast<std::size_t>(&g.x[p] - c.x.data())] = entry<T>(random, data, p, k, true);
  for (Index i = 0; i < m; ++i) {
    for (Index p = 0; p < k; ++p)
      c.a[static_cast<std::size_t>(i * c.row_stride + p * c.col_stride)] = entry<T>(random, data, p, k, false);
  }
  if (data == Data::cancelling) {  // the second half cancels the first but for one bit of one entry
    for (Index p = 0; p < k / 2; ++p) {
      const Index q = p + ceil_div(k, 2);
      c.x[static_cast<std::size_t>(&g.x[q] - c.x.data())] = g.x[p];
      for (Index i = 0; i < m; ++i) {
        const T value = g.a(i, p);
        c.a[static_cast<std::size_t>(i * c.row_stride + q * c.col_stride)] =
            pick(random, 0, 20) ? -value : -std::nextafter(value, T(1));
      }
    }
  }
  for (T& y : c.y)
    y = c.beta == 0 ? std::numeric_limits<T>::quiet_NaN()
                    : entry<T>(random, data == Data::nan ? Data::uniform : data, 1, 9, true);
  return c;
}

template <class T>
class Cr : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Cr, Types);

template <class T>
void check(Case<T>& c, int n) {
  std::vector<T> want = c.y;
  const Gemv<T> reference = c.gemv(want);
  for (Index i = 0; i < c.m; ++i) {
    reference.y[i] = cpu::exact_element<T>(c.k, c.alpha, reference.a.row(i), reference.x, c.beta, &reference.y[i]);
  }
  for (cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512, cpu::Isa::neon}) {
    if (isa > cpu::detected_isa()) continue;
    std::vector<T> one_by_one = c.y;
    const Gemv<T> g = c.gemv(one_by_one);
    for (Index i = 0; i < c.m; ++i) {
      const T element = cpu::cr_element<T>(isa, c.k, c.alpha, g.a.row(i), g.x, c.beta, &g.y[i]);
      ASSERT_EQ(to_bits(element), to_bits(reference.y[i])) << "case " << n << " element " << i << " k " << c.k;
    }
    for (int threads : {1, 3}) {
      std::vector<T> got = c.y;
      accublas_report_t report{};
      for (std::size_t cap : {std::size_t{256} << 20, std::size_t{0}}) {
        Workspace workspace(cap, nullptr, 0);
        Execution execution{threads, isa, workspace, report};
        got = c.y;
        cpu::cr_gemv(c.gemv(got), execution);
        for (std::size_t i = 0; i < got.size(); ++i) {
          ASSERT_EQ(to_bits(got[i]), to_bits(want[i]))
              << "case " << n << " m " << c.m << " k " << c.k << " strides " << c.row_stride << ", " << c.col_stride
              << " isa " << cpu::isa_name(isa) << " threads " << threads << " at " << i << ": " << std::hexfloat
              << got[i] << " where " << want[i] << " is right";
        }
      }
    }
  }
}

TYPED_TEST(Cr, GemvOfAnyShapeAndData) {
  Random random(1);
  for (int n = 0; n < 400; ++n) {
    Case<TypeParam> c = make_case<TypeParam>(random, pick(random, 1, 40), pick(random, 1, 150));
    check(c, n);
    if (this->HasFatalFailure()) return;
  }
}

/// Several blocks, panels and segments.
TYPED_TEST(Cr, LargeShapes) {
  Random random(2);
  const Index shapes[][2] = {{1100, 130}, {600, 520}, {9, 2100}, {3, 4000}, {2, 40001}, {1, 30000}};
  for (int n = 0; n < 18; ++n) {
    Case<TypeParam> c = make_case<TypeParam>(random, shapes[n % 6][0], shapes[n % 6][1]);
    check(c, n);
    if (this->HasFatalFailure()) return;
  }
}

/// Ziv's test rests on this: no kernel's sum is farther from the exact one than its bound, and no bound is too large.
TYPED_TEST(Cr, SumsWithinTheirBounds) {
  using T = TypeParam;
  Random random(6);
  for (int n = 0; n < 36; ++n) {
    const Index m = n % 6 == 5 ? 1 : pick(random, 2, 19),
                k = n % 6 == 5 ? 2500 : pick(random, 1, n % 2 == 0 ? 64 : 600);
    std::vector<T> a(m * k), x(k), by_columns(m * k);
    for (T& v : x) v = static_cast<T>(std::uniform_real_distribution<double>(0.5, 1)(random));
    for (Index i = 0; i < m; ++i)
      for (Index p = 0; p < k; ++p)
        by_columns[i + p * m] = a[i * k + p] = growing_entry<T>(random, (n + static_cast<int>(i)) % 6, i, p, k);
    std::vector<Real> exact(m);
    std::vector<double> largest(m);
    for (Index i = 0; i < m; ++i)
      for (Index p = 0; p < k; ++p) {
        const Real term = Real(a[i * k + p]) * Real(x[p]);
        exact[i] = exact[i] + term;
        largest[i] = std::max(largest[i], std::fabs(static_cast<double>(a[i * k + p]) * static_cast<double>(x[p])));
      }
    for (cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512, cpu::Isa::neon}) {
      if (isa > cpu::detected_isa()) continue;
      const cpu::CrKernels<T>& kernels = cpu::kernels_for<cpu::CrKernels<T>>(isa);
      const std::vector<double> factors(x.begin(), x.end());
      std::vector<double> scratch(cpu::cr_scratch(m));
      std::vector<TripleSum> sums(m);
      const auto expect_bounds = [&](const char* what, double loss) {
        for (Index i = 0; i < m; ++i) {
          const TripleSum& s = sums[i];
          ASSERT_TRUE(triple_known(s));
          const Real error = (exact[i] - Real(s.a1) - Real(s.a2) - Real(s.a3)).magnitude();
          EXPECT_TRUE(error.all_exact() && error <= Real(s.error))
              << what << " isa " << cpu::isa_name(isa) << " case " << n << " row " << i;
          EXPECT_LE(s.error, largest[i] * static_cast<double>(k + 2000) * loss + 0x1p-900)
              << what << " isa " << cpu::isa_name(isa) << " case " << n << " row " << i;
        }
      };
      constexpr double full = 0x1p-112, swift = 0x1p-72;
      constexpr bool single = sizeof(T) == 4;
      const auto rows = [&](auto* add_up) { add_up(m, k, a.data(), k, x.data(), {}, sums.data()); };
      const auto columns = [&](auto* add_up) {
        add_up(m, k, by_columns.data(), m, factors.data(), scratch.data(), sums.data());
      };
      rows(kernels.rows[0]), expect_bounds("rows, full", full);
      rows(kernels.rows[1]), expect_bounds("rows, swift", swift);
      rows(kernels.deep_rows), expect_bounds("rows, deep", single ? full : 0x1p-152);
      rows(kernels.full_short_rows), expect_bounds("short rows, full", full);
      rows(kernels.short_rows), expect_bounds("short rows, swift", swift);
      rows(kernels.plain_rows), expect_bounds("plain rows", single ? 0x1p-44 : swift);
      columns(kernels.columns[0]), expect_bounds("columns, full", full);
      columns(kernels.columns[1]), expect_bounds("columns, swift", swift);
    }
  }
}

/// Nearly all of what the fast pass is made for must be decided by it.
TYPED_TEST(Cr, OnePassDecides) {
  using T = TypeParam;
  Random random(3);
  const Index m = 300, k = 1000;
  for (double phi : {0.0, 1.0, sizeof(T) == 8 ? 10.0 : 3.0}) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    std::vector<T> a(m * k), x(k), y(m);
    for (T& v : a) v = static_cast<T>(uniform(random) * std::exp(phi * normal(random)));
    for (T& v : x) v = static_cast<T>(uniform(random) * std::exp(phi * normal(random)));
    if (phi == 1.0) {  // condition number about 1e16 (1e7)
      for (Index p = 0; p < k / 2; ++p) x[p + k / 2] = x[p];
      for (Index i = 0; i < m; ++i) {
        double size = 0;
        for (Index p = 0; p < k / 2; ++p) {
          a[i + (p + k / 2) * m] = -a[i + p * m];
          size += 2 * std::fabs(static_cast<double>(a[i + p * m]) * static_cast<double>(x[p]));
        }
        a[i] = 0;
        a[i + k / 2 * m] = static_cast<T>(size * (sizeof(T) == 8 ? 1e-16 : 1e-7) / static_cast<double>(x[0]));
      }
    }
    accublas_report_t report{};
    Workspace workspace(std::size_t{256} << 20, nullptr, 0);
    Execution execution{1, cpu::detected_isa(), workspace, report};
    cpu::cr_gemv(Gemv<T>{m, k, T(1), {a.data(), 1, m}, {x.data(), 1}, T(0), {y.data(), 1}}, execution);
    EXPECT_LE(report.undecided, 3) << phi;
  }
}

TYPED_TEST(Cr, ExactElementAgainstMpfr) {
  using T = TypeParam;
  Random random(4);
  for (int n = 0; n < 300; ++n) {
    Case<T> c = make_case<T>(random, 1, pick(random, 1, 60));
    bool finite = true;
    Real exact;
    std::vector<T> y = c.y;
    const Gemv<T> g = c.gemv(y);
    for (Index p = 0; p < c.k; ++p) {
      finite = finite && is_finite(g.a(0, p)) && is_finite(g.x[p]);
      if (finite) exact = exact + Real(g.a(0, p)) * Real(g.x[p]);
    }
    if (!finite || (c.beta != 0 && !is_finite(g.y[0]))) continue;
    exact = Real(c.alpha) * exact;
    if (c.beta != 0) exact = exact + Real(c.beta) * Real(g.y[0]);
    T want;
    exact.round(&want);
    const T got = cpu::exact_element<T>(c.k, c.alpha, g.a.row(0), g.x, c.beta, &g.y[0]);
    ASSERT_EQ(to_bits(got), to_bits(want)) << n;
  }
}

/// fixed:T by its definition.
template <class T>
T fixed_reference(const Gemv<T>& g, Index i, int bits) {
  const auto exponent = [&](Vector<const T> v) {
    double most = 0;
    for (Index p = 0; p < g.k; ++p) most = std::max(most, std::fabs(static_cast<double>(v[p])));
    int e = 0;
    std::frexp(most, &e);  // most = f 2^e, f < 1
    return most == 0 ? bits : e;
  };
  const int e = exponent(g.a.row(i)), f = exponent(g.x);
  Real sum;
  for (Index p = 0; p < g.k; ++p) {
    sum = sum + Real(g.a(i, p)).times_power(bits - e).nearest_integer() *
                    Real(g.x[p]).times_power(bits - f).nearest_integer();
  }
  sum = Real(g.alpha) * sum.times_power(e + f - 2 * bits);
  if (g.beta != 0) sum = sum + Real(g.beta) * Real(g.y[i]);
  T r;
  EXPECT_TRUE(sum.all_exact());
  sum.round(&r);
  return r;
}

TYPED_TEST(Cr, FixedByItsDefinition) {
  using T = TypeParam;
  Random random(5);
  for (int n = 0; n < 200; ++n) {
    Case<T> c =
        make_case<T>(random, n % 50 == 49 ? 2 : pick(random, 1, 12), n % 50 == 49 ? 20000 : pick(random, 1, 60));
    const int choices[] = {2, 3, 24, 50, 51, 52, 53, 54, 60, 106, 150, pick(random, 2, 150)};
    const int bits = choices[pick(random, 0, 11)];
    if (pick(random, 0, 3) == 0) {  // few bits, so that halves and powers of two come up
      for (T& v : c.a) v = static_cast<T>(pick(random, -9, 9)) / 4;
    }
    for (cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512, cpu::Isa::neon}) {
      if (isa > cpu::detected_isa()) continue;
      for (int threads : {1, 3}) {
        if (n % 50 == 49 && (threads == 1 || isa != cpu::Isa::avx2)) continue;
        std::vector<T> got = c.y, before = c.y;
        accublas_report_t report{};
        Workspace workspace(1 << 20, nullptr, 0);
        Execution execution{threads, isa, workspace, report};
        const Gemv<T> g = c.gemv(got), reference = c.gemv(before);
        cpu::fixed_gemv(g, Mode{ACCUBLAS_MODE_FIXED, bits, false, false}, execution);
        for (Index i = 0; i < c.m; ++i) {
          bool finite = c.beta == 0 || is_finite(reference.y[i]);
          for (Index p = 0; p < c.k; ++p) finite = finite && is_finite(g.a(i, p)) && is_finite(g.x[p]);
          const T want = finite ? fixed_reference(reference, i, bits)
                                : cpu::exact_element<T>(c.k, c.alpha, g.a.row(i), g.x, c.beta, &reference.y[i]);
          ASSERT_EQ(to_bits(g.y[i]), to_bits(want)) << "case " << n << " T " << bits << " m " << c.m << " k " << c.k
                                                    << " row " << i << " isa " << cpu::isa_name(isa);
        }
      }
    }
  }
}

TYPED_TEST(Cr, SpecialValues) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), one = 1;
  const auto dot = [](std::vector<T> x, std::vector<T> y) {
    T fast = 7, slow = 7;
    accublas_report_t report{};
    Workspace workspace(1 << 20, nullptr, 0);
    Execution execution{1, cpu::detected_isa(), workspace, report};
    const Index n = static_cast<Index>(x.size());
    cpu::cr_dot(Dot<T>{n, {x.data(), 1}, {y.data(), 1}, &fast}, execution);
    slow = cpu::exact_element<T>(n, 1, {x.data(), 1}, {y.data(), 1}, 0, nullptr);
    EXPECT_EQ(to_bits(fast), to_bits(slow));
    return slow;
  };
  EXPECT_EQ(dot({one, inf}, {one, one}), inf);
  EXPECT_EQ(dot({one, inf}, {one, -one}), -inf);
  EXPECT_EQ(to_bits(dot({one, inf}, {one, T(0)})), to_bits(canonical_nan<T>()));
  EXPECT_EQ(to_bits(dot({-inf, inf}, {one, one})), to_bits(canonical_nan<T>()));
  EXPECT_EQ(to_bits(dot({-nan, one}, {one, one})), to_bits(canonical_nan<T>()));
  EXPECT_EQ(to_bits(dot({-one, one}, {one, one})), to_bits(T(0)));
  EXPECT_EQ(to_bits(dot({-T(0), -T(0)}, {one, one})), to_bits(T(0)));
  const T big = std::numeric_limits<T>::max();
  EXPECT_EQ(dot({big, -big, one}, {big, big, one}), one);
  EXPECT_EQ(dot({big, big, one}, {big, big, one}), inf);
}

}  // namespace
