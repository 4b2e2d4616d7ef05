// Tests the kernels for small matrices on the device. The subjects are the bitmaps of pending elements in both layouts,
// and the steps that compute these elements. The tests leave every element pending, and compare with
// lib/cpu/sums/exact.cpp bit by bit.
#include "cuda/batch/batch_kernels.hpp"

#include <bit>
#include <cmath>
#include <random>

#include "cuda/batch/flat_kernels.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/cpu/engines.hpp"
#include "test/gpu/device_lines.hpp"

namespace accublas::test {
namespace {

/// A batch and its exact results. C is column-major, and the terms of A's rows and B's columns are contiguous.
template <class T>
struct SmallBatch {
  Index m, n, k, count;
  T alpha, beta;
  std::vector<T> a, b, c, want;
  unsigned long long finite = 0;  ///< elements of finite lines

  SmallBatch(Index rows, Index cols, Index terms, Index matrices, T of_product, T of_c)
      : m(rows), n(cols), k(terms), count(matrices), alpha(of_product), beta(of_c) {
    std::mt19937_64 random(static_cast<std::uint64_t>(m + 1000 * n + 1000000 * k));
    const auto entries = [&](Index number, int range) {
      std::vector<T> x(static_cast<std::size_t>(number));
      for (T& entry : x) {
        const double v = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
        entry = static_cast<T>(std::ldexp(v, static_cast<int>(random() % static_cast<unsigned>(range))));
      }
      return x;
    };
    a = entries(count * m * k, 30);
    b = entries(count * k * n, 30);
    c = entries(count * m * n, 4);
    a[static_cast<std::size_t>(k / 2)] = T(INFINITY);  // row 0 of the first matrix
    for (Index p = 0; p < k; ++p) b[static_cast<std::size_t>((count * n - 1) * k + p)] = 0;  // the last column of all
    want = c;
    for (Index q = 0; q < count; ++q)
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < n; ++j) {
          T* const at = &want[static_cast<std::size_t>((q * n + j) * m + i)];
          finite += q != 0 || i != 0;
          *at = cpu::exact_element<T>(k, alpha, {a.data() + (q * m + i) * k, 1}, {b.data() + (q * n + j) * k, 1}, beta,
                                      at);
        }
  }

  cuda::BatchProblem<T> on_device(const DeviceArray<T>& da, const DeviceArray<T>& db, const DeviceArray<T>& dc) const {
    return {m,
            n,
            k,
            count,
            {da.data(), m * k, nullptr},
            {db.data(), k * n, nullptr},
            {dc.data(), m * n, nullptr},
            k,
            1,
            k,
            1,
            1,
            m,
            {alpha, nullptr},
            {beta, nullptr}};
  }
  /// Returns whether an element is pending in the bitmap of squares.
  bool is_open(const cuda::BatchTiles& tiles, const std::vector<std::uint32_t>& open, Index q, Index i, Index j) const {
    const Index tile = q * tiles.of_a_matrix() + j / tiles.cols * tiles.row_tiles + i / tiles.rows;
    const Index r = i % tiles.rows, s = j % tiles.cols, square = s / 8 * (tiles.rows / 16) + r / 16;
    const Index word = 4 * (tile * tiles.squares() + square) + r % 16 / 8 * 2 + s % 2;
    return (open[static_cast<std::size_t>(word)] >> (r % 8 * 4 + s % 8 / 2) & 1) != 0;
  }
  std::string mismatch(const std::vector<T>& got) const {
    for (std::size_t at = 0; at < want.size(); ++at)
      if (to_bits(got[at]) != to_bits(want[at]))
        return "element " + std::to_string(at) + ": " + std::to_string(got[at]) + ", not " + std::to_string(want[at]);
    return "";
  }
};

cuda::BatchTiles long_tiles_of(int order, Index m, Index n) {
  return {order, order, ceil_div(m, order), ceil_div(n, order), true};
}

template <class T>
class BatchKernels : public testing::Test {};
using BatchKernelTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchKernels, BatchKernelTypes);

