#include "cuda/core/occupancy.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "cuda/core/check.hpp"

namespace accublas::cuda {

namespace {

int count_blocks(const DeviceModel& model, const char* what, const void* kernel, const LaunchShape& shape) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared_bytes)),
        what);
  if (shape.cluster == 1) {
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(shape.block.x),
                                                        shape.shared_bytes),
          what);
    return blocks * model.processors;
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(shape.cluster);
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(model.processors / shape.cluster * shape.cluster));
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config), what);
  return clusters * shape.cluster;
}

}  // namespace

int resident_blocks(const DeviceModel& model, const char* what, const void* kernel, const LaunchShape& shape) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, int> known;  // keyed by kernel and device
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace({kernel, model.device}, 0);
  if (is_new) {
    try {
      at->second = count_blocks(model, what, kernel, shape);
    } catch (...) {
      known.erase(at);
      throw;
    }
  }
  return at->second;
}

}  // namespace accublas::cuda
