// Streams for the GPU tests, and one that is held, so that a call which waits for its stream is found out.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "perf/gpu/device.hpp"
#include "test/context.hpp"
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

/// call() on the context, whose stream is held meanwhile, must succeed without waiting for it; then waits for the
/// stream.
template <class F>
void expect_no_wait(const Context& context, const Stream& stream, const std::string& what, F&& call) {
  Blocker blocker(stream);
  const accublas_status status = call();
  const bool waited = blocker.gave_up();
  blocker.release();
  ASSERT_EQ(status, ACCUBLAS_SUCCESS) << what << ": " << context.error();
  EXPECT_FALSE(waited) << what << ": the call waited for its stream";
  ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS);
  stream.wait();
}

}  // namespace accublas::test
