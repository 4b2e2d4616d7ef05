// Host memory of the GPU benchmark, pinned or pageable.
#pragma once

#include <chrono>
#include <cstdlib>
#include <functional>

#include "perf/gpu/data.hpp"
#include "perf/gpu/device.hpp"

namespace gpu_bench {

class HostArray {
 public:
  HostArray(Index count, bool pinned) : pinned_(pinned) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(double);
    if (pinned) {
      require(cudaHostAlloc(reinterpret_cast<void**>(&data_), bytes, cudaHostAllocPortable), "pinned memory");
    } else if (!(data_ = static_cast<double*>(std::malloc(bytes)))) {
      throw std::runtime_error("out of memory");
    }
  }
  ~HostArray() {
    if (pinned_) {
      cudaFreeHost(data_);
    } else {
      std::free(data_);
    }
  }
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;
  double* data() const { return data_; }

 private:
  bool pinned_;
  double* data_ = nullptr;
};

inline double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace gpu_bench
