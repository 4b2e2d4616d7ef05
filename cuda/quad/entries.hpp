// Loads of numbers beyond double precision. Device code.
#pragma once

#include <cuda_runtime.h>

#include "lib/quad/line_scan.hpp"
#include "lib/quad/narrow_sum.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Whether the entries (i, p) of neighbouring lines i are closer in memory than those of neighbouring terms p.
ACCUBLAS_HD inline bool lies_across(const quad::Operand& x) {
  const Index row = x.row_stride < 0 ? -x.row_stride : x.row_stride,
              col = x.col_stride < 0 ? -x.col_stride : x.col_stride;
  return row < col;
}

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

/// Writes a number as one integer, as quad::as_integer does.
__device__ inline bool integer_in(quad::Format format, const ulonglong2& entry, Decoded128& to) {
  if (format == quad::Format::binary64) return quad::as_integer(from_bits<double>(entry.x), to);
  if (format == quad::Format::binary128) return quad::as_integer(Binary128{{entry.x, entry.y}}, to);
  return quad::as_integer(from_bits<double>(entry.x), from_bits<double>(entry.y), to);
}

/// The integer nearest to an entry times 2^scale, or for a pair the sum of those of its parts, as
/// quad::scale_number makes it. The entry is finite.
__device__ inline quad::ScaledEntry scaled_entry(quad::Format format, const ulonglong2& entry, int scale) {
  if (format == quad::Format::binary128) return quad::scale_part(decode128(Binary128{{entry.x, entry.y}}), scale);
  const double high = from_bits<double>(entry.x), low = from_bits<double>(entry.y);  // 0 below a double
  if (high == -low) return {{}, false};
  return quad::add_scaled(quad::scale_part(decode128(high), scale), quad::scale_part(decode128(low), scale));
}

#endif

}  // namespace accublas::cuda
