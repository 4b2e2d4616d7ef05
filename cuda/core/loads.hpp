// Loads of entries that lie one stride apart. Device code.
#pragma once

#include "lib/call/problem.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

inline constexpr unsigned full_warp = 0xFFFFFFFFu;

/// Sets out[j] to entry j `spacing` of a vector.
template <int spacing, int count, class T>
__device__ void load_spaced(const T* p, Index stride, T (&out)[count]) {
  if (stride == 1) {  // offsets are constants of the instructions
#pragma unroll
    for (int j = 0; j < count; ++j) out[j] = __ldg(p + j * spacing);
  } else {
#pragma unroll
    for (int j = 0; j < count; ++j, p += spacing * stride) out[j] = __ldg(p);
  }
}

/// Sets out[j] to entry j `spacing` of a vector if j `spacing` < `left`, else to zero.
template <int spacing, int count, class T>
__device__ void load_spaced_below(const T* p, Index stride, Index left, T (&out)[count]) {
#pragma unroll
  for (int j = 0; j < count; ++j) out[j] = j * spacing < left ? __ldg(p + j * spacing * stride) : T(0);
}

#endif

}  // namespace accublas::cuda
