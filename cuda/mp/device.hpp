// The kernels of the multiple-precision arrays share these device functions: sums of products of 32-bit words in 96
// bits, and streaming loads.
#pragma once

#include "cuda/core/launch.hpp"
#ifdef __CUDACC__
#include "cuda/core/ptx_words.hpp"
#endif
#include "lib/base/integers.hpp"
#include "lib/numerics/rns.hpp"

namespace accublas::cuda {

/// Returns how many rows a table with four of `words` words in a row has, for a whole number of sixteen words.
ACCUBLAS_HD constexpr int mp_quads(int words) { return ceil_div(words, 16) * 4; }

#ifdef __CUDACC__

/// A sum of products of 32-bit words, below 2^96: it holds 2^32 terms and more.
struct Sum96 {
  std::uint32_t low = 0, middle = 0, high = 0;

  __device__ __forceinline__ void add_product(std::uint32_t a, std::uint32_t b) {
    ptx::add_product_96(low, middle, high, a, b);
  }
  __device__ __forceinline__ void add(std::uint32_t l, std::uint32_t m, std::uint32_t h) {
    ptx::add_96(low, middle, high, l, m, h);
  }
  __device__ __forceinline__ std::uint32_t modulo(const RnsModulus& modulus) const {
    return rns_reduce96(low, middle, high, modulus);
  }
};

/// Loads a modulus in 8-byte loads.
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
  for (unsigned i = 0; i < sizeof(RnsModulus) / 8; ++i) to[i] = ptx::load_table_early(from + i);
  return modulus;
}

/// Loads a factor in one load.
__device__ __forceinline__ RnsFactor load_factor(const RnsFactor* p) {
  const uint2 v = __ldg(reinterpret_cast<const uint2*>(p));
  return {v.x, v.y};
}
__device__ __forceinline__ RnsFactor load_factor_early(const RnsFactor* p) {
  const uint2 v = ptx::load_table_early(reinterpret_cast<const uint2*>(p));
  return {v.x, v.y};
}

/// The first rows (0 .. 15) of a table, with which sum_of_words starts.
struct FirstQuads {
  static constexpr int count = 4;
  uint4 quad[count];
};
/// Loads the first rows of column `at` of a table of mp_quads rows of `line` entries; beyond the end of a row it
/// repeats the last entry.
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
  for (int i = 0; i < first.count; ++i, table += line) first.quad[i] = ptx::load_table_early(table);
  return first;
}

/// Returns sum_l value[l] w_l, l < 4 mp_quads(words), with w_l component l % 4 of table[l / 4 line + at]. `value` must
/// be in shared memory, aligned to 16 bytes. Sixteen words of the table are in flight at a time.
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
