// How the processes of a host share its devices.
#include "lib/runtime/device_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace accublas {
namespace {

TEST(DeviceShare, ProcessesShareDevicesEvenly) {
  const std::vector<int> list = {3, 0, 7, 4, 9};
  for (int count = 1; count <= 5; ++count)
    for (int ranks = 1; ranks <= 12; ++ranks) {
      std::vector<int> times(10), parts;
      for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<int> own =
            share_of_devices(std::span(list).first(static_cast<std::size_t>(count)), rank, ranks);
        for (const int device : own) ++times[static_cast<std::size_t>(device)];
        parts.push_back(static_cast<int>(own.size()));
      }
      const auto spread = [](const std::vector<int>& numbers) {
        const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
        return *most - *least;
      };
      std::vector<int> of_list;
      for (int i = 0; i < count; ++i)
        of_list.push_back(times[static_cast<std::size_t>(list[static_cast<std::size_t>(i)])]);
      EXPECT_GE(*std::min_element(of_list.begin(), of_list.end()), 1) << count << " devices, " << ranks << " processes";
      EXPECT_LE(spread(of_list), 1) << count << " devices, " << ranks << " processes";
      EXPECT_LE(spread(parts), 1) << count << " devices, " << ranks << " processes";
      EXPECT_EQ(std::accumulate(times.begin(), times.end(), 0), std::max(count, ranks));
    }
  EXPECT_EQ(share_of_devices(list, 6, 7), (std::vector<int>{0}));
  EXPECT_EQ(share_of_devices(list, 1, 2), (std::vector<int>{7, 4, 9}));
  EXPECT_TRUE(share_of_devices({}, 0, 2).empty());
}

TEST(DeviceShare, ProcessesShareOnlyTheDevicesThatTheyHaveInCommon) {
  const std::vector<int> both = {0, 1}, one = {0}, swapped = {1, 0};
  const std::uint64_t a = devices_key(both, ""), b = devices_key(both, "2,3"), c = devices_key(one, "");
  EXPECT_EQ(a, devices_key(both, ""));
  EXPECT_EQ((std::set{a, b, c, devices_key(swapped, ""), devices_key({}, ""), std::uint64_t{0}}).size(), 6u);
  const std::vector<std::uint64_t> keys = {a, b, 0, a, a, b, 0};
  const int rank[] = {0, 0, 0, 1, 2, 1, 1}, ranks[] = {3, 2, 2, 3, 3, 2, 2};
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(device_sharer(keys, i).rank, rank[i]) << i;
    EXPECT_EQ(device_sharer(keys, i).ranks, ranks[i]) << i;
  }
}

}  // namespace
}  // namespace accublas
