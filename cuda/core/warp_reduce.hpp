// Reductions of integers over the lanes of a whole warp. They take one instruction from compute capability 8.0 on, and
// shuffles before.
#pragma once

#include <cuda_runtime.h>

namespace accublas::cuda {

template <class T, class Operation>
__device__ __forceinline__ T shuffle_reduce(T value, Operation operation) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = operation(value, __shfl_xor_sync(0xFFFFFFFFu, value, distance));
  return value;
}

/// Reduces over the lanes; T is int or unsigned. All 32 lanes must call, and all get the result.
template <class T>
__device__ __forceinline__ T lanes_max(T value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xFFFFFFFFu, value);
#else
  return shuffle_reduce(value, [](T a, T b) { return a < b ? b : a; });
#endif
}

template <class T>
__device__ __forceinline__ T lanes_min(T value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xFFFFFFFFu, value);
#else
  return shuffle_reduce(value, [](T a, T b) { return b < a ? b : a; });
#endif
}

__device__ __forceinline__ unsigned lanes_sum(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xFFFFFFFFu, value);
#else
  return shuffle_reduce(value, [](unsigned a, unsigned b) { return a + b; });
#endif
}

__device__ __forceinline__ unsigned lanes_or(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(0xFFFFFFFFu, value);
#else
  return shuffle_reduce(value, [](unsigned a, unsigned b) { return a | b; });
#endif
}

}  // namespace accublas::cuda
