// Finds how many blocks of a kernel a device holds at a time, for kernels whose blocks stay resident and share the
// work.
#pragma once

#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"

namespace accublas::cuda {

/// Returns how many blocks of shape.block threads are resident on all multiprocessors together, as whole clusters. The
/// function ignores shape.grid. It also allows the kernel its shared memory. Each result is computed once per kernel
/// and device.
int resident_blocks(const DeviceModel& model, const char* what, const void* kernel, const LaunchShape& shape);

template <class... Parameters>
int resident_blocks(const DeviceModel& model, const char* what, void (*kernel)(Parameters...),
                    const LaunchShape& shape) {
  return resident_blocks(model, what, reinterpret_cast<const void*>(kernel), shape);
}

}  // namespace accublas::cuda
