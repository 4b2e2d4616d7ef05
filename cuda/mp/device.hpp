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
/// The column `at` of a table of `quads` rows of `line` entries; nothing (at < 0): zeros.
__device__ __forceinline__ FirstQuads first_quads(const uint4* table, int line, int quads, int at) {
  FirstQuads first;
#pragma unroll
  for (int i = 0; i < first.count; ++i)
    first.quad[i] = at >= 0 && i < quads ? __ldg(table + i * line + at) : make_uint4(0, 0, 0, 0);
  return first;
}
__device__ __forceinline__ FirstQuads first_quads_early(const uint4* table, int line, int quads, int at) {
  FirstQuads first;
#pragma unroll
  for (int i = 0; i < first.count; ++i)
    first.quad[i] = at >= 0 && i < quads ? load_table_early(table + i * line + at) : make_uint4(0, 0, 0, 0);
  return first;
}

/// sum_l value[l] w_l, l < 4 quads, with w_l component l % 4 of table[l / 4 line + at]. `value`: in shared memory, on a
/// boundary of 16 bytes. Sixteen words of the table are under way at a time.
__device__ __forceinline__ Sum96 sum_of_words(const std::uint32_t* value, FirstQuads w, const uint4* table, int line,
                                              int quads, int at) {
  Sum96 sum;
  const uint4* const values = reinterpret_cast<const uint4*>(value);
  for (int q = 0; q < quads; q += w.count) {
    const FirstQuads here = w;
    if (q + w.count < quads)
      w = first_quads(table + static_cast<std::ptrdiff_t>(q + w.count) * line, line, quads - q - w.count, at);
#pragma unroll
    for (int i = 0; i < w.count; ++i) {
      if (q + i >= quads) break;
      const uint4 v = values[q + i];
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
