// Words that thread blocks of a grid tell each other through global memory. For .cu files.
#pragma once

#include <cstdint>

namespace accublas::cuda {

/// 64 bits in two words that each carry the number of the step at which they were told: who reads both with a step's
/// number has that step's bits, whatever the order in which memory has seen the stores.
struct alignas(16) ToldWord {
  std::uint64_t low, high;
};

#ifdef __CUDACC__

__device__ __forceinline__ void tell_word(ToldWord* to, std::uint64_t bits, std::uint32_t step) {
  const std::uint64_t tag = std::uint64_t{step} << 32;
  volatile ToldWord* const at = to;
  at->low = tag | (bits & 0xFFFFFFFFu);
  at->high = tag | bits >> 32;
}
/// Waits for it.
__device__ __forceinline__ std::uint64_t hear_word(const ToldWord* from, std::uint32_t step) {
  const volatile ToldWord* const at = from;
  std::uint64_t low, high;
  do {
    low = at->low, high = at->high;
  } while (low >> 32 != step || high >> 32 != step);
  return high << 32 | (low & 0xFFFFFFFFu);
}

#endif

}  // namespace accublas::cuda