const std::vector<std::array<Index, 3>> batch_kernel_shapes = {{1, 1, 1},      {40, 33, 129},  {64, 64, 256},
                                                               {65, 100, 200}, {130, 31, 512}, {17, 70, 300}};

TYPED_TEST(BatchKernels, SquaresAndAccumulators) {
  using T = TypeParam;
  for (const auto& [m, n, k] : batch_kernel_shapes)
    for (const int order : {32, 64}) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", tiles of " << order);
      const SmallBatch<T> x(m, n, k, 3, T(1.3), T(-0.5));
      const DeviceArray<T> a(x.a), b(x.b), c(x.c);
      const cuda::BatchTiles tiles = long_tiles_of(order, m, n);
      const DeviceArray<std::uint32_t> open(std::vector<std::uint32_t>(tiles.open_words(3), 0x5A5A5A5A));
      const DeviceState state(cuda::CallState{});
      const cuda::BatchProblem<T> p = x.on_device(a, b, c);
      cuda::batch_cr(device_model(), p, tiles, open.data(), true, state.data(), nullptr);
      const std::vector<std::uint32_t> words = open.values();
      std::size_t bits = 0;
      for (const std::uint32_t word : words) bits += static_cast<std::size_t>(std::popcount(word));
      EXPECT_EQ(bits, x.want.size());
      for (Index q = 0; q < 3; ++q)
        for (Index i = 0; i < m; ++i)
          for (Index j = 0; j < n; ++j) ASSERT_TRUE(x.is_open(tiles, words, q, i, j)) << q << " " << i << " " << j;
      EXPECT_EQ(state.read().open[0], x.want.size());
      cuda::batch_squares(device_model(), p, tiles, open.data(), state.data(), nullptr);
      const unsigned long long left = state.read().open[0];
      bits = 0;
      for (const std::uint32_t word : open.values()) bits += static_cast<std::size_t>(std::popcount(word));
      EXPECT_EQ(left, bits);
      if (m * n > 1000) {
        EXPECT_LE(left, x.want.size() - x.finite + x.finite / 50);
      }
      cuda::batch_exact(device_model(), p, tiles, open.data(), state.data(), nullptr);
      EXPECT_EQ(x.mismatch(c.values()), "");
      EXPECT_EQ(state.read().undecided, left - (x.want.size() - x.finite));
    }
}

TYPED_TEST(BatchKernels, OneMatrixGoesOnAsAnyGemm) {
  using T = TypeParam;
  for (const auto& [m, n, k] : batch_kernel_shapes)
    for (const int order : {32, 64})
      for (const bool all_undecided : {true, false}) {
        SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", tiles of " << order << all_undecided);
        const SmallBatch<T> x(m, n, k, 1, T(1), T(0));
        const DeviceArray<T> a(x.a), b(x.b), c(x.c);
        cuda::BatchTiles tiles = long_tiles_of(order, m, n);
        tiles.open_pitch = cuda::OpenBits::words_per_row(m);
        // The engine's rows are the columns of C.
        const DeviceArray<std::uint32_t> open(
            std::vector<std::uint32_t>(static_cast<std::size_t>(n * tiles.open_pitch), 0x5A5A5A5A));
        const DeviceState state(cuda::CallState{});
        cuda::batch_cr(device_model(), x.on_device(a, b, c), tiles, open.data(), all_undecided, state.data(), nullptr);
        const std::vector<std::uint32_t> words = open.values();
        std::size_t bits = 0;
        for (const std::uint32_t word : words) bits += static_cast<std::size_t>(std::popcount(word));
        const cuda::CallState before = state.read();
        EXPECT_EQ(before.open[0], bits);
        for (Index i = 0; i < m && all_undecided; ++i)
          for (Index j = 0; j < n; ++j)
            ASSERT_TRUE(words[static_cast<std::size_t>(j * tiles.open_pitch + i / 32)] >> i % 32 & 1) << i << " " << j;
        if (all_undecided) {
          EXPECT_EQ(bits, x.want.size());
          EXPECT_EQ(before.rejected, x.finite);
        }
        const DeviceLines rows{HostLines(n, k)}, cols{HostLines(m, k)};
        const cuda::Operand<T> of_rows{b.data(), k, 1, n, k}, of_cols{a.data(), k, 1, m, k};
        const cuda::Lines row_lines = rows.lines(false), col_lines = cols.lines(false);
        cuda::measure_if_pending(device_model(), of_rows, row_lines, of_cols, col_lines, &state.data()->open[0],
                                 state.data(), nullptr);
        const cuda::ExactArguments<T> pending{of_rows,           of_cols,          row_lines,
                                              col_lines,         {c.data(), m, 1}, {x.alpha, nullptr},
                                              {x.beta, nullptr}, open.data(),      state.data()};
        cuda::exact_of_small(device_model(), pending, nullptr);
        EXPECT_EQ(x.mismatch(c.values()), "");
      }
}

