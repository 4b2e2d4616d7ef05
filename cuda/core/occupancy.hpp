// How many blocks of a kernel a device holds at a time, for kernels whose blocks stay and share the work.
#pragma once

#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"

namespace accublas::cuda {

/// Blocks of shape.block threads that are resident on all multiprocessors, as whole clusters; shape.grid is of no
/// account. Allows the kernel its shared memory. Looked up once for a kernel and a device.
int resident_blocks(const DeviceModel& model, const char* what, const void* kernel, const LaunchShape& shape);

template <class... Parameters>
int resident_blocks(const DeviceModel& model, const char* what, void (*kernel)(Parameters...),
                    const LaunchShape& shape) {
  return resident_blocks(model, what, reinterpret_cast<const void*>(kernel), shape);
}

}  // namespace accublas::cuda
