// The steps for elements that no pass decides, on the device: exact accumulators, special values, sums without a term,
// and C = beta C. The tests compare them bit by bit with lib/cpu/sums/exact.cpp.
#include "cuda/exact/exact.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/scale.hpp"
#include "cuda/exact/finish_in_place.hpp"
#include "cuda/exact/open_elements.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/finish.hpp"
#include "test/gpu/device_lines.hpp"

namespace accublas::test {
namespace {

enum class Data { wide, full_range, cancelling, integers, specials, banded };

template <class T>
T random_entry(std::mt19937_64& random, Data data) {
  constexpr bool dbl = sizeof(T) == 8;
  const double m = (static_cast<double>(random() >> 11) * 0x1p-53 + 0.5) * (random() % 2 ? 1 : -1);
  const auto exponent = [&](int range) {
    return static_cast<int>(random() % static_cast<unsigned>(2 * range + 1)) - range;
  };
  switch (data) {
    case Data::wide:
      return random() % 10 == 0 ? T(0) : static_cast<T>(std::ldexp(m, exponent(40)));
    case Data::full_range: {
      const T x = static_cast<T>(std::ldexp(m, exponent(dbl ? 1060 : 140)));
      return std::isfinite(x) ? x : std::numeric_limits<T>::max();
    }
    case Data::integers:
      return static_cast<T>(exponent(9));
    case Data::specials: {
      static const T values[] = {T(INFINITY), T(-INFINITY), T(NAN), T(0), T(-0.0)};
      return random() % 40 == 0 ? values[random() % 5] : static_cast<T>(m);
    }
    default:
      return static_cast<T>(std::ldexp(m, exponent(8)));
  }
}

template <class T>
struct Problem {
  Index m, n, k;
  bool transposed;  ///< k_stride is not 1
  T alpha, beta;
};

template <class T>
void check_exact(std::uint64_t seed, Data data, const Problem<T>& p, bool everything) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << " data " << static_cast<int>(data) << " alpha " << p.alpha
                                  << " beta " << p.beta);
  std::mt19937_64 random(seed);
  const auto matrix = [&](Index lines) {
    std::vector<T> a(static_cast<std::size_t>(lines * p.k));
    for (T& x : a) x = random_entry<T>(random, data);
    return a;
  };
  std::vector<T> a = matrix(p.m), b = matrix(p.n);
  const cuda::Operand<T> rows{nullptr, p.transposed ? 1 : p.k, p.transposed ? p.m : 1, p.m, p.k};
  const cuda::Operand<T> cols{nullptr, p.k, 1, p.n, p.k};
  const auto row_entry = [&](Index i, Index q) -> T& {
    return a[static_cast<std::size_t>(i * rows.stride + q * rows.k_stride)];
  };
  if (data == Data::cancelling) {
    // Pairs of terms cancel but for the last bits.
    for (Index i = 0; i < p.m; ++i)
      for (Index q = 0; q + 1 < p.k; q += 2) row_entry(i, q + 1) = -row_entry(i, q);
    for (Index j = 0; j < p.n; ++j)
      for (Index q = 0; q + 1 < p.k; q += 2) {
        T* const y = &b[static_cast<std::size_t>(j * p.k + q)];
        y[1] = random() % 2 ? y[0] : std::nextafter(y[0], T(0));
      }
  }
  if (data == Data::banded) {  // most blocks of terms have none that a row and a column share
    for (Index i = 0; i < p.m; ++i)
      for (Index q = 0; q < p.k; ++q)
        if (std::abs(q * p.m - i * p.k) > p.k) row_entry(i, q) = 0;
    for (Index j = 0; j < p.n; ++j)
      for (Index q = 0; q < p.k; ++q)
        if (std::abs(q * p.n - j * p.k) > p.k) b[static_cast<std::size_t>(j * p.k + q)] = 0;
  }
  HostLines row_lines(p.m, p.k, a, rows.stride, rows.k_stride), col_lines(p.n, p.k, b, cols.stride, cols.k_stride);
  std::vector<T> c(static_cast<std::size_t>(p.m * p.n));
  for (T& x : c) x = random_entry<T>(random, data == Data::specials ? data : Data::wide);
  const Index words = cuda::OpenBits::words_per_row(p.n);
  std::vector<std::uint32_t> open(static_cast<std::size_t>(p.m * words));
  std::vector<T> want = c;
  unsigned long long finite = 0;
  for (Index i = 0; i < p.m; ++i) {
    for (Index j = 0; j < p.n; ++j) {
      const bool special =
          row_lines.special[static_cast<std::size_t>(i)] || col_lines.special[static_cast<std::size_t>(j)];
      if (!special && !everything && random() % 4 != 0) continue;
      open[static_cast<std::size_t>(i * words + j / 32)] |= 1u << j % 32;
      finite += !special;
      T* const at = &want[static_cast<std::size_t>(i * p.n + j)];
      *at = cpu::exact_element<T>(p.k, p.alpha, {a.data() + i * rows.stride, rows.k_stride},
                                  {b.data() + j * cols.stride, 1}, p.beta, at);
    }
  }
  cuda::CallState state{};
  state.rows = row_lines.summary();
  state.cols = col_lines.summary();
  state.rejected = finite;
  DeviceLines device_rows(row_lines), device_cols(col_lines);
  DeviceArray<T> device_a(a), device_b(b);
  enum class Way { both, accumulators, grid_sums, grid_sums_of_few, tiles, all_by_tiles };
  for (Way way : {Way::both, Way::accumulators, Way::grid_sums, Way::grid_sums_of_few, Way::tiles, Way::all_by_tiles}) {
    const bool all = way == Way::all_by_tiles;
    if (all && !everything) continue;
    SCOPED_TRACE(testing::Message() << "way " << static_cast<int>(way));
    const bool grid_sums = way == Way::grid_sums || way == Way::grid_sums_of_few, tiles = way == Way::tiles || all;
    // Grid sums ask for the number to share few elements out; more of them are found all the same.
    state.rejected = way == Way::grid_sums_of_few ? std::min<unsigned long long>(finite, 1) : all ? 0 : finite;
    state.all_pending = all;
    DeviceState device_state(state);
    DeviceArray<T> device_c(c);
    DeviceArray<std::uint32_t> device_open(all ? std::vector<std::uint32_t>(open.size(), 0x5A5A5A5A) : open);
    cuda::ExactArguments<T> x{rows,
                              cols,
                              device_rows.lines(),
                              device_cols.lines(),
                              {device_c.data(), p.n, 1},
                              {p.alpha, nullptr},
                              {p.beta, nullptr},
                              device_open.data(),
                              device_state.data()};
    x.rows.data = device_a.data();
    x.cols.data = device_b.data();
    if (way == Way::both) cuda::exact(device_model(), x, nullptr);
    if (way == Way::accumulators) cuda::accumulate_open_elements(device_model(), x, nullptr);
    if (grid_sums) cuda::decide_by_grid_sums(device_model(), x, nullptr);
    if (tiles) cuda::decide_by_tiles(device_model(), x, {0, 1}, {0, 1}, nullptr);
    const std::vector<T> got = device_c.values();
    const std::vector<std::uint32_t> left = device_open.values();
    unsigned long long left_open = 0;
    for (Index i = 0; i < p.m; ++i) {
      for (Index j = 0; j < p.n; ++j) {
        const std::size_t at = static_cast<std::size_t>(i * p.n + j),
                          word = static_cast<std::size_t>(i * words + j / 32);
        const bool still = (left[word] >> j % 32 & 1) != 0;
        const T expected = still ? c[at] : want[at];
        ASSERT_EQ(to_bits(got[at]), to_bits(expected)) << i << ' ' << j << ": " << got[at] << " for " << expected;
        ASSERT_TRUE(!still || ((grid_sums || tiles) && (open[word] >> j % 32 & 1) != 0)) << i << ' ' << j;
        const bool special =
            row_lines.special[static_cast<std::size_t>(i)] || col_lines.special[static_cast<std::size_t>(j)];
        ASSERT_TRUE(!(grid_sums || tiles) || !special || still) << i << ' ' << j;
        left_open += still && !special;
      }
    }
    const cuda::CallState after = device_state.read();
    EXPECT_EQ(after.undecided, tiles ? 0 : finite - left_open);
    if (tiles) {
      EXPECT_EQ(after.rejected, left_open);
      if (data == Data::wide || data == Data::banded) {
        EXPECT_LE(left_open, finite / 50 + 1);
      }
    }
    if (grid_sums) {
      EXPECT_EQ(after.resolved, finite - left_open);
      if (data == Data::wide) {
        EXPECT_LE(left_open, finite / 50 + 1);
      }
    }
  }
}

