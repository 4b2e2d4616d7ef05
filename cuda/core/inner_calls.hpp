// Helpers for calls inside a call: one report for all of them, and memory for copies in addition to their own.
#pragma once

#include <optional>

#include "cuda/core/memory.hpp"
#include "cuda/core/state.hpp"

namespace accublas::cuda {

/// Makes the calls in its lifetime one batch in the state of the context, or part of the batch that is already running.
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

/// Memory for copies of matrices. It comes from the user's buffer if there is one, under capture from the context for
/// good, otherwise from the pool.
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
