// A stream that the library owns, and events that order streams.
#pragma once

#include "cuda/core/check.hpp"

namespace accublas::cuda {

/// A stream that is not ordered with the legacy stream, on the device that was current at construction. The owner must
/// wait for the work on it.
class OwnStream {
 public:
  /// `urgent`: its thread blocks go before those of other streams that wait for room.
  explicit OwnStream(bool urgent = false) {
    int least = 0, greatest = 0;
    if (urgent) check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "cudaStreamCreate");
  }
  ~OwnStream() {
    if (stream_) cudaStreamDestroy(stream_);
  }
  OwnStream(OwnStream&& other) noexcept : stream_(other.stream_) { other.stream_ = nullptr; }
  OwnStream& operator=(OwnStream&&) = delete;
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

struct Event {
  Event() { check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t event = nullptr;
};

inline void stream_waits(cudaStream_t stream, const Event& event) {
  check(cudaStreamWaitEvent(stream, event.event, 0), "cudaStreamWaitEvent");
}
inline void record(const Event& event, cudaStream_t stream) {
  check(cudaEventRecord(event.event, stream), "cudaEventRecord");
}

}  // namespace accublas::cuda