template <class T>
class Exact : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Exact, Types);

TYPED_TEST(Exact, Elements) {
  using T = TypeParam;
  const T inf = T(INFINITY), nan = T(NAN);
  std::uint64_t seed = 0;
  for (Data data : {Data::wide, Data::full_range, Data::cancelling, Data::integers, Data::specials, Data::banded})
    for (Index k : {1, 2, 31, 129, 600})
      for (auto [alpha, beta] :
           {std::pair<T, T>{1, 0}, {-1, 1}, {T(0.3), T(-1.7)}, {T(0x1p-20), 1}, {inf, 0}, {1, nan}, {-inf, 1}}) {
        ++seed;
        check_exact<T>(seed, data, {23, 37, k, seed % 2 == 0, alpha, beta}, seed % 3 == 0);
        if (this->HasFatalFailure()) return;
      }
  check_exact<T>(99, Data::wide, {300, 500, 40, false, 1, 0}, false);
  check_exact<T>(98, Data::wide, {1, 2000, 3000, false, 1, 1}, true);
  // Few elements, which blocks share, and many, which warps take; more of them together than a block has room for.
  check_exact<T>(95, Data::wide, {2100, 20, 9, true, 1, 0}, true);
  check_exact<T>(97, Data::wide, {40, 60, 3001, false, 1, 1}, false);
  check_exact<T>(96, Data::full_range, {60, 70, 129, true, 1, 0}, true);
  // More than a window of blocks of terms.
  check_exact<T>(94, Data::banded, {70, 45, 9000, false, 1, 0}, true);
  check_exact<T>(93, Data::banded, {33, 90, 4500, true, T(0.3), 1}, false);
}

