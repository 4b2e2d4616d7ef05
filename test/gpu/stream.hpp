// Streams for the GPU tests, and one that is held, so that a call which waits for its stream is found out.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "perf/gpu/device.hpp"
#include "test/gpu/device.hpp"

namespace accublas::test {

using gpu_bench::Stream;

/// Holds a stream until released; by itself after ten seconds, so that a call that waits fails instead of hanging.
class Blocker {
 public:
  explicit Blocker(cudaStream_t stream) : stream_(stream) {
    require(cudaLaunchHostFunc(stream, hold, this), "cudaLaunchHostFunc");
  }
  ~Blocker() {
    release();
    cudaStreamSynchronize(stream_);
  }
  Blocker(const Blocker&) = delete;
  Blocker& operator=(const Blocker&) = delete;
  void release() { released_ = true; }
  bool gave_up() const { return gave_up_; }

 private:
  static void CUDART_CB hold(void* self) {
    Blocker& blocker = *static_cast<Blocker*>(self);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!blocker.released_) {
      if (std::chrono::steady_clock::now() > end) {
        blocker.gave_up_ = true;
        return;
      }
      std::this_thread::yield();
    }
  }
  cudaStream_t stream_;
  std::atomic<bool> released_{false}, gave_up_{false};
};

}  // namespace accublas::test
