// Launches a panel of columns, with one or a few rows a thread, by a cluster of thread blocks or by a grid of them. For
// .cu files.
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

/// The kernels of a panel; `steps` counts the steps before the panel.
template <class Panel>
struct PanelKernels {
  const char* what;
  int threads;  ///< threads of a thread block
  void (*clustered)(Panel, std::uint32_t);
  void (*grid)(Panel, std::uint32_t);
  std::size_t shared_bytes = 0;
  int rows_each = 1;  ///< rows of a thread

  /// Returns the number of thread blocks for `rows` rows; 0 if the device does not hold that many at a time.
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
  /// Returns whether clusters of 16 blocks fit. CUDA guarantees 8; a kernel must ask for more.
  bool has_clusters(const DeviceModel& model) const {
    if (!model.hopper_kernels) return false;
    check(cudaFuncSetAttribute(clustered, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), what);
    return resident_blocks(model, what, clustered, {1, threads, shared_bytes, most_in_cluster}) > 0;
  }
};

}  // namespace accublas::cuda
