// Copies of single entries of a matrix to shared memory, in the way of cuda/core/ptx_portable.hpp.
#pragma once

#include "cuda/core/ptx_portable.hpp"

namespace accublas::cuda::ptx {

/// Copies 4, 8 or 16 bytes, or sets them to zero without reading `from`. Both addresses are multiples of the size. Same
/// contract as copy_8 otherwise.
template <int bytes>
__device__ __forceinline__ void copy_entry(std::uint32_t to, const void* from, bool wanted) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes), "r"(wanted ? bytes : 0)
               : "memory");
#else
#pragma unroll
  for (int word = 0; word < bytes; word += 4) {
    const std::uint32_t value = wanted ? static_cast<const std::uint32_t*>(from)[word / 4] : 0;
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(to + word), "r"(value) : "memory");
  }
#endif
}

}  // namespace accublas::cuda::ptx
