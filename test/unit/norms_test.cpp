// NRM2 and ASUM: the rounding of a root against MPFR, and the engines dot2 and sums against MPFR, against each other
// for every instruction set and number of threads, and dot2 against its own definition in scalar code.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/cpu/dot2/dot2.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/finish_root.hpp"
#include "test/unit/mpfr_reference.hpp"
#include "test/unit/random.hpp"

namespace {

using namespace accublas;
using accublas_test::pick;
using accublas_test::Random;
using accublas_test::Real;

template <class T>
void expect_bits(T got, T want, const char* what) {
  ASSERT_EQ(to_bits(got), to_bits(want)) << what << ": got " << got << " want " << want;
}

template <class T>
T rounded_root(const Real& x) {
  T out;
  x.root().round(&out);
  return out;
}

// --- finish_root ---------------------------------------------------------------------------------------------------

template <int L>
Wide<L> square_of(std::uint64_t m) {
  static_assert(L >= 2);
  const Uint128 s = static_cast<Uint128>(m) * m;
  Wide<L> r{};
  r.limb[0] = static_cast<std::uint64_t>(s);
  r.limb[1] = static_cast<std::uint64_t>(s >> 64);
  return r;
}

template <class T, int L>
void check_root(const Wide<L>& v, int exponent) {
  Wide<L + 1> sign{};  // Real takes two's complement
  for (int i = 0; i < L; ++i) sign.limb[i] = v.limb[i];
  expect_bits(finish_root<T>(v, false, exponent), rounded_root<T>(Real(sign.limb, L + 1, exponent)), "finish_root");
}

template <class T>
class Root : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Root, Types);

TYPED_TEST(Root, RandomIntegersOfEveryLength) {
  using T = TypeParam;
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    Wide<4> v{};
    const int length = pick(random, 1, 256);
    for (auto& limb : v.limb) limb = random();
    for (int bit = length; bit < 256; ++bit) v.limb[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
    const int spread = sizeof(T) == 8 ? 2200 : 300;
    ASSERT_NO_FATAL_FAILURE((check_root<T>(v, pick(random, -spread, spread / 2))));
  }
}

// The root is a number of the type, halfway between two of them, or next to one of these on either side.
TYPED_TEST(Root, SquaresAndMidpoints) {
  using T = TypeParam;
  constexpr int p = FloatFormat<T>::digits;
  Random random(2);
  for (int round = 0; round < 3000; ++round) {
    const int extra = pick(random, 0, 2);  // bits beyond the type's: 1 makes midpoints
    std::uint64_t m = (random() >> (64 - p - extra)) | std::uint64_t{1} << (p + extra - 1);
    if (pick(random, 0, 1)) m |= 1;
    if (round < 4) m = (std::uint64_t{1} << (p + extra)) - 1 - static_cast<std::uint64_t>(round % 2);
    const int shift = pick(random, 0, 60);
    Wide<4> v = wide_shift_left(square_of<4>(m), 2 * shift);
    const int exponent = pick(random, -80, 80);
    ASSERT_NO_FATAL_FAILURE((check_root<T>(v, exponent)));
    ASSERT_NO_FATAL_FAILURE((check_root<T>(wide_add(v, wide_from<4>(1)), exponent)));
    ASSERT_NO_FATAL_FAILURE((check_root<T>(wide_sub(v, wide_from<4>(1)), exponent)));
  }
}

TYPED_TEST(Root, SubnormalAndOverflowingResults) {
  using T = TypeParam;
  using F = FloatFormat<T>;
  for (std::uint64_t m = 0; m < 40; ++m)
    for (int e = -8; e <= 8; ++e) ASSERT_NO_FATAL_FAILURE((check_root<T>(Wide<2>{{m, 0}}, 2 * F::min_exponent + e)));
  // The middle between the largest number and 2^(max_exponent + digits), squared: the first root that overflows.
  const std::uint64_t middle = (std::uint64_t{1} << (F::digits + 1)) - 1;
  const Wide<2> square = square_of<2>(middle);
  for (int d = -1; d <= 1; ++d)
    ASSERT_NO_FATAL_FAILURE((check_root<T>(wide_add(square, wide_from<2>(d)), 2 * (F::max_exponent - 1))));
  expect_bits(finish_root<T>(square, false, 2 * (F::max_exponent - 1)), std::numeric_limits<T>::infinity(),
              "tie to overflow");
  expect_bits(finish_root<T>(Wide<2>{}, false, 0), T(0), "zero");
}

