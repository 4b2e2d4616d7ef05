// The plans that the device makes for fixed:T, dp and sp, against the functions of lib/cpu/int8/int8_blocking.hpp and
// the promises of cuda/int8/plan.hpp.
#include "test/gpu/plan_test.hpp"

namespace accublas::test {
namespace {

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
        const int spare = rung % 2;
        DeviceArray<T> alpha(std::vector<T>{value});
        DeviceState device_state(state);
        cuda::plan_moduli<T>(device_model(), 0, device_rows.lines(), device_cols.lines(),
                             {buffers, max_moduli, rows.count, cols.count}, spare, {T(1), alpha.data()}, nullptr,
                             device_state.data(), nullptr);
        const cuda::PassPlan plan = device_state.read().pass[0];
        ASSERT_EQ(plan.active != 0, rung > 0 && value != 0);
        if (!plan.active) continue;
        EXPECT_EQ(plan.moduli, rungs.moduli[rung - 1] + spare);
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
    cuda::plan_moduli<TypeParam>(device_model(), 0, device_rows.lines(), device_cols.lines(), *launched, 0,
                                 {TypeParam(1), nullptr}, nullptr, device_state.data(), nullptr);
    const cuda::CallState after = device_state.read();
    const bool covered = launched == &enough;
    EXPECT_EQ(after.not_covered, covered ? 0 : 1);
    EXPECT_EQ(after.refused, covered ? 0 : 1);
    EXPECT_EQ(after.pass[0].active, covered ? 1 : 0);
  }
}

}  // namespace
}  // namespace accublas::test
