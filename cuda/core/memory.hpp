// Device memory of calls. It comes from stream-ordered blocks of one pool per process and device, from the user's
// buffer, or, while a graph is captured, from blocks that the context keeps.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cuda/core/carver.hpp"
#include "lib/base/workspace.hpp"

namespace accublas::cuda {

/// Allocates device memory apart from the pool; it is zeroed at return, whatever the streams of the process do. The
/// caller frees it by cudaFree. Throws Error(ACCUBLAS_ERROR_MEMORY).
void* zeroed_memory(std::size_t bytes);

/// Returns how many bytes of device memory calls may take: the free memory plus what the process's pool has spare.
std::size_t free_memory(int device);

/// Returns how many bytes the operands of a call on host memory may take on a device, one of `callers` that share it:
/// nine tenths of a caller's part of the free memory, less `kept` bytes and what small allocations need.
std::size_t room_for_operands(int device, std::size_t callers, std::size_t kept);

/// Waits for all work on a device. cudaFree does so without ending captures, as cudaDeviceSynchronize would (seen with
/// CUDA 13.0 on an H200, with concurrent captures in both modes).
void wait_for_device(int device) noexcept;

/// Holds blocks that captured graphs use. The context never frees them before its own end.
class CaptureMemory {
 public:
  CaptureMemory() = default;
  ~CaptureMemory() { release(); }
  CaptureMemory(const CaptureMemory&) = delete;
  CaptureMemory& operator=(const CaptureMemory&) = delete;

  void release() noexcept;
  /// Forgets the blocks without freeing them.
  void abandon() noexcept;

  /// Returns a block of at least `bytes`. Calls of one context are ordered, so all of them share the largest block. A
  /// block that a graph has seen stays. Throws Error(ACCUBLAS_ERROR_MEMORY).
  void* take(std::size_t bytes);
  /// Returns a separate block, zeroed at return.
  void* zeroed(std::size_t bytes);

 private:
  struct Block {
    void* memory;
    std::size_t bytes;
  };
  std::vector<Block> blocks_;
  std::vector<void*> zeroed_;
};

enum class Capturing {
  no,
  yes,
  /// The stream is the legacy one and another, blocking stream is captured. CUDA forbids use of the legacy stream then,
  /// and ends the capture if it is used.
  forbids,
};
Capturing capturing(cudaStream_t stream);
inline bool is_capturing(cudaStream_t stream) { return capturing(stream) == Capturing::yes; }

class State;

/// Memory of one call. The destructor gives it back in stream order.
class CallMemory {
 public:
  /// Takes the memory from the device's pool, or from the state's CaptureMemory while its stream is captured.
  CallMemory(State& state, std::size_t bytes);
  /// Takes the memory from the user's buffer if there is one, else as the other constructor. Throws
  /// Error(ACCUBLAS_ERROR_MEMORY) if the buffer is too small; in a rehearsal the memory may lie beyond its end.
  CallMemory(State& state, const Workspace& workspace, std::size_t bytes);
  ~CallMemory();
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  CallMemory(State& state, void* buffer, std::size_t buffer_bytes, std::size_t bytes);

  void* data_ = nullptr;
  cudaStream_t stream_ = nullptr;
  bool pooled_ = false;
};

/// Memory for the arrays that `lay_out(Carver&)` takes. The constructor calls `lay_out` twice, once to learn the bytes
/// and once with memory, which is a Memory(arguments..., bytes).
template <class Memory>
class ArrayMemory {
 public:
  template <class LayOut, class... Arguments>
  explicit ArrayMemory(LayOut&& lay_out, Arguments&&... arguments)
      : bytes_(bytes_of_arrays(lay_out)), memory_(arguments..., bytes_) {
    Carver carver(memory_.data());
    lay_out(carver);
  }
  std::byte* data() const { return memory_.data(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  Memory memory_;
};

/// Returns the workspace left for a call inside a call, where the outer call holds `bytes` at `memory`. At least half
/// of the cap is always left, even if the outer call's copies had to be larger than the cap allows. Without this rule
/// ZHERK of order 16384 worked on 256 rows and columns at a time and took hundreds of times as long.
inline Workspace rest_of(const Workspace& workspace, const std::byte* memory, std::size_t bytes) {
  unsigned char* const buffer = static_cast<unsigned char*>(workspace.buffer());
  if (!buffer)
    return Workspace(std::max(workspace.cap() - std::min(workspace.cap(), bytes), workspace.cap() / 2), nullptr, 0);
  const std::size_t taken = static_cast<std::size_t>(memory + bytes - reinterpret_cast<std::byte*>(buffer));
  // A rehearsal may have taken more than there is.
  const std::size_t left = workspace.buffer_bytes() - std::min(taken, workspace.buffer_bytes());
  if (workspace.least()) return Workspace(Workspace::Part{buffer + taken, left, 0});
  return Workspace(workspace.cap(), buffer + taken, left);
}

}  // namespace accublas::cuda
