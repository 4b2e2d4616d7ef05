// cr (DOT, GEMV, GEMM of small matrices) and fixed:T (DOT, GEMV): cr against the exact accumulators for every
// instruction set, those and fixed:T against MPFR.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "lib/cpu/correct_kernels.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/float_bits.hpp"
#include "test/unit/mpfr_reference.hpp"

namespace {

using namespace accublas;
using accublas_test::Real;
using Random = std::mt19937_64;

int pick(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

enum class Data { uniform, wide, graded, cancelling, integers, tiny, huge, subnormal, nan, infinite, zeros, count };

/// Entry p of k of a row, or of x (`second`).
template <class T>
T entry(Random& random, Data data, Index p, Index k, bool second) {
  std::normal_distribution<double> normal;
  const double u = std::uniform_real_distribution<double>(-0.5, 0.5)(random);
  const int top = std::numeric_limits<T>::max_exponent;
  switch (data) {
    case Data::uniform:
      return static_cast<T>(u);
    case Data::wide:
      return static_cast<T>(u * std::exp(sizeof(T) == 8 ? 10 * normal(random) : 2 * normal(random)));
    case Data::graded:
      return static_cast<T>(std::ldexp(u, static_cast<int>((second ? k - p : p) % 60)));
    case Data::cancelling:
      return static_cast<T>(u * std::exp(normal(random)));
    case Data::integers:
      return static_cast<T>(pick(random, -5, 5));
    case Data::tiny:
      return static_cast<T>(std::ldexp(u, -top / 2 + pick(random, -20, 4)));
    case Data::huge:
      return static_cast<T>(std::ldexp(u, top / 2 + pick(random, -20, 4)));
    case Data::subnormal:
      return second ? static_cast<T>(u) : static_cast<T>(u) * std::numeric_limits<T>::min();
    case Data::nan:
      return p == k / 2 && !second ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(u);
    case Data::infinite:
      return p == k / 3 ? (second ? static_cast<T>(pick(random, -1, 1)) : std::numeric_limits<T>::infinity())
                        : static_cast<T>(u);
    default:
      return second ? static_cast<T>(u) : T(0);
  }
}

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
      const Index q = p + (k + 1) / 2;
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
class Correct : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Correct, Types);

template <class T>
void check(Case<T>& c, int n) {
  std::vector<T> want = c.y;
  const Gemv<T> reference = c.gemv(want);
  for (Index i = 0; i < c.m; ++i) {
    reference.y[i] = cpu::exact_element<T>(c.k, c.alpha, reference.a.row(i), reference.x, c.beta, &reference.y[i]);
  }
  for (cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512}) {
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

TYPED_TEST(Correct, GemvOfAnyShapeAndData) {
  Random random(1);
  for (int n = 0; n < 400; ++n) {
    Case<TypeParam> c = make_case<TypeParam>(random, pick(random, 1, 40), pick(random, 1, 150));
    check(c, n);
    if (this->HasFatalFailure()) return;
  }
}

/// Several blocks, panels and segments.
TYPED_TEST(Correct, LargeShapes) {
  Random random(2);
  const Index shapes[][2] = {{1100, 130}, {600, 520}, {9, 2100}, {3, 4000}, {2, 40001}, {1, 30000}};
  for (int n = 0; n < 18; ++n) {
    Case<TypeParam> c = make_case<TypeParam>(random, shapes[n % 6][0], shapes[n % 6][1]);
    check(c, n);
    if (this->HasFatalFailure()) return;
  }
}

/// Rows by which chains are moved to larger grids once, often, in few lanes, by one term or by the sum of many.
template <class T>
T growing_entry(Random& random, int kind, Index i, Index p, Index k) {
  const double u = std::uniform_real_distribution<double>(0.5, 1)(random), sign = pick(random, 0, 1) ? 1 : -1;
  const int range = sizeof(T) == 8 ? 200 : 30;
  switch (kind) {
    case 0:
      return static_cast<T>(u);  // the sum grows
    case 1:
      return static_cast<T>(sign * std::ldexp(u, static_cast<int>(p * range / k)));
    case 2:
      return static_cast<T>(sign * std::ldexp(u, pick(random, 0, range)));
    case 3:
      return static_cast<T>((p % 2 ? u : -u) * (p == k / 2 + i % 7 ? std::ldexp(1.0, range) : 1));
    case 4:  // a large sum that vanishes again
      return static_cast<T>(std::ldexp(p % 16 < 8 ? 1.0 : -1.0, p % 8 == 7 ? 12 : 0)) + static_cast<T>(u) / 1024;
    default:
      return static_cast<T>(p < k / 2 ? 0 : sign * std::ldexp(u, -range));
  }
}

/// What Ziv's test rests on: no kernel's sum is farther from the exact one than its bound, and no bound is too large.
TYPED_TEST(Correct, SumsWithinTheirBounds) {
  using T = TypeParam;
  Random random(6);
  for (int n = 0; n < 36; ++n) {
    const Index m = n % 6 == 5 ? 1 : pick(random, 2, 19), k = n % 6 == 5 ? 2500 : pick(random, 1, 600);
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
    for (cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512}) {
      if (isa > cpu::detected_isa()) continue;
      const cpu::CorrectKernels<T>& kernels = cpu::correct_kernels<T>(isa);
      const std::vector<double> factors(x.begin(), x.end());
      std::vector<double> scratch(cpu::correct_scratch(m));
      std::vector<TripleSum> sums(m);
      for (int speed : {0, 1})
        for (const bool columns : {false, true}) {
          if (columns) {
            kernels.columns[speed](m, k, by_columns.data(), m, factors.data(), scratch.data(), sums.data());
          } else {
            kernels.rows[speed](m, k, a.data(), k, x.data(), sums.data());
          }
          for (Index i = 0; i < m; ++i) {
            const TripleSum& s = sums[i];
            ASSERT_TRUE(triple_known(s));
            const Real error = (exact[i] - Real(s.a1) - Real(s.a2) - Real(s.a3)).magnitude();
            const char* const what = columns ? "columns" : "rows";
            EXPECT_TRUE(error.all_exact() && error <= Real(s.error))
                << what << " speed " << speed << " isa " << cpu::isa_name(isa) << " case " << n << " row " << i;
            EXPECT_LE(s.error,
                      largest[i] * static_cast<double>(k + 2000) * (speed == 0 ? 0x1p-112 : 0x1p-72) + 0x1p-900)
                << what << " speed " << speed << " isa " << cpu::isa_name(isa) << " case " << n << " row " << i;
          }
        }
    }
  }
}

/// Nearly all of what the fast pass is made for must be decided by it.
TYPED_TEST(Correct, OnePassDecides) {
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
    EXPECT_LE(report.undecided, std::getenv("ACCUBLAS_TEST_HOOK") != nullptr ? m : 3) << phi;
  }
}

