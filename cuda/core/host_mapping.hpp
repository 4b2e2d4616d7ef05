// Maps host memory so that kernels read it in place.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "lib/base/error.hpp"

namespace accublas::cuda {

/// Pins memory of the user for the lifetime of the object, unless it is pinned already. Pinning costs some 0.2 s a
/// gigabyte. The object must outlive every kernel that reads the memory. Throws Error(ACCUBLAS_ERROR_UNAVAILABLE) if
/// the driver cannot pin it.
class HostMapping {
 public:
  HostMapping(void* data, std::size_t bytes) : host_(data) {
    cudaPointerAttributes first{}, last{};
    cudaError_t status = cudaPointerGetAttributes(&first, data);
    if (status == cudaSuccess) status = cudaPointerGetAttributes(&last, static_cast<std::byte*>(data) + bytes - 1);
    if (status == cudaSuccess && first.type == last.type && first.type != cudaMemoryTypeUnregistered) {
      device_ = first.devicePointer;
      return;
    }
    if (status == cudaSuccess) status = cudaHostRegister(data, bytes, cudaHostRegisterMapped);
    registered_ = status == cudaSuccess;
    if (registered_) status = cudaHostGetDevicePointer(&device_, data, 0);
    if (status == cudaSuccess) return;
    unregister();
    cudaGetLastError();
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                std::string("host memory cannot be pinned for kernels to read: ") + cudaGetErrorString(status));
  }
  ~HostMapping() { unregister(); }
  HostMapping(const HostMapping&) = delete;
  HostMapping& operator=(const HostMapping&) = delete;

  template <class T>
  T* device() const {
    return static_cast<T*>(device_);
  }

 private:
  void unregister() {
    if (registered_) cudaHostUnregister(host_);
  }

  void* const host_;
  void* device_ = nullptr;
  bool registered_ = false;
};

}  // namespace accublas::cuda
