#include "cuda/mp/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "cuda/core/check.hpp"

namespace accublas::cuda {

namespace {

/// Returns the process's pool of kept blocks on a device.
cudaMemPool_t kept_pool(int device) {
  static std::mutex guard;
  static auto* const pools = new std::map<int, cudaMemPool_t>;
  const std::lock_guard<std::mutex> lock(guard);
  cudaMemPool_t& pool = (*pools)[device];
  if (!pool) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPool_t made;
    check(cudaMemPoolCreate(&made, &properties), "cudaMemPoolCreate");
    std::uint64_t keep = default_workspace(device);
    check(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
    pool = made;
  }
  return pool;
}

void require(cudaError_t status) { check(status, "device memory of a multiple-precision array"); }

}  // namespace

DeviceBlock::DeviceBlock(std::size_t bytes) {
  require(cudaMalloc(&data_, std::max<std::size_t>(bytes, 1)));
  owned_ = true;
}

DeviceBlock::DeviceBlock(State& state, std::size_t bytes)
    : call_(std::make_unique<CallMemory>(state, std::max<std::size_t>(bytes, 1))) {
  data_ = call_->data();
}

DeviceBlock DeviceBlock::kept(State& state, std::size_t bytes) {
  // A graph owns what it takes from a pool, so a captured call takes a block outside the pool.
  if (state.captured()) return DeviceBlock(bytes);
  DeviceBlock block;
  require(cudaMallocFromPoolAsync(&block.data_, std::max<std::size_t>(bytes, 1), kept_pool(state.device()),
                                  state.cuda_stream()));
  block.owned_ = true;
  block.pooled_ = state.device();
  return block;
}

DeviceBlock DeviceBlock::borrowed(void* memory) {
  DeviceBlock block;
  block.data_ = memory;
  return block;
}

DeviceBlock::DeviceBlock(DeviceBlock&& other) noexcept { *this = std::move(other); }

DeviceBlock& DeviceBlock::operator=(DeviceBlock&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(owned_, other.owned_);
  std::swap(pooled_, other.pooled_);
  std::swap(call_, other.call_);
  return *this;
}

DeviceBlock::~DeviceBlock() {
  if (!owned_ || forked_from_user()) return;
  if (pooled_ >= 0) wait_for_device(pooled_);  // cudaFree does not wait for users of a pool's memory
  const DeviceScope scope;
  cudaFree(data_);
}

}  // namespace accublas::cuda
