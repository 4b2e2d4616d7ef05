// Queries of workspaces of matrices that no address space holds.
#include "edge_cases.hpp"

namespace {

/// The answer stays a number of elements that an integer holds, although n columns of 64 numbers have too many.
TEST(EdgeCases, QueriesOfHugeMatrices) {
  for (const char* mode : {"dp", "dp:repro", "cr"}) {
    ASSERT_EQ(accublas_set_mode_name(nullptr, mode), 0);
    for (const std::int64_t order :
         {(std::int64_t{1} << 56) + 1, std::int64_t{1} << 57, (std::int64_t{1} << 57) + 1, std::int64_t{1} << 61}) {
      const std::int64_t query = -1, few = 3;
      std::int64_t info = -1;
      double a[3] = {}, tau[3] = {}, size = 0;
      const auto expect_size = [&] {
        EXPECT_EQ(info, 0) << mode << " " << order;
        EXPECT_GE(size, static_cast<double>(order)) << mode << " " << order;
        EXPECT_LE(size, 0x1p62) << mode << " " << order;
        size = 0;
      };
      dgeqrf_64_(&order, &order, a, &order, tau, &size, &query, &info);
      expect_size();
      dormqr_64_("R", "N", &order, &few, &few, a, &few, tau, a, &order, &size, &query, &info);
      expect_size();
    }
  }
  accublas_set_mode_name(nullptr, nullptr);
}

}  // namespace
