// How the processes of a host share its devices.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace accublas {

/// Returns the devices of process `rank` of `ranks` that share a list: the processes take single devices in turn, or,
/// if there are fewer processes than devices, adjacent parts of the list. Numbers of processes per device, or of
/// devices per process, differ by at most one.
inline std::vector<int> share_of_devices(std::span<const int> devices, int rank, int ranks) {
  const auto count = static_cast<std::int64_t>(devices.size());
  if (count == 0) return {};
  if (ranks >= count) return {devices[static_cast<std::size_t>(rank % count)]};
  const std::int64_t first = rank * count / ranks, end = (rank + 1) * count / ranks;
  const auto part = devices.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
  return {part.begin(), part.end()};
}

/// Returns a number that processes with equal lists and equal values of CUDA_VISIBLE_DEVICES have in common. It is
/// never zero.
inline std::uint64_t devices_key(std::span<const int> devices, std::string_view visible) {
  std::uint64_t key = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](std::uint64_t word) { key = (key ^ word) * 0x100000001b3; };
  for (const int device : devices) add(static_cast<std::uint64_t>(device));
  add(~std::uint64_t{0});
  for (const char letter : visible) add(static_cast<unsigned char>(letter));
  return key | 1;
}

/// A process's number among those of its host that share devices with it, and their number.
struct DeviceSharer {
  int rank, ranks;
};
/// `keys` has the devices_key of each process of the host, or zero for one that shares no devices.
inline DeviceSharer device_sharer(std::span<const std::uint64_t> keys, int process) {
  DeviceSharer sharer{0, 0};
  for (int i = 0; i < static_cast<int>(keys.size()); ++i) {
    if (keys[static_cast<std::size_t>(i)] != keys[static_cast<std::size_t>(process)]) continue;
    if (i < process) ++sharer.rank;
    ++sharer.ranks;
  }
  return sharer;
}

}  // namespace accublas
