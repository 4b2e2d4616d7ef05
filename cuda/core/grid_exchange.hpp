// The thread blocks of a grid exchange numbers step by step, through words in device memory that carry their own flags.
// A number arrives together with its flag, so an exchange costs one way through memory. For .cu files.
//
// Contract. All thread blocks are resident at a time (cuda/core/grid_barrier.hpp). The words are zero before the first
// step. Steps have the numbers 1, 2, .. over all kernels that share the words. In every step each block waits for words
// of all others, or for words that follow from them. A block that publishes in one step has therefore read all words of
// the step before, and two sets of words, used in turn, suffice.
#pragma once

#include <cstdint>
#include <cstring>

#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// Carries 64 bits in two words that each include the number of the step that wrote them. A reader that finds a step's
/// number in both words has that step's bits, whatever the order in which the stores became visible.
struct alignas(16) FlaggedWord {
  std::uint64_t low, high;
};

/// Returns how many words `blocks` thread blocks need that publish at most `each` of them in a step.
constexpr Index exchange_words(Index blocks, Index each) { return 2 * blocks * each; }

#ifdef __CUDACC__

/// The words through which a grid exchanges at most `each` words a thread block in a step.
template <int each>
struct ExchangeWords {
  FlaggedWord* words;

  /// Returns the words of a thread block in a step.
  __device__ FlaggedWord* by(std::uint32_t step, Index block) const {
    return words + (static_cast<Index>(step % 2) * gridDim.x + block) * each;
  }
};

__device__ __forceinline__ void publish_word(FlaggedWord* to, std::uint64_t bits, std::uint32_t step) {
  const std::uint64_t tag = std::uint64_t{step} << 32;
  volatile FlaggedWord* const at = to;
  at->low = tag | (bits & 0xFFFFFFFFu);
  at->high = tag | bits >> 32;
}
/// Waits for the word of the given step and returns its 64 bits.
__device__ __forceinline__ std::uint64_t await_word(const FlaggedWord* from, std::uint32_t step) {
  const volatile FlaggedWord* const at = from;
  std::uint64_t low, high;
  do {
    low = at->low, high = at->high;
  } while (low >> 32 != step || high >> 32 != step);
  return high << 32 | (low & 0xFFFFFFFFu);
}

/// publish_word and await_word for a number of at most 64 bits.
template <class T>
__device__ __forceinline__ void publish_number(FlaggedWord* to, T number, std::uint32_t step) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  publish_word(to, bits, step);
}
template <class T>
__device__ __forceinline__ T await_number(const FlaggedWord* from, std::uint32_t step) {
  const std::uint64_t bits = await_word(from, step);
  T number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

#endif

}  // namespace accublas::cuda
