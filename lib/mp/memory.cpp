#include "lib/mp/memory.hpp"

#include <vector>

#include "lib/base/fork_safe.hpp"
#include "lib/base/integers.hpp"
#include "lib/base/workspace.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace accublas::mp {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr bool is_large(std::size_t bytes) { return bytes >= 2 * huge_page; }

/// Blocks between two owners, the oldest first; under the lock mp_memory.
struct Kept {
  struct Block {
    void* memory;
    std::size_t bytes;
  };
  std::vector<Block> blocks;
  std::size_t bytes = 0;

  void* remove(std::size_t at) {
    void* const memory = blocks[at].memory;
    bytes -= blocks[at].bytes;
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(at));
    return memory;
  }
};

Kept& kept() {
  static constinit Lazy<Kept> instance;  // arrays may be destroyed until the process ends
  return instance.get();
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  const std::size_t alignment = is_large(bytes) ? huge_page : 64;
  bytes = round_up(bytes, alignment);
  void* memory = std::aligned_alloc(alignment, bytes);
#if defined(__linux__)
  if (memory && alignment == huge_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

/// Only a block of the very size serves again: forms of one shape follow each other, and no memory is held for less.
void* allocate_kept(std::size_t bytes) {
  if (is_large(bytes)) {
    Kept& k = kept();
    const ForkSafeLock lock(ForkSafe::mp_memory);
    for (std::size_t i = k.blocks.size(); i-- > 0;)
      if (k.blocks[i].bytes == bytes) return k.remove(i);
  }
  return allocate_aligned(bytes);
}

void free_kept(void* memory, std::size_t bytes) noexcept {
  if (!is_large(bytes) || bytes > default_workspace_bytes) return std::free(memory);
  Kept& k = kept();
  const ForkSafeLock lock(ForkSafe::mp_memory);
  while (k.bytes + bytes > default_workspace_bytes) std::free(k.remove(0));
  try {
    k.blocks.push_back({memory, bytes});
    k.bytes += bytes;
  } catch (...) {
    std::free(memory);
  }
}

}  // namespace accublas::mp
