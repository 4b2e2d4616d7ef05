// Memory of the host for arrays: aligned to a line of the caches, and large ones in huge pages.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdlib>

#include "lib/base/integers.hpp"

namespace accublas {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Whether memory of so many bytes is in huge pages: a fresh 100 MB costs 25000 faults of small ones.
constexpr bool in_huge_pages(std::size_t bytes) { return bytes >= 2 * huge_page; }

/// 64-byte aligned, to be freed by std::free; null where there is none. `bytes` becomes what it holds.
inline void* allocate_aligned(std::size_t& bytes) {
  const bool huge = in_huge_pages(bytes);
  const std::size_t alignment = huge ? huge_page : 64;
  bytes = round_up(bytes, alignment);
  void* const memory = std::aligned_alloc(alignment, bytes);
#if defined(__linux__)
  if (memory && huge) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace accublas
