// Engine fp64 against a literal transcription of docs/modes.md in GMP integers, which shares nothing with the library:
// slices:D, slices:D:fast, fixed:T, dp:repro, sp:repro, cr; bit by bit.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "lib/cpu/engines.hpp"
#include "test/unit/fp64_definition.hpp"

namespace accublas::cpu {
namespace {

// Inputs that tell the definitions apart from their neighbours.
struct Data {
  std::mt19937_64 rng;
  explicit Data(std::uint64_t seed) : rng(seed) {}
  int below(int n) { return static_cast<int>(rng() % static_cast<std::uint64_t>(n)); }
  double uniform() { return std::ldexp(static_cast<double>(static_cast<std::int64_t>(rng())), -63); }

  enum Kind { plain, wide, few_bits, ties, sparse, huge, tiny, all_range, kinds };

  template <class T>
  T entry(int kind) {
    const bool d = sizeof(T) == 8;
    std::normal_distribution<double> normal;
    double x = uniform();
    switch (kind) {
      case plain:
        return static_cast<T>(x * std::exp(normal(rng)));
      case wide:
        return static_cast<T>(x * std::exp((d ? 10 : 4) * normal(rng)));
      case few_bits:
        return static_cast<T>(std::ldexp(below(15) - 7, below(d ? 60 : 20)));
      case ties:  // one bit at the top, one at a place where a slice or T bits end
        return static_cast<T>(std::ldexp(below(3) - 1, 0) + std::ldexp(below(7) - 3, -10 - below(d ? 43 : 14)));
      case sparse:
        return below(4) ? T{0} : static_cast<T>(std::ldexp(x, -below(d ? 400 : 40)));
      case huge:
        return static_cast<T>(std::ldexp(x, (d ? 1023 : 127) - below(4)));
      case tiny:
        return static_cast<T>(std::ldexp(x, (d ? -1022 : -126) - below(d ? 52 : 23)));
      default:
        return static_cast<T>(std::ldexp(x, below(d ? 2090 : 270) - (d ? 1072 : 145)));
    }
  }

