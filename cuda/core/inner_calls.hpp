// Calls inside a call: one report for all of them, and memory for copies beside their own.
#pragma once

#include <optional>

#include "cuda/core/memory.hpp"
#include "cuda/core/state.hpp"

namespace accublas::cuda {

/// A batch of calls in the state of the context, or a part of the one that is under way.
class BatchScope {
 public:
  BatchScope(State& state, int report_level) : state_(state), outermost_(!state.in_batch()) {
    if (outermost_) state.begin_batch(report_level);
  }
  void end() {
    if (outermost_) state_.end_batch();
  }
  ~BatchScope() {
    if (outermost_) state_.abandon_batch();
  }
  BatchScope(const BatchScope&) = delete;
  BatchScope& operator=(const BatchScope&) = delete;

 private:
  State& state_;
  const bool outermost_;
};

/// Memory for copies of matrices: of the user's buffer or, in capture, of the context for good; else of the pool.
class CopyMemory {
 public:
  CopyMemory(State& state, const Workspace& workspace, std::size_t bytes) {
    if (workspace.buffer() || !state.captured()) {
      memory_.emplace(state.device(), state.cuda_stream(), state.capture_memory(), workspace.buffer(),
                      workspace.buffer_bytes(), bytes);
      data_ = memory_->data();
    } else {
      data_ = static_cast<std::byte*>(state.capture_memory().zeroed(bytes));
    }
  }
  std::byte* data() const { return data_; }

 private:
  std::optional<CallMemory> memory_;
  std::byte* data_;
};

}  // namespace accublas::cuda
