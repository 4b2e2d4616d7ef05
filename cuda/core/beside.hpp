// Work beside that of a call's stream, on a second one of the context.
#pragma once

#include "cuda/core/cublas.hpp"
#include "cuda/core/state.hpp"
#include "cuda/core/stream.hpp"

namespace accublas::cuda {

/// What both use at a time must be memory apart. Captured, both are of one graph.
class Beside {
 public:
  explicit Beside(State& state) : state_(state) {}

  /// Whether a call is to have it: graphs keep to one stream, and the memory that cuBLAS takes on the other, and `more`
  /// bytes that the call does, are to be a small part of the workspace.
  static bool serves(const State& state, const Workspace& workspace, std::size_t more = 0) {
    return !state.captured() && workspace.cap() >= 8 * (blas_bytes(state) + more);
  }
  static std::size_t blas_bytes(const State& state) { return Cublas::workspace_bytes(state.model().major); }

  /// Also where a call fails: what the call's stream does next, as to give memory back, is behind both.
  ~Beside() {
    if (!forked_) return;
    cudaEventRecord(done_.event, state_.side_stream());
    cudaStreamWaitEvent(state_.cuda_stream(), done_.event, 0);
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  /// A stream behind all that the call's has so far.
  cudaStream_t fork() {
    record(begun_, state_.cuda_stream());
    stream_waits(state_.side_stream(), begun_);
    forked_ = true;
    return state_.side_stream();
  }
  /// The call's stream is behind the other from here on.
  void join() {
    if (!forked_) return;
    record(done_, state_.side_stream());
    stream_waits(state_.cuda_stream(), done_);
    forked_ = false;
  }

 private:
  State& state_;
  bool forked_ = false;
  Event begun_, done_;
};

}  // namespace accublas::cuda
