// What the kernels of the multiple-precision arrays share on the device: sums of products of 32-bit words in 96 bits,
// streaming loads.
#pragma once

#include "cuda/launch.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/numerics/rns.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// A sum of products of 32-bit words below 2^96: 2^32 terms and more.
struct Sum96 {
  std::uint32_t low = 0, middle = 0, high = 0;

  /// += a b: one IMAD.WIDE with carry, and half an IADD3.X.
  __device__ __forceinline__ void add_product(std::uint32_t a, std::uint32_t b) {
    asm("mad.lo.cc.u32 %0, %3, %4, %0;\n\t"
        "madc.hi.cc.u32 %1, %3, %4, %1;\n\t"
        "addc.u32 %2, %2, 0;"
        : "+r"(low), "+r"(middle), "+r"(high)
        : "r"(a), "r"(b));
  }
  __device__ __forceinline__ std::uint32_t modulo(const RnsModulus& modulus) const {
    return rns_reduce96(low, middle, high, modulus);
  }
};

/// 16 bytes that are read once: not kept in L1.
__device__ __forceinline__ uint4 load_once(const uint4* p) {
  uint4 r;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
               : "l"(p));
  return r;
}

/// The same, issued before an await_predecessor() that follows: not through the path for constant memory, whose loads
/// are moved behind the wait.
__device__ __forceinline__ uint4 load_once_early(const uint4* p) {
  uint4 r;
  asm volatile("ld.global.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
               : "l"(p)
               : "memory");
  return r;
}

/// A modulus in 8-byte loads.
__device__ __forceinline__ RnsModulus load_modulus(const RnsModulus* p) {
  static_assert(sizeof(RnsModulus) % 8 == 0);
  RnsModulus modulus;
  const uint2* const from = reinterpret_cast<const uint2*>(p);
  uint2* const to = reinterpret_cast<uint2*>(&modulus);
#pragma unroll
  for (unsigned i = 0; i < sizeof(RnsModulus) / 8; ++i) to[i] = __ldg(from + i);
  return modulus;
}

/// A factor in one load.
__device__ __forceinline__ RnsFactor load_factor(const RnsFactor* p) {
  const uint2 v = __ldg(reinterpret_cast<const uint2*>(p));
  return {v.x, v.y};
}

#endif

}  // namespace accublas::cuda