TYPED_TEST(Root, IntegerRootAtItsEdges) {
  const Uint128 least = static_cast<Uint128>(1) << 126, most = ~Uint128{0};
  const auto check = [](Uint128 v) {
    bool exact;
    const std::uint64_t r = detail::integer_root(v, &exact);
    ASSERT_LE(static_cast<Uint128>(r) * r, v);
    if (~r != 0) {
      ASSERT_GT(static_cast<Uint128>(r + 1) * (r + 1), v);
    }
    ASSERT_EQ(exact, static_cast<Uint128>(r) * r == v);
  };
  for (unsigned d = 0; d < 100; ++d) {
    check(least + d);
    check(most - d);
    check((static_cast<Uint128>(1) << 127) + d);
  }
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    const std::uint64_t r = random() | std::uint64_t{1} << 63;
    const Uint128 square = static_cast<Uint128>(r) * r;
    for (int d = -2; d <= 2; ++d)
      if (d >= 0 || square > least + 2) check(square + static_cast<Uint128>(static_cast<Int128>(d)));
    check((static_cast<Uint128>(random()) << 64 | random()) | least);
  }
}

TYPED_TEST(Root, PairsAndTheirIntervals) {
  using T = TypeParam;
  Random random(4);
  int decided = 0, wrong = 0;
  for (int round = 0; round < 4000; ++round) {
    // s may be a square, so that c decides which side of a number or a midpoint the root lies on.
    double s = std::ldexp(1.0 + std::generate_canonical<double, 53>(random), pick(random, -700, 700));
    if (pick(random, 0, 1)) {
      const double r = static_cast<double>((random() >> 38) | 1);
      s = std::ldexp(r * r, pick(random, -300, 300));
    }
    const int gap = pick(random, 0, 3) == 0 ? pick(random, 0, 300) : 0;
    double c =
        pick(random, 0, 5) == 0 ? 0 : std::ldexp(s, -53 - gap) * (std::generate_canonical<double, 53>(random) - 0.5);
    const int scale = pick(random, -1, 1) * 600;
    const Real exact = (Real(s) + Real(c)).times_power(2 * scale);
    expect_bits(finish_root_pair<T>(s, c, scale), rounded_root<T>(exact), "finish_root_pair");
    const double error = std::ldexp(s, -pick(random, 40, 130));
    T out = 0;
    if (!finish_root_within(s, c, error, scale, &out)) continue;
    ++decided;
    for (const double end : {-error, error}) {
      T at_end;
      (Real(s) + Real(c) + Real(end)).times_power(2 * scale).root().round(&at_end);
      wrong += to_bits(at_end) != to_bits(out);
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(decided, 1000);
}

// --- engines -------------------------------------------------------------------------------------------------------

enum class Data { uniform, wide, integers, roots, tiny, huge, subnormal, edges, zeros, count };

template <class T>
std::vector<T> data(Random& random, Data kind, Index n) {
  std::normal_distribution<double> normal;
  constexpr int top = std::numeric_limits<T>::max_exponent, p = std::numeric_limits<T>::digits;
  constexpr int limits[] = {-401, -400, -399, 479, 480, 481, top - 1, top};
  const int edge = sizeof(T) == 8 ? limits[pick(random, 0, 7)] : pick(random, -130, 127);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const double u = std::uniform_real_distribution<double>(-1, 1)(random);
    double v = 0;
    switch (kind) {
      case Data::uniform:
        v = u;
        break;
      case Data::wide:
        v = u * std::exp(sizeof(T) == 8 ? 10 * normal(random) : 3 * normal(random));
        break;
      case Data::integers:
        v = pick(random, -9, 9);
        break;
      case Data::roots: {  // squares of midpoints, with few more bits
        const double head[] = {std::ldexp(1.0, p), std::ldexp(1.0, ceil_div(p, 2)),
                               p % 2 ? 1.0 : std::ldexp(1.0, p / 2), p % 2 ? 0.0 : 1.0};
        v = i < 4 ? head[i] : i == 4 ? std::ldexp(1.0, -pick(random, 0, 60)) : 0;
        break;
      }
      case Data::tiny:
        v = std::ldexp(u, -top / 2 + pick(random, -30, 10));
        break;
      case Data::huge:
        v = std::ldexp(u, top - pick(random, 0, 20));
        break;
      case Data::subnormal:
        v = std::ldexp(u, -top - pick(random, 0, p));
        break;
      case Data::edges:
        v = std::ldexp(u, edge);
        break;
      default:
        v = 0;
    }
    x[static_cast<std::size_t>(i)] = static_cast<T>(v);
  }
  return x;
}

struct Exact {
  Real squares, magnitudes;
};

template <class T>
Exact exact_sums(const Reduction<T>& r) {
  Exact e;
  for (Index i = 0; i < r.n; ++i) {
    const Real x(static_cast<double>(r.x[i]));
    e.squares = e.squares + x * x;
    e.magnitudes = e.magnitudes + x.magnitude();
  }
  return e;
}

/// One engine on one problem: the result and the report.
struct Setting {
  cpu::Isa isa;
  int threads;
};

template <class T, class Engine>
T run(Engine engine, Reduction<T> r, Setting setting, accublas_report_t& report) {
  Workspace workspace(std::size_t{1} << 26, nullptr, 0);
  report = {};
  Execution execution{setting.threads, setting.isa, workspace, report};
  T out = -1;
  r.result = &out;
  engine(r, execution);
  return out;
}

std::vector<Setting> settings(Index n) {
  std::vector<Setting> list;
  for (const cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512, cpu::Isa::neon}) {
    if (isa > cpu::detected_isa()) continue;
    list.push_back({isa, 1});
    if (n > 20000) list.push_back({isa, 3});
  }
  return list;
}

