#include "lib/base/workspace.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "lib/base/aligned_memory.hpp"
#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/base/integers.hpp"

namespace accublas {

/// Header in front of a block's memory; its size keeps that memory aligned.
struct alignas(64) Workspace::Block {
  Block* next;
  std::size_t bytes;  ///< of the whole block, header included
};

/// The pool of blocks that earlier calls gave back. A call that finds one need not ask the system, where a fresh 100 MB
/// costs 25000 page faults.
class WorkspacePool {
 public:
  using Block = Workspace::Block;

  /// Returns the smallest kept block of at least `bytes` that wastes at most a quarter, or no more than a new block of
  /// that size would; null if there is none. A call like the one before finds the blocks that it gave back at the head
  /// of the list, however long that is.
  Block* reuse(std::size_t bytes) {
    const ForkSafeLock lock(ForkSafe::workspace_pool);
    const std::size_t rounded = rounded_up(bytes), most = std::max(rounded, bytes + bytes / 4 + small);
    Block** best = nullptr;
    for (Block** link = &kept_; *link && !(best && (*best)->bytes == rounded); link = &(*link)->next)
      if ((*link)->bytes >= bytes && (*link)->bytes <= most && (!best || (*link)->bytes < (*best)->bytes)) best = link;
    if (!best) return nullptr;
    Block* block = *best;
    *best = block->next;
    kept_bytes_ -= block->bytes;
    return block;
  }

  /// Keeps the block, and frees the oldest blocks beyond the bound.
  void give_back(Block* block) {
    Block* surplus = nullptr;
    {
      const ForkSafeLock lock(ForkSafe::workspace_pool);
      block->next = kept_;
      kept_ = block;
      kept_bytes_ += block->bytes;
      if (kept_bytes_ > most_kept) {
        Block** link = &kept_;
        for (std::size_t sum = 0; *link && sum + (*link)->bytes <= most_kept; link = &(*link)->next)
          sum += (*link)->bytes;
        surplus = *link;
        *link = nullptr;
        for (Block* gone = surplus; gone; gone = gone->next) kept_bytes_ -= gone->bytes;
      }
    }
    release(surplus);
  }

  /// Frees all blocks that are kept.
  void trim() {
    Block* all;
    {
      const ForkSafeLock lock(ForkSafe::workspace_pool);
      all = kept_;
      kept_ = nullptr;
      kept_bytes_ = 0;
    }
    release(all);
  }

  static Block* allocate(std::size_t bytes) {
    void* const memory = allocate_aligned(bytes);
    return memory ? new (memory) Block{nullptr, bytes} : nullptr;
  }

  static WorkspacePool& instance() {
    static constinit WorkspacePool pool;
    return pool;
  }

 private:
  static void release(Block* block) {
    while (block) {
      Block* next = block->next;
      std::free(block);
      block = next;
    }
  }

  static constexpr std::size_t small = 4096;
  static constexpr std::size_t most_kept = std::size_t{512} << 20;
  Block* kept_ = nullptr;
  std::size_t kept_bytes_ = 0;
};

namespace {

std::string in_words(std::size_t bytes) {
  return bytes >> 20 ? std::to_string(bytes >> 20) + " MiB" : std::to_string(bytes) + " bytes";
}

}  // namespace

void Workspace::reset() noexcept {
  while (blocks_) {
    Block* next = blocks_->next;
    WorkspacePool::instance().give_back(blocks_);
    blocks_ = next;
  }
  taken_ = 0;
}

void Workspace::trim_pool() { WorkspacePool::instance().trim(); }

void Workspace::refuse() const {
  throw TooSmall(ACCUBLAS_ERROR_MEMORY,
                 buffer_ ? "the user's workspace of " + std::to_string(buffer_bytes_) + " bytes is too small"
                         : "the workspace cap of " + in_words(cap_) + " is too small");
}

void Workspace::refuse_buffer(std::size_t given, std::size_t needed) {
  throw TooSmall(ACCUBLAS_ERROR_MEMORY, "the user's workspace of " + std::to_string(given) +
                                            " bytes is too small: " + std::to_string(needed) + " bytes are needed");
}

void* Workspace::take_bytes(std::size_t count, std::size_t size) {
  if (count > SIZE_MAX / 4 / size) throw Error(ACCUBLAS_ERROR_MEMORY, "a workspace of more than the address space");
  const std::size_t bytes = round_up(count * size, 64);
  const std::size_t before = taken_;
  if (bytes > left()) refuse();
  Block* block = nullptr;
  if (kind_ == Kind::call && !buffer_) {
    block = WorkspacePool::instance().reuse(bytes + sizeof(Block));
    if (!block) block = WorkspacePool::allocate(bytes + sizeof(Block));
    if (!block) throw Error(ACCUBLAS_ERROR_MEMORY, "no memory for a workspace of " + in_words(bytes));
    block->next = blocks_;
    blocks_ = block;
  }
  taken_ += bytes;
  peak_ = std::max(peak_, taken_);
  if (rehearses()) return nullptr;
  return buffer_ ? static_cast<void*>(buffer_ + skipped() + before) : block + 1;
}

}  // namespace accublas