/// A GEMM of one kind of data, whose rows and columns are of one kind each; strides by `layout`.
template <class T>
struct GemmCase {
  Index m, n, k;
  T alpha = 1, beta = 0;
  std::vector<T> a, b, c;
  int layout;

  Gemm<T> gemm(std::vector<T>& out) const {
    const Index a_rows[] = {1, k, 2}, a_cols[] = {m, 1, 2 * m}, b_rows[] = {1, n, 3}, b_cols[] = {k, 1, 3 * k};
    const Index c_rows[] = {1, n + 2, -2}, c_cols[] = {m + 1, 1, 2 * m};
    return {m,
            n,
            k,
            alpha,
            {a.data(), a_rows[layout], a_cols[layout]},
            {b.data(), b_rows[layout], b_cols[layout]},
            beta,
            {out.data() + (layout == 2 ? 2 * (m - 1) : 0), c_rows[layout], c_cols[layout]}};
  }
};

template <class T>
GemmCase<T> make_gemm(Random& random, Index m, Index n, Index k) {
  GemmCase<T> t{m, n, k, T(1), T(0), {}, {}, {}, pick(random, 0, 2)};
  const Data data = static_cast<Data>(pick(random, 0, static_cast<int>(Data::count) - 1));
  if (pick(random, 0, 1)) t.alpha = static_cast<T>(pick(random, -3, 3)) / 4 + T(2);
  if (pick(random, 0, 1)) t.beta = static_cast<T>(pick(random, -2, 2)) / 3;
  if (pick(random, 0, 9) == 0) t.alpha = std::numeric_limits<T>::min();
  t.a.assign(static_cast<std::size_t>(2 * m * k), T(99));
  t.b.assign(static_cast<std::size_t>(3 * k * n), T(98));
  t.c.assign(static_cast<std::size_t>(2 * (m + 2) * (n + 2)), T(97));
  std::vector<T> none(t.c.size());
  const Gemm<T> g = t.gemm(none);
  const auto set = [](std::vector<T>& store, const T& at, T value) {
    store[static_cast<std::size_t>(&at - store.data())] = value;
  };
  const bool sparse = pick(random, 0, 3) == 0;
  const auto value = [&](Index p, bool second) {
    return sparse && pick(random, 0, 3) != 0 ? T(0) : entry<T>(random, data, p, k, second);
  };
  for (Index p = 0; p < k; ++p) {
    for (Index i = 0; i < m; ++i) set(t.a, g.a(i, p), value(p, false));
    for (Index j = 0; j < n; ++j) set(t.b, g.b(p, j), value(p, true));
  }
  if (data == Data::cancelling) {  // the second half of the sums cancels the first but for one bit of one entry
    for (Index p = 0; p < k / 2; ++p) {
      for (Index j = 0; j < n; ++j) set(t.b, g.b(p + (k + 1) / 2, j), g.b(p, j));
      for (Index i = 0; i < m; ++i)
        set(t.a, g.a(i, p + (k + 1) / 2), pick(random, 0, 20) ? -g.a(i, p) : -std::nextafter(g.a(i, p), T(1)));
    }
  }
  for (T& c : t.c)
    c = t.beta == 0 ? std::numeric_limits<T>::quiet_NaN()
                    : entry<T>(random, data == Data::nan ? Data::uniform : data, 1, 9, true);
  return t;
}

