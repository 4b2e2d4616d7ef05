// Device memory for objects that outlive calls.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace accublas::cuda {

/// Memory from the pool that calls use. Its owner uses it on the stream, or behind it; the destructor gives it back in
/// the stream's order.
class PoolMemory {
 public:
  /// Throws Error(ACCUBLAS_ERROR_MEMORY).
  PoolMemory(int device, cudaStream_t stream, std::size_t bytes);
  ~PoolMemory();
  PoolMemory(const PoolMemory&) = delete;
  PoolMemory& operator=(const PoolMemory&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
  cudaStream_t stream_;
};

}  // namespace accublas::cuda
