// A call can run part of its work concurrently on a second stream (the side stream) of its context.
#pragma once

#include "cuda/core/cublas.hpp"
#include "cuda/core/state.hpp"
#include "cuda/core/stream.hpp"

namespace accublas::cuda {

/// Manages the side stream of a call. The two streams must not share memory while both run. Under capture both join one
/// graph.
class SideStream {
 public:
  explicit SideStream(State& state) : state_(state) {}

  /// Returns whether a call should use the side stream. A captured call must not: graphs keep to one stream. The memory
  /// that cuBLAS takes on the side stream, together with the `more` bytes that the call uses there, must be at most an
  /// eighth of the workspace.
  static bool serves(const State& state, const Workspace& workspace, std::size_t more = 0) {
    return !state.captured() && workspace.cap() >= 8 * (blas_bytes(state) + more);
  }
  static std::size_t blas_bytes(const State& state) { return Cublas::workspace_bytes(state.model().major); }

  /// The destructor also orders the streams if the call fails: later work on the call's stream, such as giving memory
  /// back, runs after both.
  ~SideStream() {
    if (!forked_) return;
    cudaEventRecord(done_.event, state_.side_stream());
    cudaStreamWaitEvent(state_.cuda_stream(), done_.event, 0);
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

  /// Returns the side stream, ordered after all work that the call's stream has so far.
  cudaStream_t fork() {
    record(begun_, state_.cuda_stream());
    stream_waits(state_.side_stream(), begun_);
    forked_ = true;
    return state_.side_stream();
  }
  /// Orders the call's stream after the side stream from here on.
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