TYPED_TEST(BatchKernels, FlatProducts) {
  using T = TypeParam;
  if (!cuda::flat_cr_serves(device_model(), cuda::flat_terms))
    GTEST_SKIP() << "the device has too little shared memory";
  for (const auto& [m, n, k] :
       {std::array<Index, 3>{1, 1, 1}, {64, 64, 64}, {65, 200, 33}, {300, 129, 65}, {130, 63, 128}})
    for (const bool all_undecided : {true, false}) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << " " << all_undecided);
      const SmallBatch<T> x(m, n, k, 1, T(1.3), T(-0.5));
      const DeviceArray<T> a(x.a), b(x.b), c(x.c);
      const Index pitch = cuda::OpenBits::words_per_row(m);
      const DeviceArray<std::uint32_t> open(
          std::vector<std::uint32_t>(static_cast<std::size_t>(n * pitch), 0x5A5A5A5A));
      const DeviceArray<std::byte> cut(cuda::flat_line_bytes(m, n, k));
      const DeviceState state(cuda::CallState{});
      cuda::flat_cr(device_model(), x.on_device(a, b, c), cut.data(), open.data(), all_undecided, state.data(),
                    nullptr);
      const std::vector<std::uint32_t> words = open.values();
      const std::vector<T> got = c.values();
      unsigned long long bits = 0;
      for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < m; ++i) {
          const bool pending = (words[static_cast<std::size_t>(j * pitch + i / 32)] >> i % 32 & 1) != 0;
          const auto at = static_cast<std::size_t>(j * m + i);
          bits += pending;
          if (all_undecided) ASSERT_TRUE(pending) << i << " " << j;
          // Pending elements are as they were; the others are final.
          ASSERT_EQ(to_bits(got[at]), to_bits(pending ? x.c[at] : x.want[at])) << i << " " << j;
        }
        for (Index i = m; i < 32 * pitch; ++i)
          ASSERT_EQ(words[static_cast<std::size_t>(j * pitch + i / 32)] >> i % 32 & 1, 0u) << i << " " << j;
      }
      EXPECT_EQ(state.read().open[0], bits);
      if (all_undecided) {
        EXPECT_EQ(state.read().rejected, x.finite);
      }
    }
}

TYPED_TEST(BatchKernels, NothingIsMeasuredIfNothingIsPending) {
  using T = TypeParam;
  const DeviceArray<T> a(std::vector<T>(300 * 40, T(2)));
  HostLines poisoned(300, 40);
  std::fill(poisoned.exponent.begin(), poisoned.exponent.end(), 77);
  const DeviceLines lines(poisoned);
  const cuda::Operand<T> x{a.data(), 40, 1, 300, 40};
  for (const unsigned long long pending : {0ull, 1ull}) {
    cuda::CallState host{};
    host.open[0] = pending;
    const DeviceState state(host);
    cuda::measure_if_pending(device_model(), x, lines.lines(false), x, lines.lines(false), &state.data()->open[0],
                             state.data(), nullptr);
    std::int32_t exponent = 0;
    require(cudaMemcpy(&exponent, lines.lines().exponent, sizeof exponent, cudaMemcpyDeviceToHost), "cudaMemcpy");
    EXPECT_EQ(exponent, pending ? 2 : 77);
  }
}

}  // namespace
}  // namespace accublas::test
