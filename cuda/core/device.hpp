// The CUDA devices of the process are found here.
#pragma once

#include <span>
#include <string>

#include "cuda/core/device_model.hpp"

namespace accublas::cuda {

/// Returns the number of devices that this build's kernels run on. If that is 0, `reason` says why. The process looks
/// once; a child forked after that gets 0.
int usable_devices(std::string& reason);

/// Throws Error(ACCUBLAS_ERROR_NO_DEVICE) if there is no usable device of this number.
void require_device(int device);

/// Returns whether there is a usable device; after the first call this costs only a branch.
bool have_devices();

/// Returns whether this process was forked from one that had devices. Nothing behind the driver works in such a child,
/// so code that frees or gives back resources checks this first. Hence no mutex of this folder is taken in such a
/// child. No mutex is held across fork either, where the driver's own handlers may run while a thread waits for the
/// driver under one.
bool forked_from_user();

/// Returns whether kernels for compute capability 9.0 are used on the device. ACCUBLAS_CUDA_KERNELS=portable turns them
/// off and keeps to the kernels that every device has.
bool use_hopper_kernels(const DeviceModel& model);

/// Both functions describe a usable device.
const DeviceModel& device_model(int device);
std::string device_text(int device);
/// Returns a text such as "cuda:0,1 NVIDIA H200" for several devices; the name is the first one's.
std::string device_text(std::span<const int> numbers);

/// Returns the lesser of 8 GiB and an eighth of the device's memory, in bytes.
std::size_t default_workspace(int device);

/// Every entry point of the backend creates a DeviceScope. It makes a device current for its lifetime. It also allows
/// this thread what CUDA forbids while any stream of the process is captured: allocating and freeing memory, and
/// creating streams and handles. None of these goes into a graph or ends a capture. The library must never do what
/// would end a capture: use the legacy stream (unless the user set it), wait for the whole device, or call a function
/// that does either, such as cublasDestroy.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  /// Keeps the current device.
  DeviceScope() noexcept { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = -1;
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace accublas::cuda
