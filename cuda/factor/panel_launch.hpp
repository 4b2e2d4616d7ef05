// How a panel of columns, a row or a few a thread, is put on a stream: by a cluster of thread blocks, or by a grid of
// them. For .cu files.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda/core/check.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/occupancy.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

inline constexpr int most_in_cluster = 16;

/// Of a panel and the steps before it.
template <class Panel>
struct PanelKernels {
  const char* what;
  int threads;  ///< of a thread block
  void (*clustered)(Panel, std::uint32_t);
  void (*grid)(Panel, std::uint32_t);
  std::size_t shared_bytes = 0;
  int rows_each = 1;  ///< of a thread

  /// Thread blocks for so many rows; 0 where the device has not that many at a time.
  int blocks(const DeviceModel& model, Index rows) const {
    const Index wanted = ceil_div(rows, Index{threads * rows_each});
    return wanted <= resident_blocks(model, what, grid, {1, threads, shared_bytes}) ? static_cast<int>(wanted) : 0;
  }
  void launch(const DeviceModel& model, Index rows, const Panel& panel, std::uint32_t steps,
              cudaStream_t stream) const {
    const auto blocks = static_cast<unsigned>(ceil_div(rows, Index{threads * rows_each}));
    if (blocks > 1 && blocks <= most_in_cluster && has_clusters(model)) {
      const unsigned size = std::bit_ceil(blocks);
      cuda::launch(model, what, clustered, {size, threads, shared_bytes, static_cast<int>(size)}, stream, panel, steps);
    } else {
      cuda::launch(model, what, grid, {blocks, threads, shared_bytes, 1, blocks > 1}, stream, panel, steps);
    }
  }

 private:
  /// Whether clusters of 16 blocks find room: 8 are promised, more a kernel must ask for.
  bool has_clusters(const DeviceModel& model) const {
    if (!model.hopper_kernels) return false;
    check(cudaFuncSetAttribute(clustered, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), what);
    return resident_blocks(model, what, clustered, {1, threads, shared_bytes, most_in_cluster}) > 0;
  }
};

}  // namespace accublas::cuda
