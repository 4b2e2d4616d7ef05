// The CUDA devices of the process.
#pragma once

#include <string>

#include "cuda/gemm/kernels.hpp"

namespace accublas::cuda {

/// Number of devices that this build's kernels run on; 0 with a reason. Asked for once; 0 in a child forked after that.
int usable_devices(std::string& reason);

/// Whether this process was forked from one that had devices. Nothing behind the driver works in it: what frees or gives
/// back looks here first. So no mutex of this folder is taken in such a child, and none is held across fork, where the
/// driver's own handlers may run while a thread waits for it under one.
bool forked_from_user();

/// Of a usable device.
const DeviceModel& device_model(int device);
std::string device_text(int device);

/// The lesser of 4 GiB and an eighth of the device's memory.
std::size_t default_workspace(int device);

/// Makes a device current for the length of a scope.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = -1;
};

}  // namespace accublas::cuda