/// finish_in_place on the host is finish.
TYPED_TEST(Exact, FinishInPlace) {
  using T = TypeParam;
  constexpr int limbs = 71;
  std::mt19937_64 random(7);
  const auto scalar = [&](int range) {
    static const T values[] = {T(0), T(-0.0), T(1), T(-1), T(INFINITY), T(NAN), T(0.5)};
    if (random() % 20 == 0) return values[random() % 7];
    std::uint64_t m = random() >> 11;
    if (random() % 3 == 0) m &= random() & random();
    if (random() % 4 == 0) m = m >> 50 << 50;
    const double x = std::ldexp(static_cast<double>(m),
                                static_cast<int>(random() % static_cast<unsigned>(2 * range + 1)) - range - 53);
    return static_cast<T>(random() % 2 ? x : -x);
  };
  constexpr int range = sizeof(T) == 8 ? 1060 : 140;
  for (int i = 0; i < 200000; ++i) {
    const int count = 1 + static_cast<int>(random() % (i % 3 != 0 ? 6 : limbs));
    Wide<limbs> s{};
    const unsigned style = random() % 4;
    for (int l = 0; l < count; ++l) {
      std::uint64_t& limb = s.limb[l];
      if (style == 0) limb = random();
      if (style == 1) limb = random() % 4 == 0 ? random() & random() : 0;
      if (style == 2) limb = random() % 3 != 0 ? ~std::uint64_t{0} : random();
      if (style == 3) limb = l == count / 2 ? std::uint64_t{1} << random() % 64 : 0;
    }
    if (random() % 2) s.limb[count - 1] >>= 1 + random() % 62;
    for (int l = count; l < limbs; ++l) s.limb[l] = s.limb[count - 1] >> 63 ? ~std::uint64_t{0} : 0;
    const int exponent =
        static_cast<int>(random() % 200) - 100 - (random() % 2 ? 64 * count : static_cast<int>(random() % 2500));
    T alpha = scalar(random() % 3 ? 3 : range), beta = scalar(random() % 2 ? 2 : 100), c = scalar(range);
    if (random() % 3 == 0) {  // cancellation
      alpha = T(random() % 2 ? 1 : -1);
      beta = T(random() % 2 ? 1 : -1);
      c = -finish(alpha, s, exponent, T(0), T(0)) * beta;
      if (is_finite(c) && random() % 3 == 0) c = from_bits<T>(to_bits(c) ^ (random() % 4));
    }
    std::uint64_t limb[cuda::finish_below + limbs + cuda::finish_above];
    for (std::uint64_t& l : limb) l = random();
    for (int l = 0; l < count; ++l) limb[cuda::finish_below + l] = s.limb[l];
    const T want = finish(alpha, s, exponent, beta, c),
            got = cuda::finish_in_place(alpha, limb, count, exponent, beta, c);
    ASSERT_EQ(to_bits(got), to_bits(want)) << i << ": " << got << " for " << want;
  }
}

