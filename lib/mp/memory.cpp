#include "lib/mp/memory.hpp"

#include <vector>

#include "lib/base/aligned_memory.hpp"
#include "lib/base/fork_safe.hpp"

namespace accublas::mp {

namespace {

constexpr std::size_t most_kept = std::size_t{256} << 20;

/// Blocks that pass from one owner to the next, the oldest first. The lock mp_memory protects them.
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

/// A kept block is reused only for a request of exactly its size: aligned forms of one shape follow each other, and no
/// memory is held for smaller ones.
void* allocate_kept(std::size_t bytes) {
  if (in_huge_pages(bytes)) {
    Kept& k = kept();
    const ForkSafeLock lock(ForkSafe::mp_memory);
    for (std::size_t i = k.blocks.size(); i-- > 0;)
      if (k.blocks[i].bytes == bytes) return k.remove(i);
  }
  return allocate_aligned(bytes);
}

void free_kept(void* memory, std::size_t bytes) noexcept {
  if (!in_huge_pages(bytes) || bytes > most_kept) return std::free(memory);
  Kept& k = kept();
  const ForkSafeLock lock(ForkSafe::mp_memory);
  while (k.bytes + bytes > most_kept) std::free(k.remove(0));
  try {
    k.blocks.push_back({memory, bytes});
    k.bytes += bytes;
  } catch (...) {
    std::free(memory);
  }
}

}  // namespace accublas::mp
