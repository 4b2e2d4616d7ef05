// Device properties that launchers of kernels need. Every launcher in cuda/ keeps one contract: it puts work on a
// stream and returns; it neither allocates nor waits; it throws an Error by check() if a launch fails.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/tuning/tuning.hpp"

namespace accublas::cuda {

/// The properties of one device, read once per device.
struct DeviceModel {
  int device;
  int major, minor;
  int processors;       ///< number of multiprocessors
  bool hopper_kernels;  ///< compute capability 9.0 and this build has sm_90a code

  const Tuning& tuning() const { return tuning_of(major, minor); }
};

}  // namespace accublas::cuda