TYPED_TEST(Exact, NothingOpen) {
  using T = TypeParam;
  HostLines lines(10, 5);
  DeviceLines device_lines(lines);
  DeviceState state(cuda::CallState{});
  DeviceArray<T> c(100);
  DeviceArray<std::uint32_t> open(10);  // all set, but nothing says so
  cuda::ExactArguments<T> x{
      {nullptr, 5, 1, 10, 5}, {nullptr, 5, 1, 10, 5}, device_lines.lines(), device_lines.lines(), {c.data(), 10, 1},
      {T(1), nullptr},        {T(0), nullptr},        open.data(),          state.data()};
  cuda::exact(device_model(), x, nullptr);
  for (T value : c.values()) EXPECT_TRUE(is_nan(value));
}

/// Block-diagonal and triangular operands, and one whose common terms come late.
template <class T>
void check_zeros(Index m, Index n, Index k, int pattern, int index) {
  SCOPED_TRACE(testing::Message() << m << ' ' << n << ' ' << k << " pattern " << pattern << " index " << index);
  std::mt19937_64 random(static_cast<std::uint64_t>(m + n + k + pattern));
  std::vector<T> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(n * k));
  const auto inside = [&](Index i, Index count, Index p, bool row) {
    if (pattern == 0) return i * 3 / count == p * 3 / k;
    if (pattern == 1) return row ? p <= i * k / count : p > i * k / count;
    if (pattern == 2) return p == k - 1 ? i % 2 == 0 : p % 2 == row;
    return random() % static_cast<std::uint64_t>(k) == 0;
  };
  for (Index i = 0; i < m; ++i)
    for (Index p = 0; p < k; ++p) a[static_cast<std::size_t>(i * k + p)] = inside(i, m, p, true) ? T(1) : T(0);
  for (Index j = 0; j < n; ++j)
    for (Index p = 0; p < k; ++p) b[static_cast<std::size_t>(j * k + p)] = inside(j, n, p, false) ? T(1) : T(0);
  a[0] = T(INFINITY);  // a special line stays open
  HostLines rows(m, k, a, k, 1), cols(n, k, b, k, 1);
  std::vector<T> c(static_cast<std::size_t>(m * n));
  for (T& x : c) x = random_entry<T>(random, Data::wide);
  const Index words = cuda::OpenBits::words_per_row(n);
  std::vector<std::uint32_t> open(static_cast<std::size_t>(m * words));
  std::vector<T> want = c;
  unsigned long long counted = 0, left = 0;
  const T alpha = T(-2), beta = T(0.3);
  std::vector<std::uint32_t> want_open;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j)
      if (random() % 3 != 0) open[static_cast<std::size_t>(i * words + j / 32)] |= 1u << j % 32;
  want_open = open;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      std::uint32_t& word = want_open[static_cast<std::size_t>(i * words + j / 32)];
      if ((word >> j % 32 & 1) == 0 || i == 0) continue;
      ++counted;
      bool any = false;
      for (Index p = 0; p < k && !any; ++p)
        any = a[static_cast<std::size_t>(i * k + p)] != 0 && b[static_cast<std::size_t>(j * k + p)] != 0;
      left += any;
      if (any) continue;
      word &= ~(1u << j % 32);
      T& at = want[static_cast<std::size_t>(i * n + j)];
      at = finish(alpha, Wide<1>{}, 0, beta, at);
    }
  }
  // Few open elements after a pass are left to exact sums.
  if (counted <= few_elements_gpu(m, n)) {
    want = c;
    want_open = open;
    left = counted;
  }
  cuda::CallState state{};
  state.pass[index].active = 1;
  state.pass[index].interval = 1;
  state.open[index] = counted;
  DeviceState device_state(state);
  DeviceLines device_rows(rows), device_cols(cols);
  DeviceArray<T> device_c(c);
  DeviceArray<std::uint32_t> device_open(open);
  cuda::ExactArguments<T> x{{nullptr, k, 1, m, k}, {nullptr, k, 1, n, k},   device_rows.lines(),
                            device_cols.lines(),   {device_c.data(), n, 1}, {alpha, nullptr},
                            {beta, nullptr},       device_open.data(),      device_state.data()};
  cuda::resolve_structural_zeros(device_model(), x, index, nullptr);
  const std::vector<T> got = device_c.values();
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(to_bits(got[i]), to_bits(want[i])) << "element " << i;
  EXPECT_EQ(device_open.values(), want_open);
  const cuda::CallState after = device_state.read();
  EXPECT_EQ(after.open[index], left);
}

