// The CUDA devices of the process.
#pragma once

#include <string>

#include "cuda/core/device_model.hpp"

namespace accublas::cuda {

/// Number of devices that this build's kernels run on; 0 with a reason. Asked for once; 0 in a child forked after that.
int usable_devices(std::string& reason);

/// Whether there is a usable one, in the time of a branch.
bool have_devices();

/// Whether this process was forked from one that had devices. Nothing behind the driver works in it: what frees or
/// gives back looks here first. So no mutex of this folder is taken in such a child, and none is held across fork,
/// where the driver's own handlers may run while a thread waits for it under one.
bool forked_from_user();

/// Whether kernels for compute capability 9.0 serve the device: not with ACCUBLAS_CUDA_KERNELS=portable, which
/// keeps to those that every device has.
bool use_hopper_kernels(const DeviceModel& model);

/// Of a usable device.
const DeviceModel& device_model(int device);
std::string device_text(int device);

/// The lesser of 4 GiB and an eighth of the device's memory.
std::size_t default_workspace(int device);

/// Every entrance of the backend is one: makes a device current for its length, and allows this thread what CUDA
/// forbids while any stream of the process is captured (to allocate and to free memory, to make streams and handles);
/// nothing of that goes into a graph or ends a capture. What would end one has no place in the library: the legacy
/// stream, but as a user's own, a wait for the whole device, and what does either inside, such as cublasDestroy.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  /// On the device that is current.
  DeviceScope() noexcept { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = -1;
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace accublas::cuda
