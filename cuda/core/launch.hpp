// How the kernels of a call are launched: each may be put on the device while the one before it on the stream still
// runs, and waits inside until that one is complete (programmatic dependent launch). A kernel with nothing to do then
// costs 1.6 us where it cost 2.4. Streams that are captured keep it in their graphs. For .cu files.
//
// Rules. A kernel that launch() starts begins with await_predecessor(), in all of its threads: before it nothing is
// read that a kernel wrote, and nothing is written. By then the predecessor is complete, and with it, since it waited
// too, all that came before it.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Returns when the kernel before this one on the stream is complete and what it wrote is seen. The kernel after it may
/// be started from then on: its blocks wait where this one's leave room.
__device__ __forceinline__ void await_predecessor() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  int cluster = 1;           ///< blocks along x
  bool cooperative = false;  ///< all blocks are resident at a time, so that they may wait for each other
};

/// Throws Error with `what` if the launch fails. Code for compute capability 9.0 is known to wait where this build has
/// some; elsewhere launches are plain ones.
template <class... Parameters, class... Arguments>
void launch(const DeviceModel& model, const char* what, void (*kernel)(Parameters...), const LaunchShape& shape,
            cudaStream_t stream, Arguments&&... arguments) {
  cudaLaunchAttribute attributes[3]{};
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  if (shape.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = static_cast<unsigned>(shape.cluster);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  }
  if (shape.cooperative) {
    cudaLaunchAttribute& cooperative = attributes[config.numAttrs++];
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
  } else if (model.hopper_kernels) {
    cudaLaunchAttribute& early = attributes[config.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), what);
}

}  // namespace accublas::cuda
