// Device memory, streams and events of the GPU benchmark; every CUDA status is looked at.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace gpu_bench {

inline void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::int64_t count) {
    require(cudaMalloc(reinterpret_cast<void**>(&data_), static_cast<std::size_t>(count) * sizeof(T)), "device memory");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

class Stream {
 public:
  Stream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { require(cudaStreamSynchronize(stream_), "stream"); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { require(cudaEventCreate(&event_), "event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) const { require(cudaEventRecord(event_, stream), "event"); }
  /// Milliseconds from `start`; waits for this event.
  double since(const Event& start) const {
    float ms = 0;
    require(cudaEventSynchronize(event_), "event");
    require(cudaEventElapsedTime(&ms, start.event_, event_), "event");
    return ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace gpu_bench
