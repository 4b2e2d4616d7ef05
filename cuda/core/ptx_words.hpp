// Named functions for instructions on 32-bit words that CUDA has no function for: sums of three words, barriers of part
// of a thread block, loads with a chosen caching.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace accublas::cuda::ptx {

/// Computes (high, middle, low) += a b: one IMAD.WIDE with carry, and half an IADD3.X.
__device__ __forceinline__ void add_product_96(std::uint32_t& low, std::uint32_t& middle, std::uint32_t& high,
                                               std::uint32_t a, std::uint32_t b) {
  asm("mad.lo.cc.u32 %0, %3, %4, %0;\n\t"
      "madc.hi.cc.u32 %1, %3, %4, %1;\n\t"
      "addc.u32 %2, %2, 0;"
      : "+r"(low), "+r"(middle), "+r"(high)
      : "r"(a), "r"(b));
}
/// Computes (high, middle, low) += (h, m, l).
__device__ __forceinline__ void add_96(std::uint32_t& low, std::uint32_t& middle, std::uint32_t& high, std::uint32_t l,
                                       std::uint32_t m, std::uint32_t h) {
  asm("add.cc.u32 %0, %0, %3;\n\t"
      "addc.cc.u32 %1, %1, %4;\n\t"
      "addc.u32 %2, %2, %5;"
      : "+r"(low), "+r"(middle), "+r"(high)
      : "r"(l), "r"(m), "r"(h));
}

/// __syncthreads and __syncthreads_or for `threads` threads of a thread block (whole warps) at one of its 16 barriers.
__device__ __forceinline__ void barrier_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
/// Arrives at the barrier without waiting. The calling warp counts among the `threads`, and its writes are visible to
/// the threads that wait there.
__device__ __forceinline__ void barrier_signal(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ bool barrier_any(int barrier, int threads, bool value) {
  std::uint32_t any;
  asm volatile(
      "{\n\t"
      ".reg .pred mine, all;\n\t"
      "setp.ne.u32 mine, %1, 0;\n\t"
      "bar.red.or.pred all, %2, %3, mine;\n\t"
      "selp.u32 %0, 1, 0, all;\n\t"
      "}"
      : "=r"(any)
      : "r"(static_cast<std::uint32_t>(value)), "r"(barrier), "r"(threads)
      : "memory");
  return any != 0;
}

/// Loads 16 bytes that are read once, without keeping them in L1.
__device__ __forceinline__ uint4 load_once(const uint4* p) {
  uint4 r;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
               : "l"(p));
  return r;
}

/// Loads 16 bytes that are read once, issued before an await_predecessor() that follows. It avoids the path for
/// constant memory, because loads on that path are moved behind the wait.
__device__ __forceinline__ uint4 load_once_early(const uint4* p) {
  uint4 r;
  asm volatile("ld.global.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
               : "l"(p)
               : "memory");
  return r;
}

/// Prefetches a line of 128 bytes into L2.
__device__ __forceinline__ void prefetch_line(const void* p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }

/// Loads an entry of a table that no kernel writes, issued before an await_predecessor() that follows.
__device__ __forceinline__ uint4 load_table_early(const uint4* p) {
  uint4 r;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
               : "l"(p)
               : "memory");
  return r;
}
__device__ __forceinline__ uint2 load_table_early(const uint2* p) {
  uint2 r;
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(r.x), "=r"(r.y) : "l"(p) : "memory");
  return r;
}

__device__ __forceinline__ std::uint32_t load_table_early(const std::uint32_t* p) {
  std::uint32_t r;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");
  return r;
}

}  // namespace accublas::cuda::ptx
