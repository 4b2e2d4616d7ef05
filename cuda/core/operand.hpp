// The CUDA kernels of the GEMM engines share these structures: the operands, the measurements of their lines, and
// scalars.
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

/// Lines of an operand in device memory: entry (i, p) is data[i stride + p k_stride], or its negative, unless entries
/// are in pairs.
///
/// Pairs let an operand refer to the parts of complex numbers as they are stored. With term pairs, terms 2 p and 2 p +
/// 1 are the two parts of number p of a line, adjacent in memory; strides refer to whole numbers. With line pairs, both
/// lines of a pair hold the same numbers, and the second line exchanges the parts.
template <class T>
struct Operand {
  const T* data;
  Index stride, k_stride, count, k;
  std::uint8_t term_pairs = 0, line_pairs = 0;  ///< 1 if terms (lines) are in pairs
  /// bit 2 (i line_pairs % 2) + p term_pairs % 2: such entries are negated
  std::uint8_t negative = 0;

  /// Returns the address of entry (i, p). Entry (i, p + 2 q) lies 2 q k_stride further on; the address advances in the
  /// same way by `stride` for lines.
  ACCUBLAS_HD const T* at(Index i, Index p) const {
    const Index line = i & line_pairs, term = p & term_pairs;
    return data + (i - line) * stride + (p - term) * k_stride + (line ^ term);
  }
  ACCUBLAS_HD bool negates(Index i, Index p) const {
    return (negative >> (2 * (i & line_pairs) + (p & term_pairs)) & 1) != 0;
  }
  ACCUBLAS_HD T operator()(Index i, Index p) const { return negates(i, p) ? -*at(i, p) : *at(i, p); }

  /// Returns the first line of each pair of lines, so that the result holds the numbers as they are stored.
  ACCUBLAS_HD Operand numbers() const { return {data, 2 * stride, k_stride, count / 2, k, term_pairs}; }
  bool same_entries(const Operand& o) const {
    return data == o.data && stride == o.stride && k_stride == o.k_stride && count == o.count &&
           term_pairs == o.term_pairs && line_pairs == o.line_pairs && negative == o.negative;
  }
};

/// Lines come in groups of this many; per-line arrays are padded to it with zero lines (measure fills the padding).
inline constexpr Index line_group = 256;
ACCUBLAS_HD constexpr Index padded_lines(Index count) { return round_up(count, line_group); }

/// Holds measurements of every line, in device arrays of padded_lines(count) entries. A line with Inf or NaN is marked
/// `special` and counts as zero in all other arrays.
struct Lines {
  Index count, k;
  std::int32_t* exponent;  ///< E: least with abs(x) < 2^E; 0 for a zero line
  std::int32_t* last_bit;  ///< every entry is a multiple of 2^last_bit, the largest such; no_last_bit for a zero line
  double* norm;            ///< upper bound of the Euclidean norm in units of 2^E, 0 only for a zero line
  double* lambda;          ///< sum of ceil(abs(x) 2^(24 - E)), exact below 2^53, an upper bound beyond
  std::uint8_t* special;   ///< 0 finite, 1 with Inf, 2 with NaN
  std::uint64_t* nonzero;  ///< bit p of word p / 64 of a line's `words` words: entry p is not zero; null if not kept
  Index words;             ///< (k + 63) / 64
};
inline constexpr std::int32_t no_last_bit = 0x3FFFFFFF;

/// Returns how many bits below 2^E a line needs so that nothing is dropped.
ACCUBLAS_HD inline std::int64_t needed_bits(const Lines& lines, Index i) {
  return std::int64_t{lines.exponent[i]} - lines.last_bit[i];
}

/// A scalar argument, passed by value or in device memory; kernels read the latter on the stream.
template <class T>
struct Scalar {
  T value;
  const T* pointer;  ///< null: `value`
#ifdef __CUDACC__
  __device__ T get() const { return pointer ? *pointer : value; }
#endif
};

}  // namespace accublas::cuda
