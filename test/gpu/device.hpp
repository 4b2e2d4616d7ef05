// Device memory for the GPU tests.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace accublas::test {

inline void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    ADD_FAILURE() << what << ": " << cudaGetErrorString(status);
    std::abort();
  }
}

/// An array in device memory, poisoned with 0xFF bytes (NaN in floating point) where no values are given.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    require(cudaMalloc(reinterpret_cast<void**>(&data_), (count ? count : 1) * sizeof(T)), "cudaMalloc");
    require(cudaMemset(data_, 0xFF, count * sizeof(T)), "cudaMemset");
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { *this = values; }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  DeviceArray& operator=(const std::vector<T>& values) {
    require(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "copy to device");
    require(cudaStreamSynchronize(nullptr),
            "copy to device");  // streams that do not wait for the default one may read now
    return *this;
  }
  /// Waits for the device.
  std::vector<T> values() const {
    std::vector<T> out(count_);
    require(cudaMemcpy(out.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "copy from device");
    return out;
  }
  void zero() { require(cudaMemset(data_, 0, count_ * sizeof(T)), "cudaMemset"); }
  T* data() const { return data_; }
  std::size_t size() const { return count_; }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

}  // namespace accublas::test
