// Host memory of the multiple-precision arrays and of their calls.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"

namespace accublas::mp {

/// Allocates memory as lib/base/aligned_memory.hpp does. A conversion writes to as many planes as there are moduli at
/// once, and the faults of small pages took as long as its arithmetic. Blocks in huge pages, of up to 256 MiB in all,
/// are kept instead of being freed, since the system clears fresh pages, which takes as long as a conversion that fills
/// them.
void* allocate_kept(std::size_t bytes);
void free_kept(void* memory, std::size_t bytes) noexcept;

/// Memory that is 64-byte aligned and not initialised. Throws Error(ACCUBLAS_ERROR_MEMORY).
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count) : count_(count) {
    if (count == 0) return;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    const bool fits = static_cast<std::uint64_t>(count) <= SIZE_MAX / 2 / sizeof(T);
    if (fits) data_ = static_cast<T*>(allocate_kept(bytes));
    if (!data_) throw Error(ACCUBLAS_ERROR_MEMORY, "out of memory for a multiple-precision array");
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Buffer() { free_kept(data_, static_cast<std::size_t>(count_) * sizeof(T)); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  std::int64_t size() const { return count_; }
  std::int64_t bytes() const { return count_ * static_cast<std::int64_t>(sizeof(T)); }
  void zero() {
    if (count_ > 0) std::memset(static_cast<void*>(data_), 0, static_cast<std::size_t>(count_) * sizeof(T));
  }
  /// Releases ownership of the memory to the caller, which passes it to free_buffer.
  T* release() {
    count_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

/// Frees memory that Buffer::release returned.
template <class T>
void free_buffer(T* data) {
  std::free(data);
}

/// Planes of at least this many bytes are written past the caches.
inline constexpr std::int64_t streamed_bytes = std::int64_t{4} << 20;

/// Copies to memory that will not be read soon, past the caches if `to` allows, so that the cache lines need not be
/// read to be written. The copy writes plane after plane from a buffer in the caches, because stores to as many planes
/// as there are moduli at once wait for each other's lines (conversions took twice as long). Call stream_fence() before
/// others may read the memory.
inline void stream(const std::uint32_t* from, std::int64_t count, std::uint32_t* to) {
  std::int64_t i = 0;
#if defined(__SSE2__)
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128i) == 0)
    for (; i + 4 <= count; i += 4)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
#endif
  for (; i < count; ++i) to[i] = from[i];
}
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace accublas::mp
