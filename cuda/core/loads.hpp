// Loads of entries that lie one stride apart. Device code.
#pragma once

#include <type_traits>

#include "lib/call/problem.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

inline constexpr unsigned full_warp = 0xFFFFFFFFu;

/// The vector type of CUDA that has a complex number's size and alignment.
template <class E>
using VectorOf = std::conditional_t<is_single_precision<E>, float2, double2>;

/// Loads an entry. One instruction loads a complex number, which must be aligned to its size.
template <class T>
__device__ T load_entry(const T* p) {
  if constexpr (is_complex<T>) {
    const auto v = __ldg(reinterpret_cast<const VectorOf<T>*>(p));
    return {v.x, v.y};
  } else {
    return __ldg(p);
  }
}

/// Reads an entry from shared memory. A complex number must be aligned to its size.
template <class T>
__device__ T read_shared(const T* p) {
  if constexpr (is_complex<T>) {
    const auto v = *reinterpret_cast<const VectorOf<T>*>(p);
    return {v.x, v.y};
  } else {
    return *p;
  }
}

/// Sets out[j] to entry j `spacing` of a vector.
template <int spacing, int count, class T>
__device__ void load_spaced(const T* p, Index stride, T (&out)[count]) {
  if (stride == 1) {  // offsets are constants of the instructions
#pragma unroll
    for (int j = 0; j < count; ++j) out[j] = load_entry(p + j * spacing);
  } else {
#pragma unroll
    for (int j = 0; j < count; ++j, p += spacing * stride) out[j] = load_entry(p);
  }
}

/// Sets out[j] to entry j `spacing` of a vector if j `spacing` < `left`, else to zero.
template <int spacing, int count, class T>
__device__ void load_spaced_below(const T* p, Index stride, Index left, T (&out)[count]) {
#pragma unroll
  for (int j = 0; j < count; ++j) out[j] = j * spacing < left ? load_entry(p + j * spacing * stride) : T{};
}

#endif

}  // namespace accublas::cuda