TYPED_TEST(Exact, StructuralZeros) {
  using T = TypeParam;
  for (int pattern = 0; pattern < 4; ++pattern) {
    check_zeros<T>(170, 100, 200, pattern, 0);
    check_zeros<T>(129, 165, 2100, pattern, 1);
    check_zeros<T>(70, 50, 200, pattern, 0);
    check_zeros<T>(70, 100, 200, pattern, 1);
    check_zeros<T>(150, 233, 65, pattern, 0);
    check_zeros<T>(2, 1, 1, pattern, 0);
  }
}

TYPED_TEST(Exact, AlphaInMemoryIsZero) {
  using T = TypeParam;
  const T nan = from_bits<T>(to_bits(T(NAN)) | FloatFormat<T>::sign | 5);
  for (T alpha : {T(0), T(-0.0), T(1)})
    for (T beta : {T(0), T(1), T(2.5), T(-0.0), T(INFINITY)})
      for (bool canonical : {true, false})
        for (int orientation = 0; orientation < 3; ++orientation) {
          const Index m = 13, n = 300;
          std::vector<T> c(static_cast<std::size_t>(2 * m * n));
          std::mt19937_64 random(3);
          for (T& x : c) x = random() % 9 == 0 ? nan : random_entry<T>(random, Data::full_range);
          const Matrix<T> layout{nullptr,
                                 orientation == 0   ? n
                                 : orientation == 1 ? 1
                                                    : 2 * n,
                                 orientation == 0   ? 1
                                 : orientation == 1 ? m
                                                    : 2};
          std::vector<T> want = c;
          if (alpha == 0 && beta != 1)
            for (Index i = 0; i < m; ++i)
              for (Index j = 0; j < n; ++j) {
                T& x = want[static_cast<std::size_t>(i * layout.row_stride + j * layout.col_stride)];
                x = canonical ? finish_scaled(beta, x) : beta == 0 ? T(0) : beta * x;
              }
          DeviceArray<T> device_c(c), scalars(std::vector<T>{alpha, beta});
          cuda::scale_if_alpha_is_zero<T>(device_model(), m, n, {device_c.data(), layout.row_stride, layout.col_stride},
                                          {T(3), scalars.data()}, {T(3), scalars.data() + 1}, canonical, nullptr);
          const std::vector<T> got = device_c.values();
          for (std::size_t i = 0; i < want.size(); ++i)
            ASSERT_TRUE(to_bits(got[i]) == to_bits(want[i]) || (!canonical && is_nan(got[i]) && is_nan(want[i]))) << i;
        }
}

}  // namespace
}  // namespace accublas::test
