// Thread blocks that add up to one result. Device code.
#pragma once

#include <cstdint>

namespace accublas::cuda {

#ifdef __CUDACC__

/// True in all threads of the thread block that is the last of `expected` to call; what the others wrote before is
/// visible to it (through L2: read it with __ldcg). The counter is zero again then.
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
