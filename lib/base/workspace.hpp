// Workspace of one call: blocks from the process's pool or from the user's buffer, under a cap.
#pragma once

#include <cstddef>

namespace accublas {

/// Cap of a call's workspace on the CPU where none is set.
constexpr std::size_t default_workspace_bytes = std::size_t{256} << 20;

/// Arena of one call. Engines take all they need before their first write to C. Memory is 64-byte aligned and not
/// initialised. Everything is released when the call ends.
class Workspace {
 public:
  /// What engines may take beyond the cap: tables and per-thread tiles that do not grow with the problem.
  static constexpr std::size_t beyond_cap = std::size_t{1} << 20;

  /// What a thread has at least, see lanes().
  static constexpr std::size_t lane_bytes = std::size_t{64} << 10;

  /// `cap` in bytes. With `buffer` all memory comes from it and the cap is its size.
  Workspace(std::size_t cap, void* buffer, std::size_t buffer_bytes)
      : cap_(buffer ? plannable(buffer_bytes) : cap),
        buffer_(static_cast<unsigned char*>(buffer)),
        buffer_bytes_(buffer_bytes) {}
  /// Part of a workspace that is held already: `bytes` of memory, 64-byte aligned, `cap` of them to plan with. No take
  /// within `bytes` fails.
  struct Part {
    void* memory;
    std::size_t bytes, cap;
  };
  explicit Workspace(const Part& part)
      : cap_(part.cap), buffer_(static_cast<unsigned char*>(part.memory)), buffer_bytes_(part.bytes), held_(true) {}
  ~Workspace() {
    if (blocks_) reset();
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Bytes that an engine may plan with (the cap less what is taken). Blocking by this number never changes bits.
  std::size_t available() const noexcept { return taken_ < cap_ ? cap_ - taken_ : 0; }

  /// `count` elements of T. Throws Error(ACCUBLAS_ERROR_MEMORY). Small fixed needs (below 1 MiB in all) may pass the
  /// cap, but not the end of the user's buffer.
  template <class T>
  T* take(std::size_t count) {
    return static_cast<T*>(take_bytes(count, sizeof(T)));
  }

  /// Of `threads`, as many as may have memory of their own: lane_bytes suffice for each, in every engine.
  int lanes(int threads) const noexcept {
    const std::size_t fit = most() / lane_bytes;
    return fit >= static_cast<std::size_t>(threads) ? threads : fit > 1 ? static_cast<int>(fit) : 1;
  }

  /// The most that can be taken of an untouched workspace.
  std::size_t most() const noexcept { return buffer_ ? cap_ : cap_ + beyond_cap; }

  /// The most that can still be taken.
  std::size_t left() const noexcept {
    const std::size_t all = held_ ? buffer_bytes_ : most();
    return taken_ < all ? all - taken_ : 0;
  }

  std::size_t peak() const noexcept { return peak_; }

  /// For a backend that manages memory of its own: the cap, and the user's buffer (null: none).
  std::size_t cap() const noexcept { return cap_; }
  void* buffer() const noexcept { return buffer_; }
  std::size_t buffer_bytes() const noexcept { return buffer_bytes_; }

  /// Gives everything back and sets another cap: a call that found no memory tries again with less.
  void restart(std::size_t cap) noexcept {
    reset();
    if (!buffer_) cap_ = cap;
  }

  /// Frees the blocks that the process's pool keeps for later calls (at most 512 MiB).
  static void trim_pool();

 private:
  friend class WorkspacePool;
  struct Block;

  void* take_bytes(std::size_t count, std::size_t size);
  void reset() noexcept;

  /// What may be planned with in a user's buffer: less the alignment of its start and of every array taken.
  static constexpr std::size_t plannable(std::size_t bytes) {
    const std::size_t margin = bytes / 8 < 4096 ? bytes / 8 + 64 : 4096;
    return bytes > margin ? (bytes - margin) / 64 * 64 : 0;
  }

  Block* blocks_ = nullptr;
  std::size_t cap_, taken_ = 0, peak_ = 0;
  unsigned char* buffer_;
  std::size_t buffer_bytes_;
  bool held_ = false;
};

}  // namespace accublas
