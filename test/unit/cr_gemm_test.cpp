// Tests of cr's GEMM by sums. Results are compared with the exact accumulators on every instruction set, and sums with
// MPFR.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/sums/cr_panels.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/float_bits.hpp"
#include "test/unit/cr_data.hpp"
#include "test/unit/decay_data.hpp"
#include "test/unit/mpfr_reference.hpp"

namespace {

using namespace accublas;
using accublas_test::Data;
using accublas_test::Decay;
using accublas_test::decaying_entry;
using accublas_test::entry;
using accublas_test::growing_entry;
using accublas_test::pick;
using accublas_test::Random;
using accublas_test::Real;

template <class T>
class CrGemm : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CrGemm, Types);

/// A GEMM with its data; `layout` selects the strides.
template <class T>
struct GemmCase {
  Index m, n, k;
  T alpha = 1, beta = 0;
  std::vector<T> a, b, c;
  int layout;

  /// Takes memory for the operands, filled with numbers that none of them has.
  void take() {
    a.assign(static_cast<std::size_t>(2 * m * k), T(99));
    b.assign(static_cast<std::size_t>(3 * k * n), T(98));
    c.assign(static_cast<std::size_t>(2 * (m + 2) * (n + 2)), T(97));
  }
  static void set(std::vector<T>& store, const T& at, T value) {
    store[static_cast<std::size_t>(&at - store.data())] = value;
  }
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
  t.take();
  std::vector<T> none(t.c.size());
  const Gemm<T> g = t.gemm(none);
  const auto set = GemmCase<T>::set;
  const bool sparse = pick(random, 0, 3) == 0;
  const auto value = [&](Index p, bool second) {
    return sparse && pick(random, 0, 3) != 0 ? T(0) : entry<T>(random, data, p, k, second);
  };
  for (Index p = 0; p < k; ++p) {
    for (Index i = 0; i < m; ++i) set(t.a, g.a(i, p), value(p, false));
    for (Index j = 0; j < n; ++j) set(t.b, g.b(p, j), value(p, true));
  }
  if (data == Data::cancelling) {  // the second half of a sum cancels the first, except for one bit of one entry
    for (Index p = 0; p < k / 2; ++p) {
      for (Index j = 0; j < n; ++j) set(t.b, g.b(p + ceil_div(k, 2), j), g.b(p, j));
      for (Index i = 0; i < m; ++i)
        set(t.a, g.a(i, p + ceil_div(k, 2)), pick(random, 0, 20) ? -g.a(i, p) : -std::nextafter(g.a(i, p), T(1)));
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
  for (cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512, cpu::Isa::neon}) {
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

TYPED_TEST(CrGemm, AnyShapeAndData) {
  Random random(7);
  for (int n = 0; n < 400; ++n) {
    check_gemm(make_gemm<TypeParam>(random, pick(random, 1, 40), pick(random, 1, 20), pick(random, 1, 150)), n);
    if (this->HasFatalFailure()) return;
  }
}

/// fixed:T by sums of rounded entries has the bits of plain integers, which compute it if there is a target, and
/// its bound is zero only where theirs is. Some lines end where no double undoes their scaling.
TYPED_TEST(CrGemm, FixedBySums) {
  using T = TypeParam;
  Random random(17);
  using Limits = std::numeric_limits<T>;
  for (int n = 0; n < 300; ++n) {
    const int bits = pick(random, 0, 3) ? pick(random, 2, 150) : pick(random, 51, 55);
    GemmCase<T> t = make_gemm<T>(random, pick(random, 1, 40), pick(random, 1, 20), pick(random, 1, 150));
    const T ends[] = {Limits::max(), Limits::denorm_min(), 3 * Limits::denorm_min(), Limits::min()};
    for (int i = pick(random, 0, 2); i > 0; --i) {
      std::vector<T> none(t.c.size());
      const Index p = pick(random, 0, static_cast<int>(t.k) - 1);
      GemmCase<T>::set(t.a, t.gemm(none).a(pick(random, 0, static_cast<int>(t.m) - 1), p), ends[pick(random, 0, 3)]);
    }
    std::vector<T> want = t.c;
    accublas_report_t judged{};
    Workspace room(std::size_t{256} << 20, nullptr, 0);
    Execution by_integers{1, cpu::detected_isa(), room, judged, Limits::infinity()};
    cpu::integer_gemm(t.gemm(want), Mode{ACCUBLAS_MODE_FIXED, bits, false, false}, by_integers);
    for (cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512, cpu::Isa::neon}) {
      if (isa > cpu::detected_isa()) continue;
      std::vector<T> got = t.c;
      accublas_report_t report{};
      Workspace workspace(std::size_t{256} << 20, nullptr, 0);
      Execution execution{1 + 2 * (n % 2), isa, workspace, report};
      ASSERT_TRUE(cpu::fixed_by_sums(t.gemm(got), bits, execution));
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(to_bits(got[i]), to_bits(want[i]))
            << "case " << n << " fixed:" << bits << " sizes " << t.m << " " << t.n << " " << t.k << " alpha " << t.alpha
            << " beta " << t.beta << " isa " << cpu::isa_name(isa) << " at " << i;
      // The target's bound is zero too if a line that loses bits is multiplied by lines of zeros alone.
      EXPECT_TRUE(report.bound_componentwise == 0 || std::isinf(report.bound_componentwise)) << n;
      EXPECT_GE(report.bound_componentwise, judged.bound_componentwise) << n;
      EXPECT_EQ(report.bits, bits);
    }
  }
}

/// Compensated sums decide sums that lie far below the limits of their chains. Products and results may underflow.
TYPED_TEST(CrGemm, DecayingData) {
  using T = TypeParam;
  Random random(11);
  const double range = sizeof(T) == 8 ? 600 : 60;
  const T scalars[] = {1, -1, T(0.3), static_cast<T>(std::ldexp(1.5, -static_cast<int>(range))),
                       static_cast<T>(std::ldexp(1.5, static_cast<int>(range)))};
  for (int n = 0; n < 5 * static_cast<int>(Decay::count); ++n) {
    const Decay decay = static_cast<Decay>(n % static_cast<int>(Decay::count));
    const bool deep = n % 6 == 5;
    const Index order = deep ? cpu::tuning().engine.deep_terms + 90 : pick(random, 60, 200),
                m = deep ? 20 : order - pick(random, 0, 9), cols = pick(random, 1, deep ? 9 : 40);
    GemmCase<T> t{m, cols, order, scalars[pick(random, 0, 4)], T(0), {}, {}, {}, pick(random, 0, 2)};
    if (pick(random, 0, 1)) t.beta = scalars[pick(random, 0, 4)];
    t.take();
    std::vector<T> none(t.c.size());
    const Gemm<T> g = t.gemm(none);
    const auto set = GemmCase<T>::set;
    // Some rows and columns are large or tiny as a whole, or hold an Inf or a NaN.
    const auto factor = [&] {
      const int e = pick(random, 0, 7) == 0 ? static_cast<int>(range * pick(random, -1, 1)) : 0;
      return static_cast<T>(std::ldexp(1.0, e));
    };
    for (Index i = 0; i < m; ++i) {
      const T by = factor();
      for (Index p = 0; p < order; ++p) set(t.a, g.a(i, p), by * decaying_entry<T>(random, decay, i, p, order));
    }
    for (Index j = 0; j < cols; ++j) {
      const T by = factor();
      for (Index p = 0; p < order; ++p) set(t.b, g.b(p, j), by * decaying_entry<T>(random, decay, p, 4 * j, order));
    }
    if (n % 4 == 3) {
      set(t.a, g.a(m / 2, order / 3), std::numeric_limits<T>::infinity());
      set(t.b, g.b(order / 5, cols / 2), std::numeric_limits<T>::quiet_NaN());
    }
    for (T& c : t.c) c = t.beta == 0 ? std::numeric_limits<T>::quiet_NaN() : decaying_entry<T>(random, decay, 0, 9, 99);
    check_gemm(t, n);
    if (this->HasFatalFailure()) return;
  }
}

/// Tests several tasks and threads, and inner dimensions up to the longest chains and one beyond.
TYPED_TEST(CrGemm, LargeShapes) {
  Random random(8);
  const Index shapes[][3] = {{300, 270, 9},
                             {40, 50, 1500},
                             {20, 3, cpu::tuning().engine.deep_terms},
                             {2, 3, cpu::tuning().engine.deep_terms + 1}};
  for (int n = 0; n < 12; ++n) {
    check_gemm(make_gemm<TypeParam>(random, shapes[n % 4][0], shapes[n % 4][1], shapes[n % 4][2]), n);
    if (this->HasFatalFailure()) return;
  }
}

/// Inner dimensions beyond one chain are summed in several chains. The test has sizes around those of chains and of
/// blocks, several threads, and small workspaces.
TYPED_TEST(CrGemm, DeepShapes) {
  Random random(10);
  const Index depths[] = {cpu::tuning().engine.deep_terms + 1, 3 * 1024 - 1, 3 * 1024, 3 * 1024 + 1, 5000};
  for (int n = 0; n < 16; ++n) {
    const bool wide = n % 8 == 7;
    check_gemm(make_gemm<TypeParam>(random, wide ? 70 : pick(random, 1, 20), pick(random, 1, wide ? 20 : 9),
                                    depths[n % 5] + (n < 5 ? 0 : pick(random, 0, 200))),
               n);
    if (this->HasFatalFailure()) return;
  }
}

/// Ziv's test of a tile rests on this: no sum is farther from the exact one than its bound, and no bound is too large.
TYPED_TEST(CrGemm, SumsWithinTheirBounds) {
  using T = TypeParam;
  Random random(9);
  for (int n = 0; n < 24; ++n) {
    const Index k = n % 8 == 7 ? 1024 : pick(random, 1, 300);
    for (cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512, cpu::Isa::neon}) {
      if (isa > cpu::detected_isa()) continue;
      const cpu::CrGemmKernel<T>& kernel = cpu::kernels_for<cpu::CrGemmKernel<T>>(isa);
      const Index lines = kernel.lines, words = ceil_div(k, 64), rows = pick(random, 1, kernel.lines);
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
      const cpu::CrLines row{&known[0], &known[lines], &nonzero[0]},
          col{&known[2 * lines], &known[3 * lines], &nonzero[lines * words]};
      cpu::kernels_for<cpu::CrPanelKernels>(isa).measure(k, lines, panel_a.data(), row);
      cpu::kernels_for<cpu::CrPanelKernels>(isa).measure(k, lines, panel_b.data(), col);
      for (cpu::Speed speed : {cpu::Speed::full, cpu::Speed::swift, cpu::Speed::compensated}) {
        std::vector<double> high(64), low(64), rest(64);
        std::vector<T> out(64);
        cpu::CrTile<T> tile = cpu::tile_of_terms<T>(k);
        tile.rows = rows;
        tile.a = panel_a.data();
        tile.b = panel_b.data();
        tile.row = row;
        tile.col = col;
        tile.error = cpu::tile_error<T>(speed, k);
        tile.alpha_power_of_two = true;
        tile.alpha = 1;
        tile.out = out.data();
        tile.high = high.data();
        tile.low = low.data();
        tile.rest = rest.data();
        kernel.tile[static_cast<int>(speed)](tile);
        for (Index i = 0; i < rows; ++i)
          for (Index j = 0; j < kernel.cols; ++j) {
            Real exact;
            double most_a = 0, most_b = 0, magnitudes = 0;
            for (Index p = 0; p < k; ++p) {
              exact = exact + Real(a[i * k + p]) * Real(b[j * k + p]);
              most_a = std::max(most_a, std::fabs(static_cast<double>(a[i * k + p])));
              most_b = std::max(most_b, std::fabs(static_cast<double>(b[j * k + p])));
              magnitudes += std::fabs(static_cast<double>(a[i * k + p]) * static_cast<double>(b[j * k + p]));
            }
            const Index at = j * lines + i;
            const Real error = (exact - Real(high[at]) - Real(low[at])).magnitude();
            EXPECT_TRUE(error.all_exact() && error <= Real(rest[at]))
                << "speed " << static_cast<int>(speed) << " isa " << cpu::isa_name(isa) << " case " << n << " (" << i
                << ", " << j << ")";
            const bool plain = speed == cpu::Speed::swift && sizeof(T) == sizeof(float);
            if (speed == cpu::Speed::compensated || plain) {
              EXPECT_LE(rest[at], (plain ? most_a * most_b : magnitudes) * tile.error * (1 + 0x1p-20) + 0x1p-900);
              continue;
            }
            const double quantum = tile.quantum2 * (speed == cpu::Speed::full ? 0x1p-40 : 2);
            EXPECT_LE(rest[at],
                      most_a * most_b * static_cast<double>(k) * quantum + std::fabs(low[at]) * 0x1p-50 + 0x1p-900)
                << "speed " << static_cast<int>(speed) << " isa " << cpu::isa_name(isa) << " case " << n;
          }
      }
    }
  }
}

/// Products of decaying matrices leave little to the exact accumulators.
TYPED_TEST(CrGemm, DecayIsDecided) {
  using T = TypeParam;
  Random random(12);
  const Index order = 300;
  for (int kind = 0; kind < static_cast<int>(Decay::count); ++kind) {
    std::vector<T> a(order * order), b(order * order), c(order * order);
    for (Index j = 0; j < order; ++j)
      for (Index i = 0; i < order; ++i) {
        a[i + j * order] = decaying_entry<T>(random, static_cast<Decay>(kind), i, j, order);
        b[i + j * order] = decaying_entry<T>(random, static_cast<Decay>(kind), i, j, order);
      }
    accublas_report_t report{};
    Workspace workspace(std::size_t{256} << 20, nullptr, 0);
    Execution execution{1, cpu::detected_isa(), workspace, report};
    cpu::cr_gemm(
        Gemm<T>{order, order, order, T(1), {a.data(), 1, order}, {b.data(), 1, order}, T(0), {c.data(), 1, order}},
        execution);
    EXPECT_LE(report.undecided, order * order / 50) << kind;
  }
}

/// A large entry that is multiplied by a zero limits the scaling of its line, so that small products underflow. Their
/// sum is not zero: it decides a tie, and the sign of a zero.
TEST(CrGemmUnderflow, IsNoZero) {
  const Index m = 16, n = 8, k = 3;
  for (const double addend : {0.0, 1 + 0x1p-52}) {
    const double beta = addend == 0 ? 0 : 1.5;  // the product ends with half a last place
    std::vector<double> a(m * k), b(k * n), c(m * n, addend);
    for (Index i = 0; i < m; ++i) a[i] = -0x1.cp-956, a[i + 2 * m] = 0x1.cp382;
    for (Index j = 0; j < n; ++j) b[k * j] = 0x1p-971, b[1 + k * j] = 0x1.4p-241;
    for (const cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512, cpu::Isa::neon}) {
      if (isa > cpu::detected_isa()) continue;
      std::vector<double> out = c;
      accublas_report_t report{};
      Workspace workspace(std::size_t{1} << 24, nullptr, 0);
      Execution execution{1, isa, workspace, report};
      cpu::cr_gemm<double>({m, n, k, 1, {a.data(), 1, m}, {b.data(), 1, k}, beta, {out.data(), 1, m}}, execution);
      const double want = addend == 0 ? -0.0 : 0x1.8000000000001p+0;
      for (const double x : out) ASSERT_EQ(to_bits(x), to_bits(want)) << cpu::isa_name(isa) << std::hexfloat << x;
    }
  }
}

/// The exact accumulators get nearly no elements, and none if sums have few bits, sparse or dense. A single undecided
/// element of a tile goes to them before `full` is tried, so that small tiles leave more: of sparse data with phi 4, 22
/// on the baseline, 33 with AVX2, and at most 20 with AVX-512.
TYPED_TEST(CrGemm, OnePassDecides) {
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
    EXPECT_LE(report.undecided, order * order / 200) << kind;
  }
}

}  // namespace