template <class T>
void check_gemm(const GemmCase<T>& t, int n) {
  std::vector<T> want = t.c;
  const Gemm<T> reference = t.gemm(want);
  for (Index i = 0; i < t.m; ++i)
    for (Index j = 0; j < t.n; ++j) {
      T* const c = &reference.c(i, j);
      *c = cpu::exact_element<T>(t.k, t.alpha, reference.a.row(i), reference.b.col(j), t.beta, c);
    }
  for (cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512}) {
    if (isa > cpu::detected_isa()) continue;
    for (std::size_t cap : {std::size_t{256} << 20, std::size_t{0}}) {
      std::vector<T> got = t.c, buffer(16);
      accublas_report_t report{};
      const bool tiny = cap == 0 && n % 2;  // a user's buffer that holds no panel
      Workspace workspace(cap, tiny ? buffer.data() : nullptr, buffer.size() * sizeof(T));
      Execution execution{1 + 2 * (n % 2), isa, workspace, report};
      cpu::cr_gemm(t.gemm(got), execution);
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(to_bits(got[i]), to_bits(want[i]))
            << "case " << n << " sizes " << t.m << " " << t.n << " " << t.k << " layout " << t.layout << " alpha "
            << t.alpha << " beta " << t.beta << " isa " << cpu::isa_name(isa) << " at " << i << ": " << std::hexfloat
            << got[i] << " where " << want[i] << " is right";
      }
    }
  }
}

TYPED_TEST(Correct, GemmOfAnyShapeAndData) {
  Random random(7);
  for (int n = 0; n < 400; ++n) {
    check_gemm(make_gemm<TypeParam>(random, pick(random, 1, 40), pick(random, 1, 20), pick(random, 1, 150)), n);
    if (this->HasFatalFailure()) return;
  }
}

/// Several tasks and threads; the longest chains, and beyond.
TYPED_TEST(Correct, LargeGemms) {
  Random random(8);
  const Index shapes[][3] = {
      {300, 270, 9}, {40, 50, 1500}, {20, 3, cpu::cr_gemm_terms}, {2, 3, cpu::cr_gemm_terms + 1}};
  for (int n = 0; n < 12; ++n) {
    check_gemm(make_gemm<TypeParam>(random, shapes[n % 4][0], shapes[n % 4][1], shapes[n % 4][2]), n);
    if (this->HasFatalFailure()) return;
  }
}

