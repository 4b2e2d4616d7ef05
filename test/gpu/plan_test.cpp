// The plans that the device makes, against the functions of lib/cpu/int8/int8_blocking.hpp and the promises of
// cuda/int8/plan.hpp.
#include "cuda/int8/plan.hpp"

#include <cmath>
#include <random>

#include "cuda/core/call_state.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/blocking.hpp"
#include "cuda/int8/certify_moduli.hpp"
#include "cuda/native/native_offer.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/moduli.hpp"
#include "test/gpu/device_lines.hpp"

namespace accublas::test {
namespace {

using cuda::Elements;

cuda::Buffers buffers_for(Index lines, int moduli, Index k) {
  cuda::Buffers b{};
  b.k_padded = round_up(k, 128);
  b.rows_bytes = b.cols_bytes =
      static_cast<std::size_t>(std::max<Index>(lines * moduli, 256 * max_moduli) * b.k_padded);
  b.result_bytes = static_cast<std::size_t>(std::max<Index>(lines * lines * moduli, 256 * 256 * max_moduli));
  return b;
}

void expect_block(const cuda::PassPlan& plan, const cuda::Buffers& buffers, Index m, Index n) {
  const cuda::Block block = cuda::fit_block(buffers, plan.moduli, m, n);
  EXPECT_EQ(plan.block_rows, block.rows);
  EXPECT_EQ(plan.block_cols, block.cols);
  EXPECT_LE(static_cast<std::size_t>(plan.block_rows * buffers.k_padded * plan.moduli), buffers.rows_bytes);
  EXPECT_LE(static_cast<std::size_t>(plan.block_cols * buffers.k_padded * plan.moduli), buffers.cols_bytes);
  EXPECT_LE(static_cast<std::size_t>(plan.block_rows * plan.block_cols * plan.moduli), buffers.result_bytes);
}

/// Where lines are scaled to norms: sums stay within the moduli's capacity, with less than two bits to spare.
void expect_capacity(const cuda::PassPlan& plan, const cuda::CallState& state, Index k) {
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
TYPED_TEST_SUITE(Plan, Types);

TYPED_TEST(Plan, FixedTakesWhatTheNormsNeed) {
  std::mt19937_64 random(1);
  for (int t : {2, 24, 53, 64, 100, 150}) {
    for (Index k : {1, 100, 5000, 200000}) {
      HostLines rows(700, k), cols(300, k);
      cuda::CallState state{};
      const double row_norm = std::sqrt(static_cast<double>(k)) * std::ldexp(static_cast<double>(random() >> 11), -53);
      const double col_norm = std::sqrt(static_cast<double>(k)) * std::ldexp(static_cast<double>(random() >> 11), -54);
      state.rows = {to_bits(row_norm), 20, 0, 0, 0};
      state.cols = {to_bits(col_norm), 60, 0, 0, 0};
      const cuda::Buffers buffers = buffers_for(512, 15, k);
      const cuda::CallState after = this->fixed(state, t, rows, cols, buffers);
      const cuda::PassPlan& plan = after.pass[0];
      EXPECT_TRUE(plan.active);
      EXPECT_FALSE(plan.interval);
      EXPECT_EQ(plan.elements, Elements::all);
      EXPECT_EQ(plan.row_bits, t);
      EXPECT_EQ(plan.col_bits, t);
      EXPECT_EQ(plan.moduli, int8_moduli_for(int8_log2_norm(row_norm, t, k) + int8_log2_norm(col_norm, t, k)));
      EXPECT_EQ(after.bits, t);
      EXPECT_EQ(after.parts, plan.moduli);
      EXPECT_EQ(after.bound_componentwise, t >= 60 ? 0 : INFINITY);
      expect_block(plan, buffers, 700, 300);
    }
  }
}

TYPED_TEST(Plan, FixedFollowsTheCertificate) {
  using T = TypeParam;
  HostLines rows(10, 50), cols(20, 50);
  cuda::CallState state{};
  state.rows = state.cols = {to_bits(5.0), 100, 0, 0, 0};
  const cuda::Buffers buffers = buffers_for(256, 15, 50);
  EXPECT_FALSE(this->fixed(state, 0, rows, cols, buffers).pass[0].active);
  for (int rung = 1; rung <= certificate_rungs<T>().count; ++rung) {
    state.largest_rung = rung;
    const cuda::PassPlan plan = this->fixed(state, 0, rows, cols, buffers).pass[0];
    EXPECT_TRUE(plan.active);
    EXPECT_EQ(plan.elements, Elements::not_open);
    EXPECT_EQ(plan.row_bits, certificate_rungs<T>().t[rung - 1]);
    expect_block(plan, buffers, 10, 20);
  }
}

TYPED_TEST(Plan, ModuliFollowTheCertificate) {
  using T = TypeParam;
  for (Index k : {1, 50, 2048, 4096, 100000}) {
    const cuda::CertificateModuli rungs = cuda::certificate_moduli<T>(k);
    HostLines rows(10, k), cols(20, k);
    DeviceLines device_rows(rows), device_cols(cols);
    const cuda::Buffers buffers = buffers_for(256, 15, k);
    std::mt19937_64 random(static_cast<std::uint64_t>(k));
    for (int rung = 0; rung <= rungs.count; ++rung) {
      cuda::CallState state{};
      state.largest_rung = rung;
      for (cuda::SideSummary* side : {&state.rows, &state.cols}) {
        side->largest_relative_norm = to_bits(0.4996 + 0.5 * static_cast<double>(random() >> 11) * 0x1p-53);
        side->peak = 64 - static_cast<std::int32_t>(random() % 8);
      }
      for (T value : {T(2), T(0)}) {
        DeviceArray<T> alpha(std::vector<T>{value});
        DeviceState device_state(state);
        cuda::plan_moduli<T>(device_model(), 0, device_rows.lines(), device_cols.lines(),
                             {buffers, max_moduli, rows.count, cols.count}, {T(1), alpha.data()}, nullptr,
                             device_state.data(), nullptr);
        const cuda::PassPlan plan = device_state.read().pass[0];
        ASSERT_EQ(plan.active != 0, rung > 0 && value != 0);
        if (!plan.active) continue;
        EXPECT_EQ(plan.moduli, rungs.moduli[rung - 1]);
        EXPECT_EQ(plan.elements, Elements::not_open);
        EXPECT_FALSE(plan.interval);
        EXPECT_TRUE(plan.equal_norms);
        expect_capacity(plan, state, k);
        expect_block(plan, buffers, 10, 20);
      }
    }
  }
}

TYPED_TEST(Plan, FixedTakesAnOfferWhereEmulationIsSlower) {
  const Index m = 3000, n = 2000, k = 50;
  HostLines rows(m, k), cols(n, k);
  cuda::CallState state{};
  state.rows = state.cols = {to_bits(5.0), 100, 0, 0, 0};
  state.largest_rung = 1;
  const cuda::Buffers buffers = buffers_for(256, 15, k);
  const int moduli = this->fixed(state, 0, rows, cols, buffers).pass[0].moduli;
  const unsigned long long few = cuda::few_pending_for_native(m, n);
  const auto expect = [&](bool native, const cuda::CallState& before, const cuda::NativeOffer& offer) {
    const cuda::CallState after = this->fixed(before, 0, rows, cols, buffers, 0, nullptr, &offer);
    EXPECT_EQ(after.prefers_native, native);
    EXPECT_EQ(after.refused, native);
    EXPECT_EQ(after.pass[0].active, !native);
    EXPECT_EQ(after.bound_componentwise, native ? offer.bound : 0);
    EXPECT_EQ(after.parts, native ? 0 : moduli);
    EXPECT_EQ(after.missed_target, 0);
  };
  expect(false, state, {moduli, 0.5});
  expect(true, state, {moduli - 1, 0.5});
  state.rejected = few;
  expect(false, state, {moduli, 0.5});
  state.rejected = few + 1;
  expect(true, state, {moduli, 0.5});
  state.rejected = 0;
  state.rows.special = static_cast<std::int32_t>(few / n);
  expect(false, state, {moduli, 0.5});
  state.cols.special = 1;
  expect(true, state, {moduli, 0.5});
  // Nothing is certified: no pass, and exact accumulators for all of C without an offer.
  state.rows.special = state.cols.special = 0;
  state.largest_rung = 0;
  state.rejected = static_cast<unsigned long long>(m * n);
  EXPECT_EQ(this->fixed(state, 0, rows, cols, buffers).refused, 0);
  expect(true, state, {moduli, 0.5});
  // If alpha = 0 in device memory, the call computes no product, neither by the engine nor by the fallback candidate.
  const DeviceArray<TypeParam> zero(std::vector<TypeParam>{0});
  const cuda::NativeOffer offer{moduli, 0.5};
  EXPECT_EQ(this->fixed(state, 0, rows, cols, buffers, 0, zero.data(), &offer).prefers_native, 0);
}

TYPED_TEST(Plan, FixedPromisesItsTargetOnlyByExactness) {
  using T = TypeParam;
  HostLines rows(10, 50), cols(20, 50);
  cuda::CallState state{};
  state.rows = {to_bits(5.0), 40, 0, 0, 0};
  state.cols = {to_bits(5.0), 41, 0, 0, 0};
  const cuda::Buffers buffers = buffers_for(256, 15, 50);
  const double u = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  for (int t : {40, 41})
    for (double target : {u / 2, u, 1e-3}) {
      const cuda::CallState after = this->fixed(state, t, rows, cols, buffers, target);
      const bool promised = t == 41 && target >= u;
      EXPECT_EQ(after.pass[0].active != 0, promised);
      EXPECT_EQ(after.missed_target != 0, !promised);
      EXPECT_EQ(after.refused != 0, !promised);
    }
}

TYPED_TEST(Plan, AlphaInMemoryThatIsZeroWantsNoPass) {
  using T = TypeParam;
  HostLines rows(10, 50), cols(20, 50);
  cuda::CallState state{};
  state.rows = state.cols = {to_bits(5.0), 40, 0, 0, 0};
  for (T value : {T(0), T(-0.0), T(NAN), T(2)}) {
    DeviceArray<T> alpha(std::vector<T>{value});
    const cuda::CallState after = this->fixed(state, 30, rows, cols, buffers_for(256, 15, 50), 1e-9, alpha.data());
    if (value == 0) {
      EXPECT_FALSE(after.pass[0].active);
      EXPECT_FALSE(after.missed_target);
    } else {
      EXPECT_TRUE(after.missed_target);
    }
  }
}

// Norms may ask for a modulus more than abs(a'), abs(b') <= 2^T needs: the plan keeps to what the host launched.
TYPED_TEST(Plan, FixedKeepsToWhatIsLaunched) {
  int closer = 0;  // than the norms
  for (int t = 2; t <= 150; ++t)
    for (Index k : {1, 7, 120, 450, 1700, 1940, 65000}) {
      const int most = int8_moduli_for(2 * t + std::log2(static_cast<double>(k)) + 1e-9);
      cuda::CallState state{};
      const double norm = std::sqrt(static_cast<double>(k));
      state.rows.largest_norm = state.cols.largest_norm = to_bits(norm);
      closer += int8_moduli_for(2 * int8_log2_norm(norm, t, k)) > most;
      HostLines rows(1536, k), cols(1536, k);
      const cuda::Buffers buffers = buffers_for(256, 3, k);
      const cuda::CallState after = this->fixed(state, t, rows, cols, buffers, 0, nullptr, nullptr, most);
      ASSERT_TRUE(after.pass[0].active) << "T = " << t << ", k = " << k;
      ASSERT_LE(after.pass[0].moduli, most);
      ASSERT_FALSE(after.not_covered);
      ASSERT_TRUE(cuda::PassLaunch(buffers, most, 1536, 1536)
                      .covers(after.pass[0].moduli, {after.pass[0].block_rows, after.pass[0].block_cols}, 1536, 1536));
    }
  EXPECT_GT(closer, 5);
}

// A plan that needs more than was launched is no silence.
TYPED_TEST(Plan, APlanBeyondItsLaunchIsAFailure) {
  cuda::CallState state{};
  state.largest_rung = 1;
  state.rows.largest_relative_norm = state.cols.largest_relative_norm = to_bits(0.9);
  const Index m = 3000, n = 2000, k = 5000;
  HostLines rows(m, k), cols(n, k);
  DeviceLines device_rows(rows), device_cols(cols);
  const cuda::Buffers buffers = buffers_for(256, 6, k);
  cuda::PassLaunch short_of_moduli(buffers, 3, m, n), short_of_rows(buffers, max_moduli, m, n),
      short_of_columns(buffers, max_moduli, m, n), enough(buffers, max_moduli, m, n);
  short_of_rows.row_blocks = 1;
  short_of_columns.col_blocks = 1;
  for (const cuda::PassLaunch* launched : {&short_of_moduli, &short_of_rows, &short_of_columns, &enough}) {
    DeviceState device_state(state);
    cuda::plan_moduli<TypeParam>(device_model(), 0, device_rows.lines(), device_cols.lines(), *launched,
                                 {TypeParam(1), nullptr}, nullptr, device_state.data(), nullptr);
    const cuda::CallState after = device_state.read();
    const bool covered = launched == &enough;
    EXPECT_EQ(after.not_covered, covered ? 0 : 1);
    EXPECT_EQ(after.refused, covered ? 0 : 1);
    EXPECT_EQ(after.pass[0].active, covered ? 1 : 0);
  }
}

/// Plans of cr for random operands: how many moduli, and that no sum passes their range.
template <class T>
struct CrCase {
  Index m, n, k;
  std::vector<T> a, b;
};

template <class T>
cuda::CallState plan_cr(const CrCase<T>& c, const cuda::CallState& state, int index, bool first,
                        const std::vector<std::uint32_t>& open, const cuda::Buffers& buffers,
                        const cuda::TileTime& tiles = {}) {
  HostLines rows(c.m, c.k, c.a, c.k, 1), cols(c.n, c.k, c.b, c.k, 1);
  DeviceLines device_rows(rows), device_cols(cols);
  cuda::CallState measured = state;
  measured.rows = rows.summary();
  measured.cols = cols.summary();
  DeviceState device_state(measured);
  DeviceArray<T> a(c.a), b(c.b);
  DeviceArray<std::uint32_t> device_open(open);
  cuda::plan_cr<T>(device_model(), index, first, {a.data(), c.k, 1, c.m, c.k}, device_rows.lines(),
                   {b.data(), c.k, 1, c.n, c.k}, device_cols.lines(), {buffers, max_moduli, c.m, c.n},
                   device_open.data(), {T(1), nullptr}, tiles, device_state.data(), nullptr);
  return device_state.read();
}

TYPED_TEST(Plan, CrStaysWithinTheModuli) {
  using T = TypeParam;
  const Index m = 300, n = 500, k = 700;
  const cuda::Buffers buffers = buffers_for(256, 30, k);
  const std::vector<std::uint32_t> open(static_cast<std::size_t>(m * cuda::OpenBits::words_per_row(n)), 0xFFFFFFFF);
  for (int spread : {0, 10, 60}) {
    for (bool integers : {false, true}) {
      const CrCase<T> c{m, n, k, this->entries(static_cast<std::size_t>(m * k), spread, integers, 1),
                        this->entries(static_cast<std::size_t>(n * k), spread, integers, 2)};
      const cuda::CallState after = plan_cr(c, cuda::CallState{}, 0, true, open, buffers);
      const cuda::PassPlan& plan = after.pass[0];
      ASSERT_TRUE(plan.active);
      EXPECT_TRUE(plan.interval);
      EXPECT_EQ(plan.elements, Elements::all);
      expect_capacity(plan, after, k);
      expect_block(plan, buffers, m, n);
      EXPECT_EQ(after.samples, 64);
      const bool dbl = sizeof(T) == 8;
      if (integers) {
        EXPECT_EQ(plan.moduli, dbl ? 10 : 5);
      } else if (spread < 20) {
        // Multiples of 2^-53 need no more than 56 bits a side in units of the norms: then nothing is dropped.
        EXPECT_GE(plan.moduli, dbl ? 14 : 6);
        EXPECT_LE(plan.moduli, dbl ? 25 : 16);
      }
      // Nothing varies from run to run.
      const cuda::CallState again = plan_cr(c, cuda::CallState{}, 0, true, open, buffers);
      EXPECT_EQ(again.pass[0].moduli, plan.moduli);
      for (int s = 0; s < cuda::state_samples; ++s) EXPECT_EQ(again.sample_row_term[s], after.sample_row_term[s]);
    }
  }
}

TYPED_TEST(Plan, LaterPassesTakeMoreModuli) {
  using T = TypeParam;
  const Index m = 300, n = 500, k = 70;
  const cuda::Buffers buffers = buffers_for(256, 30, k);
  std::vector<std::uint32_t> open(static_cast<std::size_t>(m * cuda::OpenBits::words_per_row(n)), 0);
  for (std::size_t i = 0; i < open.size(); i += 3) open[i] = 0x10100;
  const CrCase<T> c{m, n, k, this->entries(static_cast<std::size_t>(m * k), 5, false, 3),
                    this->entries(static_cast<std::size_t>(n * k), 5, false, 4)};
  cuda::CallState state{};
  state.pass[0].active = 1;
  state.pass[0].interval = 1;
  for (int before : {12, 40, 47, 49}) {
    state.pass[0].moduli = before;
    state.open[0] = 100;
    EXPECT_FALSE(plan_cr(c, state, 1, false, open, buffers).pass[1].active) << "few are open";
    state.open[0] = 20000;
    const cuda::PassPlan plan = plan_cr(c, state, 1, false, open, buffers).pass[1];
    EXPECT_EQ(plan.active != 0, before < max_moduli);
    if (!plan.active) continue;
    EXPECT_EQ(plan.elements, Elements::open);
    EXPECT_GE(plan.moduli, std::min(before + 5, max_moduli));
    EXPECT_LE(plan.moduli, max_moduli);
  }
  // After a fixed pass, what the certificate rejected.
  state.pass[0].interval = 0;
  state.pass[0].moduli = 14;
  state.open[0] = state.rejected = 20000;
  EXPECT_TRUE(plan_cr(c, state, 1, false, open, buffers).pass[1].active);
  state.pass[0].active = 0;
  EXPECT_TRUE(plan_cr(c, state, 1, false, open, buffers).pass[1].active);
  state.rejected = 10;
  EXPECT_FALSE(plan_cr(c, state, 1, false, open, buffers).pass[1].active);
}

TYPED_TEST(Plan, TilesReplacePassesThatDecideLittle) {
  using T = TypeParam;
  const Index n = 300;
  const cuda::Buffers buffers = buffers_for(256, 30, n);
  const std::vector<std::uint32_t> open(static_cast<std::size_t>(n * cuda::OpenBits::words_per_row(n)), 0xFFFFFFFF);
  std::vector<T> power(static_cast<std::size_t>(n * n));
  // More bits than moduli hold, in single precision too.
  const double base = sizeof(T) == 8 ? 1e-4 : 1e-6, scale = sizeof(T) == 8 ? 1 : 0x1p120;
  for (Index i = 0; i < n * n; ++i)
    power[static_cast<std::size_t>(i)] = static_cast<T>(scale * std::pow(base, std::abs(i / n - i % n)));
  const CrCase<T> decaying{n, n, n, power, power};
  const cuda::CallState without = plan_cr(decaying, cuda::CallState{}, 0, true, open, buffers);
  EXPECT_TRUE(without.pass[0].active);
  EXPECT_FALSE(without.all_pending);
  EXPECT_EQ(without.pass[0].moduli, max_moduli);
  // The cheaper the tiles, the fewer moduli.
  const cuda::CallState cheap = plan_cr(decaying, cuda::CallState{}, 0, true, open, buffers, {1, 0});
  EXPECT_FALSE(cheap.pass[0].active);
  EXPECT_TRUE(cheap.all_pending);
  EXPECT_FALSE(plan_cr(decaying, cheap, 1, true, open, buffers, {1, 0}).pass[1].active);
  const cuda::CallState dear = plan_cr(decaying, cuda::CallState{}, 0, true, open, buffers, {1e7, 0});
  EXPECT_TRUE(dear.pass[0].active);
  EXPECT_FALSE(dear.all_pending);
  // A further pass may be left out too; the elements have their bits then.
  cuda::CallState state{};
  state.pass[0].active = state.pass[0].interval = 1;
  state.pass[0].moduli = 12;
  state.open[0] = 80000;
  const cuda::CallState further = plan_cr(decaying, state, 1, false, open, buffers, {1, 0});
  EXPECT_FALSE(further.pass[1].active);
  EXPECT_FALSE(further.all_pending);
  // Where few elements stay undecided, tiles change nothing.
  const CrCase<T> even{n, n, n, this->entries(static_cast<std::size_t>(n * n), 0, false, 1),
                       this->entries(static_cast<std::size_t>(n * n), 0, false, 2)};
  const int moduli = plan_cr(even, cuda::CallState{}, 0, true, open, buffers).pass[0].moduli;
  EXPECT_LT(moduli, max_moduli);
  EXPECT_EQ(plan_cr(even, cuda::CallState{}, 0, true, open, buffers, {400, 6}).pass[0].moduli, moduli);
  // Tiles leave out blocks of zeros.
  CrCase<T> banded = even;
  for (std::vector<T>* x : {&banded.a, &banded.b})
    for (Index i = 0; i < n * n; ++i)
      if (std::abs(i / n - i % n) > 2) (*x)[static_cast<std::size_t>(i)] = 0;
  EXPECT_TRUE(plan_cr(banded, cuda::CallState{}, 0, true, open, buffers, {20, 1}).all_pending);
  EXPECT_FALSE(plan_cr(even, cuda::CallState{}, 0, true, open, buffers, {200, 1}).all_pending);
}

TYPED_TEST(Plan, ZerosAndSpecialsNeedNoSample) {
  using T = TypeParam;
  const Index m = 30, n = 50, k = 70;
  const std::vector<std::uint32_t> open(static_cast<std::size_t>(m * 2), 0);
  const CrCase<T> c{m, n, k, std::vector<T>(static_cast<std::size_t>(m * k), T(0)),
                    std::vector<T>(static_cast<std::size_t>(n * k), T(NAN))};
  const cuda::CallState after = plan_cr(c, cuda::CallState{}, 0, true, open, buffers_for(256, 30, k));
  EXPECT_TRUE(after.pass[0].active);
  EXPECT_EQ(after.samples, 0);
  EXPECT_EQ(after.pass[0].moduli, sizeof(T) == 8 ? 10 : 5);
}

}  // namespace
}  // namespace accublas::test
