// Divides an area of memory into arrays.
#pragma once

#include <cstddef>

#include "lib/base/integers.hpp"

namespace accublas::cuda {

/// Lays out arrays one after the other, each aligned to 256 bytes. Callers run a layout twice: once from null to learn
/// the size, once from memory.
class Carver {
 public:
  explicit Carver(void* base) : base_(static_cast<std::byte*>(base)) {}
  template <class T, class Count>
  T* take(Count count) {
    const std::size_t at = used_;
    used_ += round_up(static_cast<std::size_t>(count) * sizeof(T), 256);
    return base_ ? reinterpret_cast<T*>(base_ + at) : nullptr;
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

/// Returns how many bytes the arrays take that lay_out(Carver&) takes.
template <class LayOut>
std::size_t bytes_of_arrays(LayOut&& lay_out) {
  Carver sizing(nullptr);
  lay_out(sizing);
  return sizing.used();
}

}  // namespace accublas::cuda
