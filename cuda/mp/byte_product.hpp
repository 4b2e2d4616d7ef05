// Changes of basis by tensor cores: computes residues of many integers modulo many moduli, from words that represent
// the integers. The product of a word's four bytes and the four bytes of a weight consists of 16 products of 8 bits. A
// tensor core computes 4096 of these in the time of some 50 multiplications of 32 bits.
#pragma once

#include "cuda/mp/device.hpp"
#include "lib/base/integers.hpp"
#ifdef __CUDACC__
#include "cuda/core/ptx_portable.hpp"
#endif

namespace accublas::cuda {

/// Returns the number of steps of eight words.
ACCUBLAS_HD constexpr int byte_steps(int words) { return ceil_div(words, 8); }
/// Returns the number of groups of four moduli.
ACCUBLAS_HD constexpr int byte_groups(int moduli) { return ceil_div(moduli, 4); }
/// Returns the number of weights of `words` words and `moduli` moduli, in the layout of byte_products.
ACCUBLAS_HD constexpr int byte_weights(int words, int moduli) { return 32 * byte_steps(words) * byte_groups(moduli); }

#ifdef __CUDACC__

/// Sums of bytes 0 and 1 (low) and of bytes 2 and 3 (high) of a warp's products; value() combines them.
template <int tiles>
struct ByteSums {
  std::uint32_t low[tiles][4] = {}, high[tiles][4] = {};

  /// Returns the sum of element 16 t + lane / 4 + 8 h and modulus lane % 4 of the group: congruent to the integer,
  /// below 2^53.
  __device__ __forceinline__ std::uint64_t value(int t, int h) const {
    return low[t][2 * h] + (static_cast<std::uint64_t>(low[t][2 * h + 1]) << 8) +
           (static_cast<std::uint64_t>(high[t][2 * h]) << 16) + (static_cast<std::uint64_t>(high[t][2 * h + 1]) << 24);
  }
};

/// Returns v mod m for v < 2^53. Modulo m, 2^32 = r32 < 2^15 and 2^31 = 2^31 - m < 2^14; replacing these leaves less
/// than 2^31 + 2^22 < 2 m.
__device__ __forceinline__ std::uint32_t reduce_sum(std::uint64_t v, const RnsModulus& modulus) {
  const std::uint64_t w = (v >> 32) * modulus.r32 + static_cast<std::uint32_t>(v);  // below 2^36 + 2^32
  const std::uint32_t above = static_cast<std::uint32_t>(w >> 31),
                      r = (static_cast<std::uint32_t>(w) & 0x7FFFFFFFu) + above * (0x80000000u - modulus.m);
  return r >= modulus.m ? r - modulus.m : r;
}

/// Adds sum_k word_k(e) w_kj for 16 `tiles` elements and the four moduli of a group, by a warp. Word k of element e is
/// at words[k by_word + e by_element] in shared memory, k < 8 steps (contents beyond the words do not matter). The
/// weights of the group start at `weights`. At most 544 words are allowed, so that sums of 2176 products of bytes stay
/// below 2^32. Word and element strides of 8 and 1, or of 1 and 4 (modulo 32; also 12, 20, 28 instead of 4), have no
/// bank conflicts.
template <int tiles>
__device__ __forceinline__ void byte_products(ByteSums<tiles>& sums, const std::uint32_t* words, int by_word,
                                              int by_element, int steps, const uint4* weights) {
  const int lane = threadIdx.x % 32;
  const std::uint32_t* at = words + lane % 4 * by_word + lane / 4 * by_element;
  weights += lane;
#pragma unroll 4
  for (int step = 0; step < steps; ++step, at += 8 * by_word, weights += 32) {
    const uint4 w = __ldg(weights);
#pragma unroll
    for (int t = 0; t < tiles; ++t) {
      std::uint32_t rows[4];
#pragma unroll
      for (int g = 0; g < 2; ++g)
#pragma unroll
        for (int h = 0; h < 2; ++h) rows[h + 2 * g] = at[4 * g * by_word + (16 * t + 8 * h) * by_element];
      ptx::mma_16x8x32(sums.low[t], rows, w.x, w.y);
      ptx::mma_16x8x32(sums.high[t], rows, w.z, w.w);
    }
  }
}

#endif

}  // namespace accublas::cuda
