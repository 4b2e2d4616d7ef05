#include "lib/workspace.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>

#include "lib/error.hpp"
#include "lib/test_hooks.hpp"

namespace accublas {

struct Workspace::Block {
  Block* next;
};

Workspace::Workspace(std::size_t cap, void* buffer, std::size_t buffer_bytes)
    : cap_(cap), buffer_(static_cast<unsigned char*>(buffer)), buffer_bytes_(buffer_bytes) {}

Workspace::~Workspace() {
  while (blocks_) {
    Block* next = blocks_->next;
    std::free(blocks_);
    blocks_ = next;
  }
}

std::size_t Workspace::available() const noexcept { return taken_ < cap_ ? cap_ - taken_ : 0; }

void* Workspace::take_bytes(std::size_t count, std::size_t size) {
  if (hook_allocation_fails() || (size && count > SIZE_MAX / 2 / size)) throw Error(ACCUBLAS_ERROR_MEMORY, "out of memory");
  const std::size_t bytes = (count * size + 63) / 64 * 64;
  auto* memory = static_cast<unsigned char*>(std::aligned_alloc(64, bytes + 64));
  if (!memory) throw Error(ACCUBLAS_ERROR_MEMORY, "out of memory");
  blocks_ = new (memory) Block{blocks_};
  taken_ += bytes;
  if (taken_ > peak_) peak_ = taken_;
  return memory + 64;
}

}  // namespace accublas
