// Host memory of the multiple-precision arrays and of their calls.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "lib/error.hpp"
#include "lib/test_hooks.hpp"

namespace accublas::mp {

/// 64-byte aligned, to be freed; null where there is none. Large memory in huge pages: a conversion writes to as many
/// places as there are moduli at once, and the faults of small pages took as long as its arithmetic.
inline void* allocate_aligned(std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : 64;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, bytes);
#if defined(__linux__)
  if (memory && alignment == huge_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

/// 64-byte aligned memory, not initialised. Throws Error(ACCUBLAS_ERROR_MEMORY).
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count) : count_(count) {
    if (count == 0) return;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    const bool fits = static_cast<std::uint64_t>(count) <= SIZE_MAX / 2 / sizeof(T);
    if (fits && !hook_allocation_fails()) data_ = static_cast<T*>(allocate_aligned(bytes));
    if (!data_) throw Error(ACCUBLAS_ERROR_MEMORY, "out of memory for a multiple-precision array");
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  std::int64_t size() const { return count_; }
  std::int64_t bytes() const { return count_ * static_cast<std::int64_t>(sizeof(T)); }
  void zero() {
    if (count_ > 0) std::memset(static_cast<void*>(data_), 0, static_cast<std::size_t>(count_) * sizeof(T));
  }
  /// Gives the memory away.
  T* release() {
    count_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

/// What Buffer::release gave away.
template <class T>
void free_buffer(T* data) {
  std::free(data);
}

constexpr std::int64_t round_up(std::int64_t n, std::int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace accublas::mp
