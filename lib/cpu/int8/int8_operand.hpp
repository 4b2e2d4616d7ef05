// The operands of the int8 engine: what is known of every row and column, and their conversion to bytes.
#pragma once

#include <cstdint>

#include "lib/call/execution.hpp"
#include "lib/call/problem.hpp"
#include "lib/cpu/int8/int8_portable.hpp"

namespace accublas::cpu {

/// op(A) by rows, or op(B) by columns: entry (i, p) is data[i stride + p k_stride]. A "line" is one of them.
template <class T>
struct Int8Operand {
  const T* data;
  Index stride, k_stride, count, k;
  Vector<const T> line(Index i) const { return {data + i * stride, k_stride}; }
};

/// Properties of every line, in arrays of the workspace of length `count` rounded up to 32.
struct Int8Lines {
  Index count, k;
  std::int32_t* exponent;  ///< E: least with abs(x) < 2^E; 0 for a zero line
  std::int32_t* last_bit;  ///< every entry is a multiple of 2^last_bit; large for a zero line
  double* norm;            ///< upper bound of the Euclidean norm, in units of 2^E
  double* lambda;          ///< sum of ceil(abs(x) 2^(24 - E)); an upper bound beyond 2^53
  std::uint8_t* special;   ///< 0 finite, 1 with Inf, 2 with NaN; lines with either are taken as zero above
  std::uint64_t* nonzero;  ///< bit p: entry p is not zero; `words` for every line; null where not kept
  Index words;
  std::uint8_t* sparse;  ///< some entry is zero, by `nonzero`
  double* packed;  ///< small operands: the lines as doubles, packed_stride apart, those with Inf or NaN zero; else null
  Index packed_stride;

  /// Bits below the leading one of 2^E that a line needs so that nothing is dropped.
  std::int64_t needed_bits(Index i) const { return std::int64_t{exponent[i]} - last_bit[i]; }
};

/// Buffers of one thread for conversions.
inline constexpr Index int8_pack_terms = 1024;
/// Doubles between rows of so many: an odd number of cache lines, so that the rows meet in no set of the first-level
/// cache.
constexpr Index int8_pack_stride(Index terms) { return terms / 16 * 16 + 8; }
struct Int8Pack {
  double* x;  ///< 32 rows of int8_pack_terms
  static constexpr Index stride = int8_pack_stride(int8_pack_terms);
  static constexpr std::size_t count = int8_panel * stride;
};

/// Takes the arrays that have one number a line.
Int8Lines int8_take_numbers(Workspace& workspace, Index count, Index k);

/// Takes all arrays. `keep_nonzero` asks for the bits too.
Int8Lines int8_take_lines(Workspace& workspace, Index count, Index k, bool keep_nonzero);

/// Fills them.
template <class T>
void int8_measure(const Int8Operand<T>& operand, const Int8Lines& lines, const Int8ConvertKernels& kernels,
                  const Int8Pack* packs, int threads);

/// How lines become bytes.
struct Int8Bytes {
  bool panel;                 ///< the columns' side
  bool certificate;           ///< 7-bit magnitudes of the certificate's terms, else residues
  const std::int32_t* scale;  ///< residues: a' = a 2^scale[i] rounded, by line
  int limbs, moduli;
  std::uint8_t* out;
  Index row_stride, plane_stride;
  Index panel_stride = 0;  ///< columns: bytes from panel to panel; 0: those of the terms
};

/// Lines first .. first + lines_count - 1, terms p0 .. p0 + terms - 1 (of the certificate: of its own terms), zero
/// padded.
template <class T>
void int8_convert(const Int8Operand<T>& operand, const Int8Lines& lines, const Int8Bytes& bytes, Index first,
                  Index lines_count, Index p0, Index terms, const Int8ConvertKernels& kernels, const Int8Pack* packs,
                  int threads);

}  // namespace accublas::cpu
