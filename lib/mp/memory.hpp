// Host memory of the multiple-precision arrays and of their calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "lib/error.hpp"
#include "lib/test_hooks.hpp"

namespace accublas::mp {

/// 64-byte aligned memory, not initialised. Throws Error(ACCUBLAS_ERROR_MEMORY).
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count) : count_(count) {
    if (count == 0) return;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    const bool fits = static_cast<std::uint64_t>(count) <= SIZE_MAX / 2 / sizeof(T);
    if (fits && !hook_allocation_fails())
      data_ = static_cast<T*>(::operator new(bytes, std::align_val_t{64}, std::nothrow));
    if (!data_) throw Error(ACCUBLAS_ERROR_MEMORY, "out of memory for a multiple-precision array");
  }
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Buffer() { ::operator delete(data_, std::align_val_t{64}); }

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
  ::operator delete(data, std::align_val_t{64});
}

constexpr std::int64_t round_up(std::int64_t n, std::int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace accublas::mp
