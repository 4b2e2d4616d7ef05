// The lines of a batch in fixed point: their measurements, and the digits of a'. Device code.
#pragma once

#include "cuda/batch/batch_digits.hpp"
#include "cuda/batch/batch_tiles.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cuda {

/// The number of digits that T = 64 takes, and the number of weights of their products.
inline constexpr int fixed_digits = 9, most_fixed_bits = 64, fixed_weights = 2 * fixed_digits - 1;

/// A shape's lines, with the measurements of each.
template <class Tiles>
struct KnownLines : Tiles {
  int exponent[Tiles::lines];  ///< E; 0 for a line of zeros
  bool special[Tiles::lines];
};
template <int Rows, int Cols, int Terms, int TilesOfBlock, int Threads, bool Long = false>
using FixedShape = KnownLines<TileShape<fixed_digits, Rows, Cols, Terms, TilesOfBlock, Threads, Long>>;

/// Returns the largest over the four threads of a line.
__device__ inline int most_of_line(int x) {
  x = max(x, __shfl_xor_sync(0xFFFFFFFFu, x, 1));
  return max(x, __shfl_xor_sync(0xFFFFFFFFu, x, 2));
}

/// Calls body(number of the line in shared memory, the line) for all of the block's lines that some element needs. The
/// four threads of a line call `body` together.
template <class S, class T, class Body>
__device__ void for_lines(const BatchProblem<T>& p, const BatchTiles& tiles, Body&& body) {
#pragma unroll 1
  for (int group = static_cast<int>(threadIdx.x) / 32; group < S::lines / 8; group += S::warps) {
    const int line = 8 * group + static_cast<int>(threadIdx.x) % 32 / 4;
    const Line<T> at = line_of<S>(p, tiles, line);
    if (__any_sync(0xFFFFFFFFu, at.exists)) body(line, at);
  }
}

/// Measures a line: its exponent, and whether it holds Inf or NaN.
template <class S, class T>
__device__ void measure_line(const Line<T>& at, int terms, int line, S& shared) {
  constexpr int none = -0x3FFFFFFF;
  int exponent = none;
  bool special = false;
#pragma unroll 1
  for (int first = 0; first < (S::long_sums ? terms : 1); first += S::terms) {
    T x[S::terms / 4];
    load_line(at, first, terms, x);
#pragma unroll
    for (int q = 0; q < S::terms / 4; ++q) {
      special |= !is_finite(x[q]);
      if (!is_zero(x[q])) exponent = max(exponent, exponent_above(x[q]));
    }
  }
  special = most_of_line(special) != 0;
  exponent = most_of_line(exponent);
  if (threadIdx.x % 4 != 0) return;
  shared.exponent[line] = exponent == none || special ? 0 : exponent;
  shared.special[line] = special;
}

/// Writes the digits of entries of a line at t bits. Returns true if a bit is dropped. Entries of lines with Inf or NaN
/// become zeros.
template <class S, class T>
__device__ bool cut_line(const T (&x)[S::terms / 4], int line, int t, S& shared) {
  constexpr std::uint64_t halves = 0x8080808080808080u;  // 128 in the last eight digits
  const int lane = static_cast<int>(threadIdx.x) % 32, exponent = shared.exponent[line];
  const bool special = shared.special[line];
  bool dropped = false;
#pragma unroll
  for (int r = 0; r < S::terms / 16; ++r) {
    std::uint32_t first[4], middle[4], last[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const T entry = special ? T(0) : x[4 * r + e];
      const ScaledInteger a = scale_entry(entry, exponent, t);
      dropped |= !is_zero(entry) && exponent_of_last_bit(entry) < exponent - t;
      const bool negative = a.mantissa < 0;
      const std::uint64_t magnitude = static_cast<std::uint64_t>(negative ? -a.mantissa : a.mantissa) << a.shift;
      const std::uint64_t sum = negative ? halves - magnitude : halves + magnitude;
      // A carry or a borrow becomes the first digit.
      const int carry = negative ? -static_cast<int>(sum > halves) : static_cast<int>(sum < halves);
      first[e] = static_cast<std::uint32_t>(carry);
      middle[e] = static_cast<std::uint32_t>((sum ^ halves) >> 32);
      last[e] = static_cast<std::uint32_t>(sum ^ halves);
    }
    transpose_bytes(first);
    transpose_bytes(middle);
    transpose_bytes(last);
    const int at = 4 * S::chunk_of(r, line) + lane % 4;
    shared.digit[0][line][at] = first[0];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      shared.digit[1 + e][line][at] = middle[3 - e];
      shared.digit[5 + e][line][at] = last[3 - e];
    }
  }
  return dropped;
}

}  // namespace accublas::cuda
