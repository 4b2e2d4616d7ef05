// Exact sums of products that the threads of a thread block form together. A lane has an accumulator of its own in
// shared memory, as long as the exponents of the terms ask for. Device code.
#pragma once

#include "lib/quad/narrow_sum.hpp"

namespace accublas::cuda {

/// Memory of a thread block.
struct QuadScratch {
  /// Accumulators begin up to 226 bits below the last bit of a sum.
  static constexpr int limbs = WideSum::limbs + 8;
  std::uint64_t sum[limbs];
  alignas(16) unsigned char finish[sizeof(quad::Finish)];
};

#ifdef __CUDACC__

namespace lane_sums {

constexpr int threads = 128, accumulator_bytes = 72 << 10;

struct SharedSum {
  int first, count;  ///< of the limbs in scratch->sum, the lowest and the highest not 0
  int negative;
  std::int64_t exponent;  ///< of limb `first`
  unsigned classes;       ///< of infinite and NaN terms, a bit each
};

/// Adds x y, a multiple of 2^position, to a lane's accumulator of 32-bit digits in signed words, `stride` apart.
__device__ inline void add_product(std::int64_t* accumulator, int stride, const Decoded128& x, const Decoded128& y,
                                   int position, bool negate = false) {
  const std::uint64_t x0 = static_cast<std::uint64_t>(x.mantissa), x1 = static_cast<std::uint64_t>(x.mantissa >> 64),
                      y0 = static_cast<std::uint64_t>(y.mantissa), y1 = static_cast<std::uint64_t>(y.mantissa >> 64);
  // The middle terms are below 2^113 each, and the high one is below 2^98.
  const Uint128 low = static_cast<Uint128>(x0) * y0,
                middle = static_cast<Uint128>(x0) * y1 + static_cast<Uint128>(x1) * y0 + (low >> 64),
                high = static_cast<Uint128>(x1) * y1 + (middle >> 64);
  const std::uint64_t p[4] = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(middle),
                              static_cast<std::uint64_t>(high), static_cast<std::uint64_t>(high >> 64)};
  const int shift = position & 31;
  const std::int64_t sign = (x.negative != y.negative) != negate ? -1 : 0;
  std::int64_t* at = accumulator + (position >> 5) * stride;
  std::uint32_t before = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i, at += stride) {
    const std::uint32_t half = static_cast<std::uint32_t>(p[i / 2] >> (32 * (i % 2)));
    const std::int64_t digit = __funnelshift_l(before, half, shift);
    *at += (digit ^ sign) - sign;
    before = half;
  }
  const std::int64_t digit = shift == 0 ? 0 : before >> (32 - shift);
  *at += (digit ^ sign) - sign;
}

/// Adds x y, or -x y with `negate`, to a lane's accumulator, unless a factor is infinite or NaN.
__device__ inline void add_term(std::int64_t* accumulator, int stride, const quad::Number& x, const quad::Number& y,
                                int base, bool negate = false) {
  for (int i = 0; i < x.parts; ++i)
    for (int j = 0; j < y.parts; ++j)
      add_product(accumulator, stride, x.part[i], y.part[j], x.part[i].exponent + y.part[j].exponent - base, negate);
}

/// Returns how many words an accumulator of terms in a range has: products have 256 bits, and there is room for 2^62 of
/// them, a sign, and the digits that an addition touches.
__device__ inline int words_of(const quad::TermRange& range) {
  return range.empty() ? 0 : (range.highest - range.base + 256 + 64) / 32 + 11;
}

/// Returns how many lanes have an accumulator of so many words in `bytes` of shared memory.
__device__ inline int lanes_of(int words, int bytes = accumulator_bytes) {
  return words == 0 ? threads : min(threads, bytes / static_cast<int>(sizeof(std::int64_t)) / words);
}

/// Sets the accumulators of all lanes to 0. All threads call it.
__device__ inline void clear(std::int64_t* accumulators, int words, int lanes) {
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < words * lanes; i += threads) accumulators[i] = 0;
  __syncthreads();
}

/// Adds up word w of all lanes in accumulators[w lanes]. All threads call it.
__device__ inline void add_lanes(std::int64_t* accumulators, int words, int lanes) {
  __syncwarp();
  __syncthreads();
  // A word is added up by one thread, which begins at another lane than its neighbours.
  for (int w = static_cast<int>(threadIdx.x); w < words; w += threads) {
    std::int64_t sum = 0;
    for (int l = 0; l < lanes; ++l) sum += accumulators[w * lanes + (l + w) % lanes];
    accumulators[w * lanes] = sum;
  }
  __syncthreads();
}

/// Forms the sum of word(w) 2^(base + 32 w), a digit in a signed word each, in to[QuadScratch::limbs], as abs and sign.
/// One thread calls it.
template <class Word>
__device__ inline void put_sum(Word&& word, int words, int base, std::uint64_t* to, SharedSum* shared) {
  std::int64_t carry = 0;
  const int limbs = (words + 1) / 2;
  for (int i = 0; i < limbs; ++i) {
    std::uint64_t limb = 0;
    for (int half = 0; half < 2; ++half) {
      const int w = 2 * i + half;
      const std::int64_t v = (w < words ? word(w) : 0) + carry;
      carry = v >> 32;
      limb |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(v)) << (32 * half);
    }
    to[i] = limb;
  }
  const bool negative = limbs > 0 && to[limbs - 1] >> 63 != 0;
  if (negative) limbs_negate(to, limbs);
  int first = 0, end = limbs;
  while (end > 0 && to[end - 1] == 0) --end;
  while (first < end && to[first] == 0) ++first;
  *shared = {first, end - first, negative ? 1 : 0, std::int64_t{base} + 64 * first, 0};
}

__device__ inline SignedLimbs limbs_of(const std::uint64_t* limbs, const SharedSum& sum) {
  return {limbs + sum.first, sum.count, sum.exponent, sum.negative != 0};
}

}  // namespace lane_sums

#endif

}  // namespace accublas::cuda
