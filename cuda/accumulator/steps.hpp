// The stream of an accumulator, and its copies.
#pragma once

#include <memory>

#include "cuda/core/check.hpp"
#include "cuda/core/device.hpp"
#include "cuda/core/state.hpp"
#include "cuda/core/stream.hpp"

namespace accublas::cuda {

/// The name of the calls in error messages.
inline constexpr const char* accumulator_call = "a call of an accumulator";

/// The stream of an accumulator. Events order its work with that of the user's stream.
class OrderedStream {
 public:
  OrderedStream() : handles_(new Handles) {}
  ~OrderedStream() {
    if (forked_from_user()) handles_.release();
  }

  cudaStream_t stream() const { return handles_->stream; }
  /// Waits for what is on the user's stream so far. This and lead() are for calls within an enclosing CallScope.
  void follow(BackendState* users) {
    if (!users) return;
    State& state = static_cast<State&>(*users);
    state.require_not_captured(accumulator_call);
    record(handles_->event, state.cuda_stream());
    stream_waits(stream(), handles_->event);
  }
  /// Lets the user's stream wait for the work so far.
  void lead(BackendState* users) {
    if (!users) return;
    State& state = static_cast<State&>(*users);
    record(handles_->event, stream());
    stream_waits(state.cuda_stream(), handles_->event);
  }
  template <class X>
  void send(X* to, const X* from, Index count) const {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(X), cudaMemcpyHostToDevice, stream()),
          "copying numbers");
  }
  template <class X>
  void fetch(X* to, const X* from, Index count) const {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(X), cudaMemcpyDeviceToHost, stream()),
          "copying numbers");
  }
  void fill(void* to, int value, std::size_t bytes) const {
    check(cudaMemsetAsync(to, value, bytes, stream()), "clearing numbers");
  }
  /// Waits, also for work that fails.
  void drain() const noexcept {
    if (cudaStreamSynchronize(stream()) != cudaSuccess) cudaGetLastError();
  }
  void wait() const { check(cudaStreamSynchronize(stream()), "waiting for an accumulator"); }
  /// Marks the work so far, for await_mark.
  void mark() const { record(handles_->marked, stream()); }
  void await_mark() const { check(cudaEventSynchronize(handles_->marked.event), "waiting for an accumulator"); }

 private:
  struct Handles {
    OwnStream stream;
    Event event, marked;
  };
  std::unique_ptr<Handles> handles_;
};

}  // namespace accublas::cuda
