// A stream of the library's own.
#pragma once

#include "cuda/core/check.hpp"

namespace accublas::cuda {

/// Not ordered with the legacy stream, on the device current where it was made. What runs on it is awaited by its
/// owner.
class OwnStream {
 public:
  OwnStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
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

}  // namespace accublas::cuda
