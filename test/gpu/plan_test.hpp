// Buffers for the tests of the device's plans, and what every plan must keep.
#pragma once

#include <cmath>
#include <random>

#include "cuda/core/call_state.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/blocking.hpp"
#include "cuda/int8/certify_moduli.hpp"
#include "cuda/int8/plan.hpp"
#include "cuda/native/native_offer.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/moduli.hpp"
#include "test/gpu/device_lines.hpp"

namespace accublas::test {

using cuda::Elements;

inline cuda::Buffers buffers_for(Index lines, int moduli, Index k) {
  cuda::Buffers b{};
  b.k_padded = round_up(k, 128);
  b.rows_bytes = b.cols_bytes =
      static_cast<std::size_t>(std::max<Index>(lines * moduli, 256 * max_moduli) * b.k_padded);
  b.result_bytes = static_cast<std::size_t>(std::max<Index>(lines * lines * moduli, 256 * 256 * max_moduli));
  return b;
}

inline void expect_block(const cuda::PassPlan& plan, const cuda::Buffers& buffers, Index m, Index n) {
  const cuda::Block block = cuda::fit_block(buffers, plan.moduli, m, n);
  EXPECT_EQ(plan.block_rows, block.rows);
  EXPECT_EQ(plan.block_cols, block.cols);
  EXPECT_LE(static_cast<std::size_t>(plan.block_rows * buffers.k_padded * plan.moduli), buffers.rows_bytes);
  EXPECT_LE(static_cast<std::size_t>(plan.block_cols * buffers.k_padded * plan.moduli), buffers.cols_bytes);
  EXPECT_LE(static_cast<std::size_t>(plan.block_rows * plan.block_cols * plan.moduli), buffers.result_bytes);
}

/// Where lines are scaled to norms: sums stay within the moduli's capacity, with less than two bits to spare.
inline void expect_capacity(const cuda::PassPlan& plan, const cuda::CallState& state, Index k) {
  const double row_norm = from_bits<double>(state.rows.largest_relative_norm);
  const double col_norm = from_bits<double>(state.cols.largest_relative_norm);
  const double log2_sum = int8_log2_norm(row_norm, plan.row_bits, k) + int8_log2_norm(col_norm, plan.col_bits, k);
  EXPECT_LE(log2_sum, int8_capacity(plan.moduli) + 1e-8);
  EXPECT_GE(log2_sum, int8_capacity(plan.moduli) - 1.01);
  EXPECT_GE(plan.col_bits, plan.row_bits);
  EXPECT_LE(plan.col_bits, plan.row_bits + 1);
  EXPECT_EQ(plan.row_peak, plan.row_bits - (64 - state.rows.peak));
  EXPECT_EQ(plan.col_peak, plan.col_bits - (64 - state.cols.peak));
}

template <class T>
class Plan : public testing::Test {
 protected:
  /// plan_fixed on a state.
  static cuda::CallState fixed(cuda::CallState state, int t, const HostLines& rows, const HostLines& cols,
                               const cuda::Buffers& buffers, double target = 0, const T* alpha = nullptr,
                               const cuda::NativeOffer* offer = nullptr, int most_moduli = max_moduli) {
    DeviceLines device_rows(rows), device_cols(cols);
    DeviceState device_state(state);
    const cuda::PassLaunch launched(buffers, most_moduli, rows.count, cols.count);
    cuda::plan_fixed<T>(device_model(), 0, t, device_rows.lines(), device_cols.lines(), launched, target, {T(1), alpha},
                        offer, device_state.data(), nullptr);
    return device_state.read();
  }

  static std::vector<T> entries(std::size_t count, int spread, bool integers, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> x(count);
    for (T& v : x) {
      v = static_cast<T>(integers ? static_cast<double>(random() % 64) - 31
                                  : std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5,
                                               static_cast<int>(random() % static_cast<unsigned>(spread + 1))));
    }
    return x;
  }
};
using Types = testing::Types<double, float>;

}  // namespace accublas::test
