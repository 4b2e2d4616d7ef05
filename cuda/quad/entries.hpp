// Loads of numbers beyond double precision. Device code.
#pragma once

#include <cuda_runtime.h>

#include "lib/quad/number.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// The 16 bytes of an entry; a double is followed by zeros.
__device__ inline ulonglong2 load_entry(const quad::Operand& x, Index at, bool aligned) {
  if (x.format == quad::Format::binary64) return {static_cast<const unsigned long long*>(x.data)[at], 0};
  if (x.format == quad::Format::binary128) {
    if (aligned) return static_cast<const ulonglong2*>(x.data)[at];
    const auto* const words = static_cast<const unsigned long long*>(x.data) + 2 * at;
    return {words[0], words[1]};
  }
  return {static_cast<const unsigned long long*>(x.data)[x.step * at],
          reinterpret_cast<const unsigned long long*>(x.low)[x.step * at]};
}
__device__ inline quad::Number number_in(quad::Format format, const ulonglong2& entry) {
  if (format == quad::Format::binary64) return quad::number_of(from_bits<double>(entry.x));
  if (format == quad::Format::binary128) return quad::number_of(Binary128{{entry.x, entry.y}});
  return quad::number_of(from_bits<double>(entry.x), from_bits<double>(entry.y));
}

#endif

}  // namespace accublas::cuda
