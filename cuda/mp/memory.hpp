// Device memory of multiple-precision arrays, of aligned forms and of calls on them.
#pragma once

#include <memory>

#include "cuda/core/memory.hpp"
#include "cuda/core/state.hpp"

namespace accublas::cuda {

/// Memory of the current device. All ways to take it throw Error(ACCUBLAS_ERROR_MEMORY).
class DeviceBlock {
 public:
  DeviceBlock() = default;
  /// Of its own: given back when all work on the device is done.
  explicit DeviceBlock(std::size_t bytes);
  /// Of a call: given back in stream order.
  DeviceBlock(State& state, std::size_t bytes);
  /// For longer than a call, like memory of its own. What was given back is kept for the next one, up to
  /// default_workspace(): to take 32 MB from the system and to return them takes longer than to fill them.
  static DeviceBlock kept(State& state, std::size_t bytes);
  /// What another owner keeps.
  static DeviceBlock borrowed(void* memory);
  DeviceBlock(DeviceBlock&& other) noexcept;
  DeviceBlock& operator=(DeviceBlock&& other) noexcept;
  ~DeviceBlock();

  /// Of memory of its own: keeps it from being given back.
  void release() { owned_ = false; }
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
  bool owned_ = false;
  int pooled_ = -1;  ///< device whose work must be waited for before the memory goes back to a pool
  std::unique_ptr<CallMemory> call_;
};

}  // namespace accublas::cuda
