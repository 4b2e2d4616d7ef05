// The plans that the device makes for cr.
#include "test/gpu/plan_test.hpp"

namespace accublas::test {
namespace {

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
  cuda::plan_cr<T>(device_model(), index, first ? 0 : c.m * c.n, {a.data(), c.k, 1, c.m, c.k}, device_rows.lines(),
                   {b.data(), c.k, 1, c.n, c.k}, device_cols.lines(), {buffers, max_moduli, c.m, c.n},
                   device_open.data(), {T(1), nullptr}, tiles, 0, device_state.data(), nullptr);
  return device_state.read();
}

template <class T>
class PlanOfCr : public Plan<T> {};
TYPED_TEST_SUITE(PlanOfCr, Types);

TYPED_TEST(PlanOfCr, CrStaysWithinTheModuli) {
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

TYPED_TEST(PlanOfCr, LaterPassesTakeMoreModuli) {
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

TYPED_TEST(PlanOfCr, CertifiedPass) {
  using T = TypeParam;
  const Index m = 300, n = 500, k = 70;
  const cuda::Buffers buffers = buffers_for(256, 30, k);
  const std::vector<std::uint32_t> open(static_cast<std::size_t>(m * cuda::OpenBits::words_per_row(n)), 0);
  const CrCase<T> c{m, n, k, this->entries(static_cast<std::size_t>(m * k), 5, false, 3),
                    this->entries(static_cast<std::size_t>(n * k), 5, false, 4)};
  cuda::CallState state{};
  state.rejected = state.rejected_in_all = 20000;
  EXPECT_FALSE(plan_cr(c, state, 0, false, open, buffers).pass[0].active) << "no rung is accepted";
  state.largest_rung = 2;
  const cuda::PassPlan accepted = plan_cr(c, state, 0, false, open, buffers).pass[0];
  EXPECT_TRUE(accepted.active);
  EXPECT_FALSE(accepted.interval);
  EXPECT_EQ(accepted.elements, Elements::not_open);
  EXPECT_EQ(accepted.row_bits, certificate_rungs<T>().t[1]);
  state.all_by_cr = 1;
  const cuda::CallState left_to_cr = plan_cr(c, state, 0, false, open, buffers);
  const cuda::CallState of_cr = plan_cr(c, cuda::CallState{}, 0, true, open, buffers);
  EXPECT_TRUE(left_to_cr.pass[0].interval);
  EXPECT_EQ(left_to_cr.pass[0].elements, Elements::all);
  EXPECT_EQ(left_to_cr.pass[0].moduli, of_cr.pass[0].moduli);
  EXPECT_EQ(left_to_cr.rejected, 0u);
  EXPECT_EQ(left_to_cr.rejected_in_all, static_cast<unsigned long long>(m * n));
}

TYPED_TEST(PlanOfCr, TilesReplacePassesThatDecideLittle) {
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

TYPED_TEST(PlanOfCr, ZerosAndSpecialsNeedNoSample) {
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
