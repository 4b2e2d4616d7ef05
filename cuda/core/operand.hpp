// What the CUDA kernels of the GEMM engines share: the operands, what is known of their lines, and scalars.
//
// Coordinates: a GEMM engine computes at(row, col) = C or its transpose, so that `col` runs along C's unit stride. A
// *line* is a row of op(A) or a column of op(B) (or, transposed, the other way round): the rows' side and the columns'
// side each have `count` lines of `k` entries.
#pragma once

#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// Lines of an operand in device memory: entry (i, p) is data[i stride + p k_stride].
template <class T>
struct Operand {
  const T* data;
  Index stride, k_stride, count, k;
};

/// Lines come in groups of this many; per-line arrays are padded to it with zero lines (measure fills the padding).
inline constexpr Index line_group = 256;
ACCUBLAS_HD constexpr Index padded_lines(Index count) { return round_up(count, line_group); }

/// What is known of every line; device arrays, padded_lines(count) long. A line with Inf or NaN is `special`, and taken
/// as zero in everything else.
struct Lines {
  Index count, k;
  std::int32_t* exponent;  ///< E: least with abs(x) < 2^E; 0 for a zero line
  std::int32_t* last_bit;  ///< every entry is a multiple of 2^last_bit, the largest such; no_last_bit for a zero line
  double* norm;            ///< upper bound of the Euclidean norm in units of 2^E, 0 only for a zero line
  double* lambda;          ///< sum of ceil(abs(x) 2^(24 - E)), exact below 2^53, an upper bound beyond
  std::uint8_t* special;   ///< 0 finite, 1 with Inf, 2 with NaN
  std::uint64_t* nonzero;  ///< bit p of word p / 64 of a line's `words` words: entry p is not zero; null where not kept
  Index words;             ///< (k + 63) / 64
};
inline constexpr std::int32_t no_last_bit = 0x3FFFFFFF;

/// Bits below 2^E that a line needs so that nothing is dropped.
ACCUBLAS_HD inline std::int64_t needed_bits(const Lines& lines, Index i) {
  return std::int64_t{lines.exponent[i]} - lines.last_bit[i];
}

/// A scalar argument: by value, or in device memory, read on the stream.
template <class T>
struct Scalar {
  T value;
  const T* pointer;  ///< null: `value`
#ifdef __CUDACC__
  __device__ T get() const { return pointer ? *pointer : value; }
#endif
};

}  // namespace accublas::cuda
