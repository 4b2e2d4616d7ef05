// Helper for thread blocks that add up to one result. Device code.
#pragma once

#include <cstdint>

namespace accublas::cuda {

#ifdef __CUDACC__

/// Returns true in all threads of the thread block that is the last of `expected` to call this function. That block
/// then sees everything that the others wrote before (through L2: it must read with __ldcg). The last block resets the
/// counter to zero.
__device__ inline bool last_to_arrive(std::uint32_t* counter, std::uint32_t expected) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(counter, 1u) == expected - 1;
    if (last) *counter = 0;
    __threadfence();
  }
  __syncthreads();
  return last;
}

#endif

}  // namespace accublas::cuda