/// abs(got - exact) <= (u + gamma^2 (s: gamma)) exact + the least subnormal
template <class T>
void expect_within(T got, const Real& exact, Index n, const char* what) {
  if (!std::isfinite(got)) {  // RN of what overflows
    T rounded;
    exact.round(&rounded);
    ASSERT_TRUE(got > 0 && !std::isfinite(rounded)) << what;
    return;
  }
  const Dot2Bound bound = dot2_bound(dot2_depth_dot(n), n, unit_roundoff<T>());
  const Real error = (Real(static_cast<double>(got)) - exact).magnitude();
  ASSERT_TRUE(error <=
              exact * Real(bound.relative + bound.componentwise) * Real(1 + 0x1p-30) + Real(least_subnormal<T>()))
      << what << " " << got;
}

template <class T>
class Norms : public testing::Test {
 protected:
  void check(const std::vector<T>& storage, Index n, Index stride) {
    const Index first = stride < 0 ? -(n - 1) * stride : 0;
    const Reduction<T> r{n, {storage.data() + first, stride}, nullptr};
    const Exact exact = exact_sums(r);
    T nrm2, asum;
    exact.squares.root().round(&nrm2);
    exact.magnitudes.round(&asum);
    ASSERT_NO_FATAL_FAILURE(expect_bits(cpu::exact_nrm2(n, r.x), nrm2, "exact nrm2"));
    ASSERT_NO_FATAL_FAILURE(expect_bits(cpu::exact_asum(n, r.x), asum, "exact asum"));
    accublas_report_t report;
    T dot2_nrm2 = -1, dot2_asum = -1;
    for (const Setting& setting : settings(n)) {
      ASSERT_NO_FATAL_FAILURE(expect_bits(run<T>(cpu::cr_nrm2<T>, r, setting, report), nrm2, "cr nrm2"));
      undecided_ += report.undecided;
      ASSERT_NO_FATAL_FAILURE(expect_bits(run<T>(cpu::cr_asum<T>, r, setting, report), asum, "cr asum"));
      undecided_ += report.undecided;
      const T s = run<T>(cpu::dot2_nrm2<T>, r, setting, report), t = run<T>(cpu::dot2_asum<T>, r, setting, report);
      if (dot2_nrm2 < 0) {
        dot2_nrm2 = s;
        dot2_asum = t;
        ASSERT_NO_FATAL_FAILURE(expect_within(s, exact.squares.root(), n, "dot2 nrm2"));
        ASSERT_NO_FATAL_FAILURE(expect_within(t, exact.magnitudes, n, "dot2 asum"));
      }
      ASSERT_NO_FATAL_FAILURE(expect_bits(s, dot2_nrm2, "dot2 nrm2 by another instruction set"));
      ASSERT_NO_FATAL_FAILURE(expect_bits(t, dot2_asum, "dot2 asum by another instruction set"));
    }
    // The definition's pair, one operation at a time.
    T largest = 0;
    for (Index i = 0; i < n; ++i) largest = std::max(largest, std::fabs(r.x[i]));
    const int scale = sizeof(T) == 4                            ? 0
                      : largest < T(0x1p-400)                   ? -600
                      : static_cast<double>(largest) < 0x1p+480 ? 0
                                                                : 600;
    cpu::Dot2Sum<T> sum{cpu::Dot2Terms::squares, n, r.x};
    if constexpr (sizeof(T) == 8) sum.factor = std::ldexp(1.0, -scale);
    const cpu::Dot2Pair squares = cpu::dot2_tree(sum);
    const T root = rounded_root<T>((Real(squares.s) + Real(squares.c)).times_power(2 * scale));
    ASSERT_NO_FATAL_FAILURE(expect_bits(dot2_nrm2, root, "dot2 nrm2 by definition"));
    sum = {cpu::Dot2Terms::magnitudes, n, r.x};
    const cpu::Dot2Pair magnitudes = cpu::dot2_tree(sum);
    T want = asum;
    if (cpu::is_finite(magnitudes)) (Real(magnitudes.s) + Real(magnitudes.c)).round(&want);
    ASSERT_NO_FATAL_FAILURE(expect_bits(dot2_asum, want, "dot2 asum by definition"));
  }