  template <class T>
  Problem<T> problem(Index largest_mn, Index largest_k) {
    Problem<T> g{1 + below(static_cast<int>(largest_mn)),
                 1 + below(static_cast<int>(largest_mn)),
                 1 + below(static_cast<int>(largest_k)),
                 T{1},
                 T{0},
                 {},
                 {},
                 {}};
    const int ka = below(kinds), kb = below(3) ? ka : below(kinds);
    for (Index x = 0; x < g.m * g.k; ++x) g.a.push_back(entry<T>(ka));
    for (Index x = 0; x < g.k * g.n; ++x) g.b.push_back(entry<T>(kb));
    for (Index x = 0; x < g.m * g.n; ++x) g.c.push_back(entry<T>(below(kinds)));
    if (below(3) == 0) {
      const Index zero = below(static_cast<int>(g.m));
      for (Index p = 0; p < g.k; ++p) g.a[zero + p * g.m] = 0;
    }
    if (below(4) == 0) {  // a column that cancels against another
      for (Index p = 0; p < g.k; ++p) g.b[p] = p % 2 ? -g.b[p - 1] : g.b[p];
      for (Index p = 1; p < g.k; p += 2)
        for (Index i = 0; i < g.m; ++i) g.a[i + p * g.m] = g.a[i + (p - 1) * g.m];
    }
    if (below(2)) g.alpha = entry<T>(plain);
    if (below(4) == 0) g.alpha = std::ldexp(T{1}, below(40) - 20);
    if (g.alpha == T{0}) g.alpha = 1;
    if (below(2)) g.beta = entry<T>(plain);
    return g;
  }
};

template <class T>
std::vector<T> computed(const Problem<T>& g, const Mode& mode, std::size_t cap, int threads,
                        accublas_report_t* report) {
  Workspace workspace(cap, nullptr, 0);
  accublas_report_t local{};
  Execution execution{threads, threads == 1 ? Isa::baseline : detected_isa(), workspace, report ? *report : local};
  std::vector<T> c = g.c;
  fp64_gemm<T>({g.m, g.n, g.k, g.alpha, {g.a.data(), 1, g.m}, {g.b.data(), 1, g.k}, g.beta, {c.data(), 1, g.m}}, mode,
               execution);
  return c;
}

template <class T>
testing::AssertionResult same_bits(const std::vector<T>& got, const std::vector<T>& want, const std::string& what) {
  for (std::size_t x = 0; x < got.size(); ++x) {
    if (std::memcmp(&got[x], &want[x], sizeof(T)) != 0) {
      return testing::AssertionFailure() << what << ": element " << x << " is " << std::hexfloat << got[x] << ", not "
                                         << want[x];
    }
  }
  return testing::AssertionSuccess();
}

template <class T>
class Fp64 : public testing::Test {
 protected:
  /// Random problems in a random mode of `modes`, under several caps and threads.
  void check(std::uint64_t seed, int cases, Index mn, Index k, const std::vector<Mode>& modes) {
    for (int x = 0; x < cases; ++x) {
      Data data(seed + static_cast<std::uint64_t>(x));
      const Problem<T> g = data.problem<T>(mn, k);
      const Mode mode = modes[data.rng() % modes.size()];
      const std::string what = "seed " + std::to_string(seed) + "+" + std::to_string(x) + " mode " +
                               std::to_string(mode.kind) + ":" + std::to_string(mode.parameter) +
                               (mode.fast ? ":fast" : "") + " " + std::to_string(g.m) + "x" + std::to_string(g.n) +
                               "x" + std::to_string(g.k);
      const std::vector<T> want = reference(g, mode);
      EXPECT_TRUE(same_bits(computed(g, mode, std::size_t{64} << 20, 2, nullptr), want, what));
      EXPECT_TRUE(same_bits(computed(g, mode, std::size_t{70} << 10, 1, nullptr), want, what + " small workspace"));
      if (this->HasFailure()) return;
    }
  }
};

using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Fp64, Types);

std::vector<Mode> slice_modes() {
  std::vector<Mode> modes;
  for (const int d : {1, 2, 3, 4, 6, 9, 50})
    for (const bool fast : {false, true}) modes.push_back({ACCUBLAS_MODE_SLICES, d, fast, false});
  return modes;
}

TYPED_TEST(Fp64, Slices) {
  this->check(1000, 400, 5, 12, slice_modes());
  this->check(3000, 60, 12, 200, slice_modes());
  this->check(4000, 6, 3, 9000, slice_modes());
}

TYPED_TEST(Fp64, Fixed) {
  std::vector<Mode> modes;
  for (const int t : {2, 3, 7, 20, 21, 24, 41, 42, 48, 50, 53, 54, 62, 63, 64, 90, 149, 150})
    modes.push_back({ACCUBLAS_MODE_FIXED, t, false, false});
  this->check(1000, 600, 5, 12, modes);
  this->check(2000, 60, 12, 200, modes);
  this->check(3000, 6, 3, 9000, modes);
}

TYPED_TEST(Fp64, CorrectlyRounded) {
  const std::vector<Mode> modes{{ACCUBLAS_MODE_CR, 0, false, false}};
  this->check(1000, 600, 5, 12, modes);
  this->check(2000, 60, 12, 200, modes);
  this->check(3000, 6, 3, 9000, modes);
}

TYPED_TEST(Fp64, Reproducible) {
  const std::vector<Mode> modes{{sizeof(TypeParam) == 8 ? ACCUBLAS_MODE_DP : ACCUBLAS_MODE_SP, 0, false, true}};
  this->check(1000, 600, 5, 12, modes);
  this->check(2000, 60, 12, 200, modes);
  this->check(3000, 10, 4, 3000, modes);
}

TYPED_TEST(Fp64, AnyStridesAndSpecialValues) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<Mode> modes{{ACCUBLAS_MODE_SLICES, 3, false, false},
                                {ACCUBLAS_MODE_SLICES, 3, true, false},
                                {ACCUBLAS_MODE_FIXED, 53, false, false},
                                {ACCUBLAS_MODE_CR, 0, false, false},
                                {sizeof(T) == 8 ? ACCUBLAS_MODE_DP : ACCUBLAS_MODE_SP, 0, false, true}};
  for (int x = 0; x < 60; ++x) {
    Data data(static_cast<std::uint64_t>(x));
    Problem<T> g = data.problem<T>(6, 20);
    const Mode mode = modes[static_cast<std::size_t>(x) % modes.size()];
    const std::vector<T> want = reference(g, mode);
    // This block repeats the problem with row-major A, B of doubled strides, and C backwards.
    std::vector<T> a(static_cast<std::size_t>(g.m * g.k)), b(static_cast<std::size_t>(4 * g.k * g.n)), c(g.c.size());
    for (Index i = 0; i < g.m; ++i)
      for (Index p = 0; p < g.k; ++p) a[i * g.k + p] = g.a[i + p * g.m];
    for (Index j = 0; j < g.n; ++j)
      for (Index p = 0; p < g.k; ++p) b[2 * (p + 2 * j * g.k)] = g.b[p + j * g.k];
    for (std::size_t e = 0; e < c.size(); ++e) c[e] = g.c[c.size() - 1 - e];
    Workspace workspace(std::size_t{64} << 20, nullptr, 0);
    accublas_report_t report{};
    Execution execution{2, detected_isa(), workspace, report};
    fp64_gemm<T>({g.m,
                  g.n,
                  g.k,
                  g.alpha,
                  {a.data(), g.k, 1},
                  {b.data(), 2, 4 * g.k},
                  g.beta,
                  {c.data() + c.size() - 1, -1, -g.m}},
                 mode, execution);
    std::vector<T> forwards(c.rbegin(), c.rend());
    EXPECT_TRUE(same_bits(forwards, want, "strides " + std::to_string(x)));

    // A NaN and an Inf reach their rows only, and as exact arithmetic says.
    const std::size_t ia = data.rng() % g.a.size();
    g.a[ia] = x % 2 ? nan : inf;
    accublas_report_t special{};
    const std::vector<T> got = computed(g, mode, std::size_t{64} << 20, 1, &special);
    const Index row = static_cast<Index>(ia) % g.m;
    for (Index i = 0; i < g.m; ++i) {
      for (Index j = 0; j < g.n; ++j) {
        const T value = got[i + j * g.m];
        if (i != row) {
          // T* of the call may change without the row; element-local modes may not.
          if (mode.kind != ACCUBLAS_MODE_DP && mode.kind != ACCUBLAS_MODE_SP) {
            EXPECT_TRUE(same_bits<T>({value}, {want[i + j * g.m]}, "beside special"));
          }
        } else {
          std::vector<T> line(static_cast<std::size_t>(g.k)), col(static_cast<std::size_t>(g.k));
          for (Index p = 0; p < g.k; ++p) line[p] = g.a[i + p * g.m], col[p] = g.b[p + j * g.k];
          const T expected =
              exact_element<T>(g.k, g.alpha, {line.data(), 1}, {col.data(), 1}, g.beta, &g.c[i + j * g.m]);
          EXPECT_TRUE(same_bits<T>({value}, {expected}, "special"));
          EXPECT_FALSE(std::isfinite(value));
        }
      }
    }
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Fp64, SlicesOfVectors) {
  using T = TypeParam;
  for (int x = 0; x < 100; ++x) {
    Data data(static_cast<std::uint64_t>(500 + x));
    Problem<T> g = data.problem<T>(1, x % 10 ? 60 : 3000);
    const Mode mode{ACCUBLAS_MODE_SLICES, 1 + data.below(5), data.below(2) != 0, false};
    Workspace workspace(std::size_t{64} << 20, nullptr, 0);
    accublas_report_t report{};
    Execution execution{2, detected_isa(), workspace, report};
    const std::vector<T> want = reference(g, mode);
    T y = g.c[0];
    slices_gemv<T>({1, g.k, g.alpha, {g.a.data(), 1, 1}, {g.b.data(), 1}, g.beta, {&y, 1}}, mode, execution);
    EXPECT_TRUE(same_bits<T>({y}, want, "gemv"));
    g.alpha = 1, g.beta = 0;
    T result = 3;
    slices_dot<T>({g.k, {g.a.data(), 1}, {g.b.data(), 1}, &result}, mode, execution);
    EXPECT_TRUE(same_bits<T>({result}, reference(g, mode), "dot"));
  }
}

}  // namespace
}  // namespace accublas::cpu