/// What Ziv's test of a tile rests on: no sum is farther from the exact one than its bound, and no bound is too large.
TYPED_TEST(Correct, GemmSumsWithinTheirBounds) {
  using T = TypeParam;
  Random random(9);
  for (int n = 0; n < 24; ++n) {
    const Index k = n % 8 == 7 ? 1024 : pick(random, 1, 300);
    for (cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512}) {
      if (isa > cpu::detected_isa()) continue;
      const cpu::CorrectGemmKernel<T>& kernel = *cpu::correct_kernels<T>(isa).gemm;
      const Index lines = kernel.lines, words = (k + 63) / 64, rows = pick(random, 1, kernel.lines);
      std::vector<T> a(lines * k), b(lines * k);
      for (Index i = 0; i < lines; ++i)
        for (Index p = 0; p < k; ++p) {
          a[i * k + p] = growing_entry<T>(random, (n + static_cast<int>(i)) % 6, i, p, k);
          b[i * k + p] = n % 3 == 0 ? static_cast<T>(pick(random, -2, 2)) : growing_entry<T>(random, n % 2, i, p, k);
        }
      std::vector<double> panel_a(lines * k), panel_b(lines * k), known(4 * lines);
      std::vector<std::uint64_t> nonzero(2 * lines * words);
      kernel.pack(k, lines, a.data(), k, 1, panel_a.data());
      kernel.pack(k, lines, b.data(), k, 1, panel_b.data());
      const cpu::CorrectLines row{&known[0], &known[lines], &nonzero[0]},
          col{&known[2 * lines], &known[3 * lines], &nonzero[lines * words]};
      kernel.measure(k, panel_a.data(), row);
      kernel.measure(k, panel_b.data(), col);
      for (cpu::Speed speed : {cpu::Speed::full, cpu::Speed::swift}) {
        const Grid grid{ceil_log2(k) + 1};
        const double terms = static_cast<double>(k);
        std::vector<double> high(64), low(64), rest(64);
        std::vector<T> out(64);
        const cpu::CorrectTile<T> tile{k,
                                       rows,
                                       panel_a.data(),
                                       panel_b.data(),
                                       row,
                                       col,
                                       grid.base1(),
                                       grid.base2(),
                                       grid.quantum2(),
                                       speed == cpu::Speed::full ? grid.error(terms, terms) : grid.swift_error(terms),
                                       false,
                                       true,
                                       1,
                                       0,
                                       nullptr,
                                       out.data(),
                                       high.data(),
                                       low.data(),
                                       rest.data()};
        kernel.tile[static_cast<int>(speed)](tile);
        for (Index i = 0; i < rows; ++i)
          for (Index j = 0; j < kernel.cols; ++j) {
            Real exact;
            double most_a = 0, most_b = 0;
            for (Index p = 0; p < k; ++p) {
              exact = exact + Real(a[i * k + p]) * Real(b[j * k + p]);
              most_a = std::max(most_a, std::fabs(static_cast<double>(a[i * k + p])));
              most_b = std::max(most_b, std::fabs(static_cast<double>(b[j * k + p])));
            }
            const Index at = j * lines + i;
            const Real error = (exact - Real(high[at]) - Real(low[at])).magnitude();
            EXPECT_TRUE(error.all_exact() && error <= Real(rest[at]))
                << "speed " << static_cast<int>(speed) << " isa " << cpu::isa_name(isa) << " case " << n << " (" << i
                << ", " << j << ")";
            const double quantum = grid.quantum2() * (speed == cpu::Speed::full ? 0x1p-40 : 2);
            EXPECT_LE(rest[at], most_a * most_b * terms * quantum + std::fabs(low[at]) * 0x1p-50 + 0x1p-900)
                << "speed " << static_cast<int>(speed) << " isa " << cpu::isa_name(isa) << " case " << n;
          }
      }
    }
  }
}

/// Nearly nothing is left to the exact accumulators; sums of few bits, sparse and dense, are decided at once.
TYPED_TEST(Correct, GemmDecides) {
  using T = TypeParam;
  Random random(10);
  const Index order = 96;
  for (int kind = 0; kind < 5; ++kind) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    const auto value = [&] {
      if (kind == 3) return static_cast<T>(pick(random, -3, 3));
      if (kind == 4 && pick(random, 0, 9) != 0) return T(0);
      return static_cast<T>(uniform(random) * std::exp((kind == 2 ? sizeof(T) == 8 ? 10 : 3 : kind) * normal(random)));
    };
    std::vector<T> a(order * order), b(order * order), c(order * order);
    for (T& v : a) v = value();
    for (T& v : b) v = value();
    accublas_report_t report{};
    Workspace workspace(std::size_t{256} << 20, nullptr, 0);
    Execution execution{1, cpu::detected_isa(), workspace, report};
    cpu::cr_gemm(
        Gemm<T>{order, order, order, T(1), {a.data(), 1, order}, {b.data(), 1, order}, T(0), {c.data(), 1, order}},
        execution);
    EXPECT_LE(report.undecided, std::getenv("ACCUBLAS_TEST_HOOK") != nullptr ? order * order : 20) << kind;
  }
}

TYPED_TEST(Correct, ExactElementAgainstMpfr) {
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

TYPED_TEST(Correct, FixedByItsDefinition) {
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
    for (cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512}) {
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

TYPED_TEST(Correct, SpecialValues) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), one = 1;
  const auto dot = [](std::vector<T> x, std::vector<T> y) {
    T fast = 7, slow = 7;
    accublas_report_t report{};
    Workspace workspace(1 << 20, nullptr, 0);
    Execution execution{1, cpu::detected_isa(), workspace, report};
    const Index n = static_cast<Index>(x.size());
    cpu::cr_dot(Dot<T>{n, {x.data(), 1}, {y.data(), 1}, &fast}, execution);
    cpu::exact_dot(Dot<T>{n, {x.data(), 1}, {y.data(), 1}, &slow}, execution);
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
