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

/// Lines of an operand in device memory: entry (i, p) is data[i stride + p k_stride], or that or its negative.
///
/// The parts of complex numbers as these are stored: terms in pairs, 2 p and 2 p + 1, are the parts of term p of
/// numbers, where strides say, one after the other; lines in pairs hold the same numbers, the second one with the parts
/// exchanged.
template <class T>
struct Operand {
  const T* data;
  Index stride, k_stride, count, k;
  std::uint8_t term_pairs = 0, line_pairs = 0;  ///< 1 where they are in pairs
  std::uint8_t negative = 0;                    ///< bit 2 (i line_pairs % 2) + p term_pairs % 2: of such entries

  /// Where entry (i, p) is; that of entry (i, p + 2 q) is 2 q k_stride further, and lines likewise.
  ACCUBLAS_HD const T* at(Index i, Index p) const {
    const Index line = i & line_pairs, term = p & term_pairs;
    return data + (i - line) * stride + (p - term) * k_stride + (line ^ term);
  }
  ACCUBLAS_HD bool negates(Index i, Index p) const {
    return (negative >> (2 * (i & line_pairs) + (p & term_pairs)) & 1) != 0;
  }
  ACCUBLAS_HD T operator()(Index i, Index p) const { return negates(i, p) ? -*at(i, p) : *at(i, p); }

  /// Of lines in pairs the first ones, as the numbers are stored.
  ACCUBLAS_HD Operand numbers() const { return {data, 2 * stride, k_stride, count / 2, k, term_pairs}; }
  bool same_entries(const Operand& o) const {
    return data == o.data && stride == o.stride && k_stride == o.k_stride && count == o.count &&
           term_pairs == o.term_pairs && line_pairs == o.line_pairs && negative == o.negative;
  }
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
