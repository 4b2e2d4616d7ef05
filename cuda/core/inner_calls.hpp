// Helpers for calls inside a call: one report for all of them, memory for copies in addition to their own, and the
// error of a call that fails after it has written.
#pragma once

#include <memory>
#include <optional>

#include "cuda/core/carver.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/core/state.hpp"
#include "lib/base/error.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Makes the calls in its lifetime one batch in the state of the context, or part of the batch that is already running.
/// Does nothing if there is a single call (`several` is false).
class BatchScope {
 public:
  BatchScope(State& state, int report_level, bool several = true)
      : state_(state), outermost_(several && !state.in_batch()) {
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
      memory_.emplace(state, workspace, bytes);
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

/// The memory that a call holds for copies, and the execution of the calls inside it, which have the rest of the
/// workspace.
class InnerCalls {
 public:
  /// Holds the arrays that lay_out(Carver&) takes, which is called several times. Calls inside have the whole
  /// workspace if the arrays are empty.
  template <class LayOut>
  InnerCalls(State& state, Execution& outer, LayOut&& lay_out) : outer_(outer), bytes_(bytes_of_arrays(lay_out)) {
    if (bytes_ == 0) return;
    memory_.emplace(lay_out, state, outer.workspace);
    rest_.reset(new Workspace(rest_of(outer.workspace, memory_->data(), bytes_)));
    inner_.emplace(outer.within(*rest_));
  }
  Execution& execution() { return inner_ ? *inner_ : outer_; }
  /// Adds the memory to the report, after the last call inside.
  void end() { outer_.report.workspace_bytes += static_cast<std::int64_t>(bytes_); }

 private:
  Execution& outer_;
  const std::size_t bytes_;
  std::optional<ArrayMemory<CopyMemory>> memory_;
  std::unique_ptr<Workspace> rest_;
  std::optional<Execution> inner_;
};

/// Calls body(). If memory runs out after `wrote` has become true, part of the result is overwritten, and the error is
/// ACCUBLAS_ERROR_C_UNDEFINED.
template <class Body>
void with_written(const bool& wrote, Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    if (wrote && error.status() == ACCUBLAS_ERROR_MEMORY)
      throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what(), ACCUBLAS_ERROR_MEMORY);
    throw;
  }
}

}  // namespace accublas::cuda
