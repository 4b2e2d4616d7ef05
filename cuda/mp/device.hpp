// What the kernels of the multiple-precision arrays share on the device: sums of products of 32-bit words in 96 bits,
// streaming loads.
#pragma once

#include "cuda/core/launch.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/rns.hpp"

namespace accublas::cuda {

/// Rows of a table with four of `words` words in a row, a whole number of sixteen words.
ACCUBLAS_HD constexpr int mp_quads(int words) { return ceil_div(words, 16) * 4; }

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
  __device__ __forceinline__ void add(std::uint32_t l, std::uint32_t m, std::uint32_t h) {
    asm("add.cc.u32 %0, %0, %3;\n\t"
        "addc.cc.u32 %1, %1, %4;\n\t"
        "addc.u32 %2, %2, %5;"
        : "+r"(low), "+r"(middle), "+r"(high)
        : "r"(l), "r"(m), "r"(h));
  }
  __device__ __forceinline__ std::uint32_t modulo(const RnsModulus& modulus) const {
    return rns_reduce96(low, middle, high, modulus);
  }
};

/// __syncthreads and __syncthreads_or for `threads` threads of a thread block (whole warps) at one of its 16 barriers.
__device__ __forceinline__ void barrier_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
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

/// Asks for a line of 128 bytes in L2.
__device__ __forceinline__ void prefetch_line(const void* p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }

/// A table's entry that no kernel writes, likewise early.
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
__device__ __forceinline__ RnsModulus load_modulus_early(const RnsModulus* p) {
  RnsModulus modulus;
  const uint2* const from = reinterpret_cast<const uint2*>(p);
  uint2* const to = reinterpret_cast<uint2*>(&modulus);
#pragma unroll
  for (unsigned i = 0; i < sizeof(RnsModulus) / 8; ++i) to[i] = load_table_early(from + i);
  return modulus;
}

/// A factor in one load.
__device__ __forceinline__ RnsFactor load_factor(const RnsFactor* p) {
  const uint2 v = __ldg(reinterpret_cast<const uint2*>(p));
  return {v.x, v.y};
}
__device__ __forceinline__ RnsFactor load_factor_early(const RnsFactor* p) {
  const uint2 v = load_table_early(reinterpret_cast<const uint2*>(p));
  return {v.x, v.y};
}

/// What sum_of_words starts with: rows 0 .. 15 of a table.
struct FirstQuads {
  static constexpr int count = 4;
  uint4 quad[count];
};
/// The column `at` of a table of mp_quads rows of `line` entries; beyond the line it repeats the last.
__device__ __forceinline__ FirstQuads first_quads(const uint4* table, int line, int at) {
  FirstQuads first;
  table += min(at, line - 1);
#pragma unroll
  for (int i = 0; i < first.count; ++i, table += line) first.quad[i] = __ldg(table);
  return first;
}
__device__ __forceinline__ FirstQuads first_quads_early(const uint4* table, int line, int at) {
  FirstQuads first;
  table += min(at, line - 1);
#pragma unroll
  for (int i = 0; i < first.count; ++i, table += line) first.quad[i] = load_table_early(table);
  return first;
}

/// sum_l value[l] w_l, l < 4 mp_quads(words), with w_l component l % 4 of table[l / 4 line + at]. `value`: in shared
/// memory, on a boundary of 16 bytes. Sixteen words of the table are under way at a time.
__device__ __forceinline__ Sum96 sum_of_words(const std::uint32_t* value, FirstQuads w, const uint4* table, int line,
                                              int words, int at) {
  Sum96 sum;
  const uint4* values = reinterpret_cast<const uint4*>(value);
  for (int left = mp_quads(words); left > 0; left -= w.count, values += w.count) {
    const FirstQuads here = w;
    table += w.count * line;
    if (left > w.count) w = first_quads(table, line, at);
#pragma unroll
    for (int i = 0; i < w.count; ++i) {
      const uint4 v = values[i];
      sum.add_product(v.x, here.quad[i].x);
      sum.add_product(v.y, here.quad[i].y);
      sum.add_product(v.z, here.quad[i].z);
      sum.add_product(v.w, here.quad[i].w);
    }
  }
  return sum;
}

#endif

}  // namespace accublas::cuda
