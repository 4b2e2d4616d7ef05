// Words that the thread blocks of a grid pass to each other through global memory. For .cu files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace accublas::cuda {

/// Carries 64 bits in two words that each include the number of the step that wrote them. A reader that finds a step's
/// number in both words has that step's bits, whatever the order in which the stores became visible.
struct alignas(16) ToldWord {
  std::uint64_t low, high;
};

/// The number of 64-bit words that hold a number of type E.
template <class E>
inline constexpr int words_of = sizeof(E) > 8 ? 2 : 1;

/// A thread block's message about a pivot is two words, followed by the row that holds it.
inline constexpr int told_header = 2;
template <class E, int columns>
inline constexpr int told_words = told_header + columns* words_of<E>;

#ifdef __CUDACC__

/// Returns word i of an array of numbers.
template <class E>
__device__ __forceinline__ std::uint64_t word_of(const E* from, int i) {
  constexpr std::size_t bytes = sizeof(E) / words_of<E>;
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const unsigned char*>(from) + static_cast<std::size_t>(i) * bytes, bytes);
  return word;
}
template <class E>
__device__ __forceinline__ void put_word(E* to, int i, std::uint64_t word) {
  constexpr std::size_t bytes = sizeof(E) / words_of<E>;
  std::memcpy(reinterpret_cast<unsigned char*>(to) + static_cast<std::size_t>(i) * bytes, &word, bytes);
}

__device__ __forceinline__ void tell_word(ToldWord* to, std::uint64_t bits, std::uint32_t step) {
  const std::uint64_t tag = std::uint64_t{step} << 32;
  volatile ToldWord* const at = to;
  at->low = tag | (bits & 0xFFFFFFFFu);
  at->high = tag | bits >> 32;
}
/// Waits for the word of the given step and returns its 64 bits.
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
