// measure against lib/numerics on the host: everything but the norm bit for bit, the norm as the bound that it is.
#include "cuda/scaling/measure.hpp"

#include <algorithm>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/scaling.hpp"
#include "test/gpu/operands.hpp"

namespace accublas::test {
namespace {

__extension__ typedef __float128 Quad;

/// x 2^exponent, exact.
Quad times_power(double x, int exponent) {
  const int half = exponent / 2;
  return static_cast<Quad>(x) * std::scalbn(1.0, half) * std::scalbn(1.0, exponent - half);
}

struct Expected {
  int exponent = 0, last_bit = cuda::no_last_bit, special = 0;
  Uint128 lambda = 0;
  Quad sum = 0;      ///< of abs(x) 2^(24 - E), without the ceilings of lambda
  Quad squares = 0;  ///< in units of 2^2E, to a relative k 2^-113
  std::vector<std::uint64_t> nonzero;
};
template <class T>
Expected expect(const std::vector<T>& line) {
  Expected e;
  e.nonzero.resize(ceil_div(line.size(), 64));
  T largest = 0;
  for (std::size_t p = 0; p < line.size(); ++p) {
    if (line[p] != 0) e.nonzero[p / 64] |= std::uint64_t{1} << p % 64;
    if (!is_finite(line[p])) {
      e.special = std::max(e.special, is_nan(line[p]) ? 2 : 1);
    } else if (line[p] != 0) {
      largest = std::max(largest, std::fabs(line[p]));
      e.last_bit = std::min(e.last_bit, exponent_of_last_bit(line[p]));
    }
  }
  if (e.special || largest == 0) {
    e.last_bit = cuda::no_last_bit;
    return e;
  }
  e.exponent = exponent_above(largest);
  for (T x : line) {
    e.lambda += static_cast<Uint128>(certificate_ceiling(x, e.exponent));
    const Quad scaled = times_power(x, -e.exponent);
    e.sum += (scaled < 0 ? -scaled : scaled) * 0x1p24;
    e.squares += scaled * scaled;
  }
  return e;
}

template <class T>
struct MeasuredSides {
  TestLines row_lines, col_lines;
  DeviceArray<cuda::CallState> state;
  MeasuredSides(const TestOperand<T>& rows, const TestOperand<T>& cols, bool nonzero, const cuda::DeviceModel& model,
                bool with_lambda = true)
      : row_lines(rows.operand().count, rows.operand().k, nonzero),
        col_lines(cols.operand().count, cols.operand().k, nonzero),
        state(1) {
    state.zero();
    cuda::measure(model, rows.operand(), row_lines.lines(), cols.operand(), col_lines.lines(), with_lambda,
                  state.data(), nullptr);
    require(cudaDeviceSynchronize(), "measure");
  }
};

template <class T>
void check_side(const TestOperand<T>& x, const TestLines& device, const cuda::SideSummary& summary) {
  const HostLines h(device);
  const Index count = x.operand().count, words = h.lines().words;
  unsigned long long largest_norm = 0, largest_relative = 0;
  std::int32_t needed = 0, special = 0, peak = 0;
  for (Index i = 0; i < padded_lines(count); ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    const Expected e = i < count ? expect(x.line(i)) : expect(std::vector<T>(static_cast<std::size_t>(x.operand().k)));
    ASSERT_EQ(h.special[at], e.special) << "line " << i;
    ASSERT_EQ(h.exponent[at], e.exponent) << "line " << i;
    ASSERT_EQ(h.last_bit[at], e.last_bit) << "line " << i;
    ASSERT_EQ(h.lambda[at], static_cast<double>(e.lambda)) << "line " << i;
    for (Index w = 0; device.lines().nonzero && w < words; ++w)
      ASSERT_EQ(h.nonzero[static_cast<std::size_t>(i * words + w)], e.nonzero[static_cast<std::size_t>(w)])
          << "line " << i << " word " << w;
    const Quad norm = h.norm[at], squares = norm * norm;
    ASSERT_TRUE(squares >= e.squares * (1 - Quad(0x1p-80))) << "line " << i << " norm " << h.norm[at];
    ASSERT_TRUE(squares <= e.squares * (1 + Quad(0x1p-19))) << "line " << i << " norm " << h.norm[at];
    largest_norm = std::max<unsigned long long>(largest_norm, to_bits(h.norm[at]));
    if (e.exponent != 0 || e.squares > 0) needed = std::max(needed, e.exponent - e.last_bit);
    special += e.special != 0;
    if (!(h.norm[at] > 0)) continue;
    const int above = norm_exponent(h.norm[at]);
    peak = std::max(peak, 64 - above);
    largest_relative = std::max<unsigned long long>(largest_relative, to_bits(std::scalbn(h.norm[at], -above)));
  }
  EXPECT_EQ(summary.largest_norm, largest_norm);
  EXPECT_EQ(summary.needed_bits, needed);
  EXPECT_EQ(summary.special, special);
  EXPECT_EQ(summary.largest_relative_norm, largest_relative);
  EXPECT_EQ(summary.peak, peak);
}

template <class T>
void check(const TestOperand<T>& rows, const TestOperand<T>& cols, bool nonzero, const cuda::DeviceModel& model) {
  const MeasuredSides<T> m(rows, cols, nonzero, model);
  const cuda::CallState state = m.state.values()[0];
  check_side(rows, m.row_lines, state.rows);
  if (testing::Test::HasFatalFailure()) return;
  check_side(cols, m.col_lines, state.cols);
  if (testing::Test::HasFatalFailure()) return;
  const MeasuredSides<T> again(rows, cols, nonzero, model);
  EXPECT_EQ(m.row_lines.norm.values(), again.row_lines.norm.values());
  EXPECT_EQ(m.col_lines.norm.values(), again.col_lines.norm.values());
}

template <class T>
class Measure : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Measure, Types);

TYPED_TEST(Measure, SizesAndLayouts) {
  using T = TypeParam;
  std::uint64_t seed = 1;
  for (const Layout& layout : layouts()) {
    for (const auto& [m, n, k] : std::vector<std::array<Index, 3>>{{1, 1, 1},
                                                                   {2, 3, 0},
                                                                   {16, 40, 7},
                                                                   {33, 257, 63},
                                                                   {600, 31, 64},
                                                                   {17, 256, 65},
                                                                   {45, 100, 600},
                                                                   {31, 33, 2049}}) {
      SCOPED_TRACE(testing::Message() << "m " << m << " n " << n << " k " << k << " adjacent " << layout.adjacent
                                      << " step " << layout.step);
      const TestOperand<T> rows(lines_of_all_kinds<T>(m, k, ++seed), k, layout);
      const TestOperand<T> cols(lines_of_all_kinds<T>(n, k, ++seed, 3), k, layout);
      check(rows, cols, seed % 3 != 0, device_model());
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Measure, LongLines) {
  using T = TypeParam;
  const Index k = 100001;
  for (const Layout& layout : {layouts()[0], layouts()[3], layouts()[4]}) {
    // One side cut along k, the other not; then, as if the device were small, neither.
    const TestOperand<T> rows(lines_of_all_kinds<T>(15, k, 5), k, layout);
    const TestOperand<T> cols(lines_of_all_kinds<T>(1, k, 6, 1), k, layouts()[0]);
    for (int processors : {132, 1}) {
      cuda::DeviceModel model = device_model();
      model.processors = processors;
      check(rows, cols, true, model);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// measure_bounds: what must be exact is, the rest are bounds, and close.
template <class T>
void check_bounds(const TestOperand<T>& x, const TestLines& device, const cuda::SideSummary& summary) {
  const HostLines h(device);
  const Index count = x.operand().count, words = h.lines().words;
  std::int32_t needed = 0;
  unsigned long long largest_norm = 0;
  for (Index i = 0; i < padded_lines(count); ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    const Expected e = i < count ? expect(x.line(i)) : expect(std::vector<T>(static_cast<std::size_t>(x.operand().k)));
    ASSERT_EQ(h.special[at], e.special) << "line " << i;
    ASSERT_EQ(h.exponent[at], e.exponent) << "line " << i;
    for (Index w = 0; w < words; ++w)
      ASSERT_EQ(h.nonzero[static_cast<std::size_t>(i * words + w)], e.nonzero[static_cast<std::size_t>(w)])
          << "line " << i << " word " << w;
    ASSERT_LE(h.last_bit[at], e.last_bit) << "line " << i;
    ASSERT_GE(h.last_bit[at], e.last_bit == cuda::no_last_bit ? e.last_bit : FloatFormat<T>::min_exponent);
    const Quad lambda = h.lambda[at], norm = h.norm[at], most = e.sum * (1 + Quad(0x1p-8));
    ASSERT_TRUE(lambda >= e.sum) << "line " << i << " lambda " << h.lambda[at];
    ASSERT_TRUE(lambda <= std::max(most, static_cast<Quad>(e.lambda))) << "line " << i << " lambda " << h.lambda[at];
    ASSERT_TRUE(norm * norm >= e.squares * (1 - Quad(0x1p-80))) << "line " << i << " norm " << h.norm[at];
    ASSERT_TRUE(norm * norm <= e.squares * (1 + Quad(0x1p-7))) << "line " << i << " norm " << h.norm[at];
    largest_norm = std::max<unsigned long long>(largest_norm, to_bits(h.norm[at]));
    if (norm > 0) needed = std::max(needed, h.exponent[at] - h.last_bit[at]);
  }
  EXPECT_EQ(summary.largest_norm, largest_norm);
  EXPECT_EQ(summary.needed_bits, needed);
}

TYPED_TEST(Measure, Bounds) {
  using T = TypeParam;
  std::uint64_t seed = 100;
  for (const Layout& layout : layouts()) {
    for (const auto& [m, n, k] : std::vector<std::array<Index, 3>>{
             {1, 1, 1}, {2, 3, 0}, {33, 257, 63}, {600, 31, 64}, {45, 100, 600}, {31, 33, 2049}, {15, 1, 100001}}) {
      if (k > 10000 && layout.step > 1) continue;
      SCOPED_TRACE(testing::Message() << "m " << m << " n " << n << " k " << k << " adjacent " << layout.adjacent
                                      << " step " << layout.step);
      const TestOperand<T> rows(lines_of_all_kinds<T>(m, k, ++seed), k, layout);
      // Lines alone, so that their neighbours do not send them to the exact measure.
      std::mt19937_64 random(seed);
      std::vector<std::vector<T>> even;
      for (Index j = 0; j < n; ++j)
        even.push_back(line_of<T>(std::array{Kind::uniform, Kind::few_bits, Kind::sparse, Kind::rising,
                                             Kind::ties}[static_cast<std::size_t>(j % 5)],
                                  k, random));
      const TestOperand<T> cols(even, k, layout);
      TestLines row_lines(m, k, true), col_lines(n, k, true);
      DeviceArray<cuda::CallState> state(1);
      for (int processors : {132, 1}) {
        state.zero();
        cuda::DeviceModel model = device_model();
        model.processors = processors;
        cuda::measure_bounds(model, rows.operand(), row_lines.lines(), cols.operand(), col_lines.lines(), state.data(),
                             nullptr);
        require(cudaDeviceSynchronize(), "measure_bounds");
        check_bounds(rows, row_lines, state.values()[0].rows);
        if (this->HasFatalFailure()) return;
        check_bounds(cols, col_lines, state.values()[0].cols);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

/// Norms that a bound rounded anywhere downwards would miss: exact squares whose roots are not doubles.
TYPED_TEST(Measure, NormIsNeverTooSmall) {
  using T = TypeParam;
  for (Index k : {3, 5, 1000, 4096}) {
    std::vector<std::vector<T>> lines;
    for (int e : {-100, 0, 100}) {
      lines.push_back(std::vector<T>(static_cast<std::size_t>(k), scaled<T>(1, e)));
      lines.push_back(std::vector<T>(static_cast<std::size_t>(k), scaled<T>(1 - 0x1p-24, e)));
      lines.push_back(lines.back());
      for (std::size_t p = 1; p < lines.back().size(); ++p) lines.back()[p] = scaled<T>(1, e - 40);
    }
    const TestOperand<T> x(lines, k, layouts()[0]);
    check(x, x, false, device_model());
    if (this->HasFatalFailure()) return;
  }
}

TEST(MeasurePairs, TheSecondLineTakesWhatTheFirstHas) {
  for (Index count : {2, 6, 514, 70000}) {
    std::vector<double> norm, lambda;
    for (Index i = 0; i < count; ++i) {
      norm.push_back(1 + static_cast<double>(i));
      lambda.push_back(3 + 2 * static_cast<double>(i));
    }
    const DeviceArray<double> device_norm(norm), device_lambda(lambda);
    cuda::Lines lines{};
    lines.count = count;
    lines.norm = device_norm.data();
    lines.lambda = device_lambda.data();
    cuda::share_in_pairs(device_model(), lines, true, nullptr);
    const std::vector<double> norms = device_norm.values(), lambdas = device_lambda.values();
    for (std::size_t i = 0; i < norm.size(); ++i) {
      ASSERT_EQ(norms[i], norm[i / 2 * 2]) << i;
      ASSERT_EQ(lambdas[i], lambda[i / 2 * 2]) << i;
    }
  }
}

TEST(MeasureFar, OffsetsBeyond32Bits) {
  for (bool adjacent : {false, true}) {
    std::mt19937_64 random(3);
    std::vector<std::vector<float>> lines;
    for (int i = 0; i < 3; ++i) lines.push_back(line_of<float>(Kind::spread, 3, random));
    const FarOperand<float> x(lines, adjacent);
    TestLines rows(3, 3, false), cols(3, 3, false);
    DeviceArray<cuda::CallState> state(1);
    state.zero();
    cuda::measure(device_model(), x.operand(), rows.lines(), x.operand(), cols.lines(), true, state.data(), nullptr);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(rows.exponent.values()[i], expect(lines[i]).exponent);
      EXPECT_EQ(cols.lambda.values()[i], static_cast<double>(expect(lines[i]).lambda));
    }
  }
}

TYPED_TEST(Measure, WithoutLambdaLeavesItAlone) {
  using T = TypeParam;
  const TestOperand<T> x(lines_of_all_kinds<T>(40, 100, 9), 100, layouts()[1]);
  const MeasuredSides<T> with(x, x, false, device_model()), without(x, x, false, device_model(), false);
  EXPECT_EQ(with.row_lines.norm.values(), without.row_lines.norm.values());
  EXPECT_EQ(with.row_lines.exponent.values(), without.row_lines.exponent.values());
  EXPECT_EQ(with.row_lines.last_bit.values(), without.row_lines.last_bit.values());
  EXPECT_TRUE(is_nan(without.row_lines.lambda.values()[0]));
}

/// The terms that groups of lines need, from bitmaps of any bits.
TEST(GroupTerms, FromBitmaps) {
  std::mt19937_64 random(71);
  for (const Index k : {1, 63, 64, 65, 300, 1000, 5000}) {
    for (const auto& [m, n] : std::vector<std::array<Index, 2>>{{1, 256}, {257, 10000}, {3000, 1}}) {
      for (const int density : {0, 1, 2}) {
        TestLines rows(m, k, true), cols(n, k, true);
        std::vector<TermRange> want[2];
        bool some = false;
        const Index words = ceil_div(k, Index{64});
        for (const bool row : {true, false}) {
          const Index groups = padded_lines(row ? m : n) / 256;
          std::vector<std::uint64_t> bits(static_cast<std::size_t>(256 * groups * words));
          for (Index group = 0; group < groups; ++group) {
            Index first = words, end = 0;
            for (Index one = 0; one < (density == 0 ? 0 : density == 1 ? 2 : 256 * words); ++one) {
              const Index word = static_cast<Index>(random() % static_cast<std::uint64_t>(words));
              const Index line = 256 * group + static_cast<Index>(random() % 256);
              bits[static_cast<std::size_t>(line * words + word)] |= 1;
              first = std::min(first, word), end = std::max(end, word + 1);
            }
            some |= first > 0 || end < words;
            want[row ? 0 : 1].push_back({64 * first, std::min(64 * end, k)});
          }
          const Lines lines = (row ? rows : cols).lines();
          require(cudaMemcpy(lines.nonzero, bits.data(), 8 * bits.size(), cudaMemcpyHostToDevice), "copy to device");
        }
        DeviceArray<TermRange> of_rows(want[0].size()), of_cols(want[1].size());
        DeviceArray<std::int32_t> flag(1);
        DeviceArray<cuda::CallState> state(1);
        state.zero();
        cuda::find_group_terms(device_model(), rows.lines(), cols.lines(),
                               {of_rows.data(), of_cols.data(), flag.data()}, state.data(), nullptr);
        require(cudaDeviceSynchronize(), "find_group_terms");
        const auto same = [&](const std::vector<TermRange>& got, const std::vector<TermRange>& expected) {
          for (std::size_t g = 0; g < got.size(); ++g)
            if (got[g].first != expected[g].first || got[g].end != expected[g].end) return false;
          return true;
        };
        EXPECT_TRUE(same(of_rows.values(), want[0])) << k << " " << m << " " << density;
        EXPECT_TRUE(same(of_cols.values(), want[1])) << k << " " << n << " " << density;
        EXPECT_EQ(flag.values()[0] != 0, some) << k << " " << m << " " << n << " " << density;
      }
    }
  }
}

}  // namespace
}  // namespace accublas::test
