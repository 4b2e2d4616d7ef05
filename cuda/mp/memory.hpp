// Device memory of multiple-precision arrays, of aligned forms and of calls on them.
#pragma once

#include <memory>

#include "cuda/core/memory.hpp"
#include "cuda/core/state.hpp"

namespace accublas::cuda {

/// Memory of the current device. All constructors and functions that take memory throw Error(ACCUBLAS_ERROR_MEMORY).
class DeviceBlock {
 public:
  DeviceBlock() = default;
  /// Allocates a separate block, which is given back when all work on the device is done.
  explicit DeviceBlock(std::size_t bytes);
  /// Takes a block for a call, which is given back in stream order.
  DeviceBlock(State& state, std::size_t bytes);
  /// Takes a block that lives longer than a call, with the lifetime of a separate block. Blocks that were given back
  /// are kept for the next ones, up to default_workspace(): taking 32 MB from the system and returning them takes
  /// longer than filling them.
  static DeviceBlock kept(State& state, std::size_t bytes);
  /// Wraps memory that another owner keeps.
  static DeviceBlock borrowed(void* memory);
  DeviceBlock(DeviceBlock&& other) noexcept;
  DeviceBlock& operator=(DeviceBlock&& other) noexcept;
  ~DeviceBlock();

  /// Keeps a separate block from being given back.
  void release() { owned_ = false; }
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
  bool owned_ = false;
  int pooled_ = -1;  ///< device whose work must be waited for before the memory goes back to a pool
  std::unique_ptr<CallMemory> call_;
};

}  // namespace accublas::cuda