  std::int64_t undecided_ = 0;
};
TYPED_TEST_SUITE(Norms, Types);

TYPED_TEST(Norms, EveryKindOfData) {
  using T = TypeParam;
  Random random(5);
  for (int kind = 0; kind < static_cast<int>(Data::count); ++kind)
    for (const Index n : {1, 2, 3, 4, 5, 6, 31, 32, 33, 100, 1023, 1025, 2049, 3100}) {
      if (n > 1000 && kind % 2) continue;
      const Index strides[] = {1, 1, 2, -1, -3};
      const Index stride = strides[pick(random, 0, 4)];
      const std::vector<T> x = data<T>(random, static_cast<Data>(kind), 1 + (n - 1) * std::abs(stride));
      SCOPED_TRACE(testing::Message() << "kind " << kind << " n " << n << " stride " << stride);
      ASSERT_NO_FATAL_FAILURE(this->check(x, n, stride));
    }
  EXPECT_GT(this->undecided_, 0) << "no tie was met";
}

TYPED_TEST(Norms, Threads) {
  using T = TypeParam;
  Random random(6);
  for (const Data kind : {Data::wide, Data::edges, Data::huge}) {
    const Index n = 60000;
    const std::vector<T> x = data<T>(random, kind, n);
    accublas_report_t report;
    const Reduction<T> r{n, {x.data(), 1}, nullptr};
    for (const Setting& setting : settings(n)) {
      expect_bits(run<T>(cpu::cr_nrm2<T>, r, setting, report), cpu::exact_nrm2(n, r.x), "cr nrm2");
      expect_bits(run<T>(cpu::cr_asum<T>, r, setting, report), cpu::exact_asum(n, r.x), "cr asum");
      const Setting first = settings(n)[0];
      expect_bits(run<T>(cpu::dot2_nrm2<T>, r, setting, report), run<T>(cpu::dot2_nrm2<T>, r, first, report),
                  "dot2 nrm2");
      expect_bits(run<T>(cpu::dot2_asum<T>, r, setting, report), run<T>(cpu::dot2_asum<T>, r, first, report),
                  "dot2 asum");
    }
  }
}

// An Inf, a NaN of any sign and payload, both, alone and among numbers whose squares overflow.
TYPED_TEST(Norms, SpecialValues) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), max = std::numeric_limits<T>::max();
  const T nan = -from_bits<T>(FloatFormat<T>::quiet_nan + 5);
  accublas_report_t report;
  for (const Index n : {1, 2, 33, 3000})
    for (const T filler : {T(1), max, T(0)})
      for (const int what : {0, 1, 2}) {
        std::vector<T> x(static_cast<std::size_t>(n), filler);
        x[static_cast<std::size_t>(n / 2)] = what == 0 ? -inf : nan;
        if (what == 2) x[0] = n == 1 ? nan : inf;
        const Reduction<T> r{n, {x.data(), 1}, nullptr};
        const T want = what == 0 ? inf : canonical_nan<T>();
        for (const Setting& setting : settings(n)) {
          expect_bits(run<T>(cpu::cr_nrm2<T>, r, setting, report), want, "cr nrm2");
          expect_bits(run<T>(cpu::cr_asum<T>, r, setting, report), want, "cr asum");
          expect_bits(run<T>(cpu::dot2_nrm2<T>, r, setting, report), want, "dot2 nrm2");
          expect_bits(run<T>(cpu::dot2_asum<T>, r, setting, report), want, "dot2 asum");
        }
      }
}

}  // namespace
