#include "cuda/core/memory.hpp"

#include <cstdint>
#include <mutex>
#include <string>

#include "cuda/core/check.hpp"
#include "cuda/core/device.hpp"
#include "cuda/core/peer_memory.hpp"
#include "cuda/core/pool_memory.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/state.hpp"
#include "cuda/core/stream.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

/// Returns the process's memory pool on a device. The pool keeps the memory that calls gave back, so that the next call
/// does not ask the driver.
cudaMemPool_t pool_of(int device) {
  static std::mutex mutex;
  static std::vector<cudaMemPool_t>* const pools = new std::vector<cudaMemPool_t>;
  const std::lock_guard<std::mutex> lock(mutex);
  if (pools->size() <= static_cast<std::size_t>(device)) pools->resize(static_cast<std::size_t>(device) + 1, nullptr);
  cudaMemPool_t& pool = (*pools)[static_cast<std::size_t>(device)];
  if (!pool) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
    std::uint64_t keep = UINT64_MAX;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
  }
  return pool;
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  check(status, "device memory that a context keeps");
  return memory;
}

}  // namespace

Capturing capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t asked = cudaStreamIsCapturing(stream, &status);
  if (asked != cudaSuccess) {
    cudaGetLastError();
    return asked == cudaErrorStreamCaptureImplicit ? Capturing::forbids : Capturing::no;
  }
  return status == cudaStreamCaptureStatusNone ? Capturing::no : Capturing::yes;
}

void* zeroed_memory(std::size_t bytes) {
  const OwnStream stream;
  void* const memory = allocate(bytes);
  cudaError_t status = cudaMemsetAsync(memory, 0, bytes, stream);
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
  if (status != cudaSuccess) cudaFree(memory);
  check(status, "zeroing device memory");
  return memory;
}

std::size_t free_memory(int device) {
  std::size_t free = 0, total = 0;
  std::uint64_t reserved = 0, used = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  check(cudaMemPoolGetAttribute(pool_of(device), cudaMemPoolAttrReservedMemCurrent, &reserved), "a memory pool");
  check(cudaMemPoolGetAttribute(pool_of(device), cudaMemPoolAttrUsedMemCurrent, &used), "a memory pool");
  return free + static_cast<std::size_t>(reserved - used);
}

std::size_t room_for_operands(int device, std::size_t callers, std::size_t kept) {
  constexpr std::size_t small_allocations = std::size_t{64} << 20;
  const std::size_t part = free_memory(device) / callers / 10 * 9;
  return part > small_allocations && part - small_allocations > kept ? part - small_allocations - kept : 0;
}

bool set_peer_access(int device, int peer, bool allowed) {
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = peer;
  access.flags = allowed ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  const cudaError_t status = cudaMemPoolSetAccess(pool_of(device), &access, 1);
  if (status != cudaSuccess) cudaGetLastError();
  return status == cudaSuccess;
}

void wait_for_device(int device) noexcept {
  try {
    const DeviceScope scope(device);
    void* memory = nullptr;
    if (cudaMalloc(&memory, 1) == cudaSuccess) {
      cudaFree(memory);
    } else {  // the device is full
      cudaGetLastError();
      cudaDeviceSynchronize();
    }
  } catch (const Error&) {  // the device is lost
  }
}

void CaptureMemory::release() noexcept {
  for (const Block& block : blocks_) cudaFree(block.memory);
  for (void* memory : zeroed_) cudaFree(memory);
  abandon();
}

void CaptureMemory::abandon() noexcept {
  blocks_.clear();
  zeroed_.clear();
}

void* CaptureMemory::take(std::size_t bytes) {
  for (const Block& block : blocks_)
    if (block.bytes >= bytes) return block.memory;
  blocks_.reserve(blocks_.size() + 1);
  blocks_.push_back({allocate(bytes), bytes});
  return blocks_.back().memory;
}

void* CaptureMemory::zeroed(std::size_t bytes) {
  zeroed_.reserve(zeroed_.size() + 1);
  zeroed_.push_back(zeroed_memory(bytes));
  return zeroed_.back();
}

PoolMemory::PoolMemory(int device, cudaStream_t stream, std::size_t bytes) : stream_(stream) {
  check(cudaMallocFromPoolAsync(&data_, bytes, pool_of(device), stream), "device memory");
}

PoolMemory::~PoolMemory() { cudaFreeAsync(data_, stream_); }

CallMemory::CallMemory(State& state, std::size_t bytes) : CallMemory(state, nullptr, 0, bytes) {}
CallMemory::CallMemory(State& state, const Workspace& workspace, std::size_t bytes)
    : CallMemory(state, workspace.buffer(), workspace.buffer_bytes(), bytes) {}
CallMemory::CallMemory(State& state, void* buffer, std::size_t buffer_bytes, std::size_t bytes)
    : stream_(state.cuda_stream()) {
  if (buffer) {
    const std::uintptr_t start = round_up(reinterpret_cast<std::uintptr_t>(buffer), 256);
    data_ = reinterpret_cast<void*>(start);
    if (rehearses()) {
      Rehearsal::take(reinterpret_cast<const void*>(start + bytes));
      return;
    }
    const std::size_t lost = start - reinterpret_cast<std::uintptr_t>(buffer);
    if (buffer_bytes < lost || buffer_bytes - lost < bytes)
      throw Error(ACCUBLAS_ERROR_MEMORY, "the workspace buffer has " + std::to_string(buffer_bytes) +
                                             " bytes, the call needs " + std::to_string(bytes + lost));
  } else if (is_capturing(stream_)) {
    data_ = state.capture_memory().take(bytes);
  } else {
    const cudaError_t status = cudaMallocFromPoolAsync(&data_, bytes, pool_of(state.device()), stream_);
    check(status, "device memory");
    pooled_ = true;
  }
}

CallMemory::~CallMemory() {
  if (pooled_) cudaFreeAsync(data_, stream_);
}

}  // namespace accublas::cuda
