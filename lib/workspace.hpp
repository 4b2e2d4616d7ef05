// Workspace of one call: blocks from the process's pool or from the user's buffer, under a cap.
#pragma once

#include <cstddef>

namespace accublas {

/// Arena of one call. Engines take all they need before their first write to C. Memory is 64-byte aligned and not
/// initialised. Everything is released when the call ends.
class Workspace {
 public:
  /// `cap` in bytes. With `buffer` all memory comes from it and the cap is its size.
  Workspace(std::size_t cap, void* buffer, std::size_t buffer_bytes);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Bytes that an engine may plan with (the cap less what is taken). Blocking by this number never changes bits.
  std::size_t available() const noexcept;

  /// `count` elements of T. Throws Error(ACCUBLAS_ERROR_MEMORY). Small fixed needs (below 1 MiB in all) may pass the cap.
  template <class T>
  T* take(std::size_t count) {
    return static_cast<T*>(take_bytes(count, sizeof(T)));
  }

  std::size_t peak() const noexcept { return peak_; }

 private:
  void* take_bytes(std::size_t count, std::size_t size);

  struct Block;
  Block* blocks_ = nullptr;
  std::size_t cap_, taken_ = 0, peak_ = 0;
  unsigned char* buffer_;
  std::size_t buffer_bytes_, buffer_used_ = 0;
};

}  // namespace accublas
