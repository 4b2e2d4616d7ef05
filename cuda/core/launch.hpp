// Launches the kernels of a call with programmatic dependent launch. The device may start each kernel while the
// previous one on the stream still runs; the kernel then waits inside until the previous one is complete. A kernel with
// nothing to do costs 1.6 us this way, against 2.4 us. Captured streams keep these launches in their graphs. For .cu
// files.
//
// Rules. A kernel that launch() starts calls await_predecessor() first, in all of its threads. Before that call it must
// not read what a kernel wrote (make_cr_plan has an exception), and must not write. After it the predecessor is
// complete. Everything before the predecessor is complete too, since the predecessor also waited.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/rehearsal.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Returns when the kernel before this one on the stream is complete and its writes are visible. From then on the
/// device may start the next kernel, whose blocks run where this kernel's blocks leave room.
__device__ __forceinline__ void await_predecessor() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif

/// Allows the thread blocks of a kernel this much dynamic shared memory; more than 48 KiB must be allowed.
template <class Kernel, class Bytes>
void allow_shared_bytes(Kernel kernel, Bytes bytes, const char* what) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), what);
}

/// Reserves only `percent` of the largest shared memory for a kernel, and leaves the rest to the L1 cache. This share
/// must suffice for the kernel's resident thread blocks. Without this call the cache keeps the size that the previous
/// kernel left, which may have used nearly all of the memory as shared memory.
template <class Kernel>
void prefer_cache(Kernel kernel, int percent, const char* what) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent), what);
}

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  int cluster = 1;           ///< number of blocks along x
  bool cooperative = false;  ///< all blocks are resident at a time, so that they may wait for each other
};

/// Launches a kernel, but not in a rehearsal; throws Error with `what` if the launch fails. Kernels known to wait (code
/// for compute capability 9.0, if this build has some) are launched as dependents; all other launches are plain ones.
template <class... Parameters, class... Arguments>
void launch(const DeviceModel& model, const char* what, void (*kernel)(Parameters...), const LaunchShape& shape,
            cudaStream_t stream, Arguments&&... arguments) {
  if (rehearses()) return;
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
