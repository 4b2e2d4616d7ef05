// What launchers of kernels must know of a device. The contract of every launcher in cuda/: it puts work on a stream
// and returns; it neither allocates nor waits; a launch that fails is thrown as Error by check().
#pragma once

#include <cuda_runtime_api.h>

namespace accublas::cuda {

/// What a launcher must know of the device; read once per device.
struct DeviceModel {
  int device;
  int major, minor;
  int processors;       ///< multiprocessors
  bool hopper_kernels;  ///< compute capability 9.0 and this build has sm_90a code
};

}  // namespace accublas::cuda
