// The thread blocks of a kernel wait for each other here. For .cu files.
//
// Contract of co-residency. A waiting thread block keeps its place on a multiprocessor, so it may wait forever for a
// block that has not started. GridBarrier and the words of cuda/core/grid_exchange.hpp therefore need all thread blocks
// of the grid resident at a time: the launch is cooperative (LaunchShape::cooperative), with at most resident_blocks()
// blocks (cuda/core/occupancy.hpp). CUDA rejects a cooperative launch of more. AdvisoryBarrier needs no such launch. A
// grid that is one cluster needs none either: CUDA starts the blocks of a cluster together, and ptx::cluster_sync()
// (cuda/core/ptx_hopper.hpp) is the barrier that also orders their accesses to each other's shared memory.
//
// Contract of memory. Everything that any thread wrote to global memory before a barrier is visible behind it in L2.
// Reads of what other blocks wrote bypass L1 (__ldcg).
#pragma once

#include "cuda/core/call_state.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Returns whether a counter that only grows has reached `all`. Both may wrap around.
__device__ inline bool has_reached(const unsigned* counter, unsigned all) {
  return static_cast<int>(*static_cast<const volatile unsigned*>(counter) - all) >= 0;
}

/// A barrier of all thread blocks of a grid.
class GridBarrier {
 public:
  /// `arrived` counts the thread blocks that arrived at all barriers of all kernels since it was zero; `before` is its
  /// value before this kernel.
  __device__ GridBarrier(unsigned* arrived, unsigned before) : arrived_(arrived), all_(before) {}

  /// Waits until all thread blocks have arrived. All threads call this.
  __device__ void sync() {
    __syncthreads();
    if (threadIdx.x == 0) {
      all_ += gridDim.x;
      __threadfence();
      atomicAdd(arrived_, 1u);
      while (!has_reached(arrived_, all_)) continue;
      __threadfence();
    }
    __syncthreads();
  }

 private:
  unsigned* const arrived_;
  unsigned all_;
};

/// A barrier that keeps the thread blocks of a grid near each other, whatever order the device runs them in. It orders
/// no memory, and it is advisory: a thread block stops waiting after 20 microseconds, and then skips 64 barriers. One
/// thread of each block calls these functions.
///
/// Every `interval`-th step is a barrier.
template <int interval>
class AdvisoryBarrier {
 public:
  /// `counters` is null if no step is a barrier.
  __device__ explicit AdvisoryBarrier(BarrierCounters* counters)
      : arrived_(counters ? &counters->arrived : nullptr), left_for_good_(counters ? &counters->left : nullptr) {}

  __device__ void step() {
    if (!arrived_ || --left_ > 0) return;
    left_ = interval;
    atomicAdd(arrived_, 1u);
    const unsigned all = barriers_++ * gridDim.x;
    if (pause_ > 0) {
      --pause_;
      return;
    }
    for (int i = 0; i < 200; ++i) {
      if (has_reached(arrived_, all)) return;
      __nanosleep(100);
    }
    pause_ = 64;
  }
  /// Frees the other blocks from waiting for this one. The last block leaves zeros for the next launch.
  __device__ void leave() {
    if (!arrived_) return;
    atomicAdd(arrived_, 1u << 20);
    __threadfence();
    if (atomicAdd(left_for_good_, 1u) + 1 == gridDim.x) *arrived_ = *left_for_good_ = 0;
  }

 private:
  unsigned *arrived_, *left_for_good_;
  int left_ = interval, pause_ = 0;
  unsigned barriers_ = 0;
};

#endif

}  // namespace accublas::cuda
