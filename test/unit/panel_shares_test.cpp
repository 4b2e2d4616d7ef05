// How several devices share the panels of a factorization, and the lists of its row exchanges, without a GPU.
#include "cuda/lu_cholesky/panel_shares.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "cuda/lu_cholesky/listed_move.hpp"

namespace accublas::cuda {
namespace {

TEST(PanelShares, GroupsAndOwners) {
  for (const Index n : {1500, 5800, 7169, 20000})
    for (const Index order : {n, n - 1400})
      for (Index devices = 2; devices <= 9; ++devices) {
        const PanelShares s = PanelShares::plan(n, order, devices, 1800);
        SCOPED_TRACE(std::to_string(n) + " " + std::to_string(order) + " " + std::to_string(devices));
        ASSERT_GT(s.columns, 0);
        EXPECT_LE(s.columns, 1800);
        EXPECT_EQ(s.columns % PanelShares::least_step, 0);
        EXPECT_NE(n % s.columns, 1);
        EXPECT_LE(s.devices, s.panels());
        EXPECT_EQ(s.end_of(s.panels() - 1), n);
        Index factored = 0;
        for (Index panel = 0; panel < s.panels(); ++panel) {
          factored += s.factored(panel);
          EXPECT_EQ(s.factored(panel) > 0, panel < s.blocks());
          for (Index device = 0; device < s.devices; ++device) {
            bool later = false;
            for (Index i = panel + 1; i < s.panels(); ++i) later = later || s.device_of(i) == device;
            EXPECT_EQ(s.needs(device, panel), later);
          }
          // A device takes the blocks that precede its previous panel, and this, at once. It waits for others singly.
          Index seen = 0;
          s.for_groups(panel, [&](Index first, Index end) {
            EXPECT_EQ(first, seen);
            EXPECT_TRUE(end == first + 1 || end <= std::max(panel - s.devices + 1, Index{1}));
            EXPECT_GT(end, first);
            seen = end;
          });
          EXPECT_EQ(seen, std::min(panel, s.blocks()));
        }
        EXPECT_EQ(factored, order);
      }
}

TEST(PanelShares, OneDevice) {
  EXPECT_EQ(PanelShares::plan(500, 500, 2, 4096).columns, 0);   // one panel
  EXPECT_EQ(PanelShares::plan(9000, 9000, 2, 200).columns, 0);  // little memory
}

TEST(ListedMoves, AreTheExchanges) {
  constexpr Index rows = 300;
  std::mt19937_64 rng(7);
  ListsOfMoves lists(rows);
  std::vector<int> want(rows), got(rows);
  for (Index i = 0; i < rows; ++i) want[static_cast<std::size_t>(i)] = got[static_cast<std::size_t>(i)] = int(i);
  std::vector<std::int64_t> pivots(rows);
  for (Index i = 0; i < rows; ++i) {
    const Index near = i + static_cast<Index>(rng() % 3), any = i + static_cast<Index>(rng() % (rows - i));
    pivots[static_cast<std::size_t>(i)] = std::min(rng() % 2 ? near : any, rows - 1) + 1;
  }
  for (Index first = 0, count = 1; first < rows; first += count, count = 1 + static_cast<Index>(rng() % 40)) {
    count = std::min(count, rows - first);
    std::vector<ListedMove> moves{{0, 0}};
    const int listed = lists.append(pivots.data(), first, count, moves);
    ASSERT_EQ(listed, static_cast<int>(moves.size()) - 1);
    EXPECT_LE(static_cast<Index>(moves.size()) - 1, 2 * count);
    const std::vector<int> before = got;
    for (std::size_t i = 1; i < moves.size(); ++i) {
      EXPECT_NE(moves[i].source, moves[i].target);
      got[static_cast<std::size_t>(moves[i].target)] = before[static_cast<std::size_t>(moves[i].source)];
    }
    for (Index i = first; i < first + count; ++i)
      std::swap(want[static_cast<std::size_t>(i)],
                want[static_cast<std::size_t>(pivots[static_cast<std::size_t>(i)] - 1)]);
    EXPECT_EQ(got, want);
  }
}

}  // namespace
}  // namespace accublas::cuda
