// The lines of a batch in fixed point: their measurements, the certificate's factors, and the digits of a'. Device
// code.
#pragma once

#include "cuda/batch/batch_digits.hpp"
#include "cuda/batch/batch_tiles.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cuda {

/// The number of digits that T = 64 takes, and the number of weights of their products.
inline constexpr int fixed_digits = 9, most_fixed_bits = 64, fixed_weights = 2 * fixed_digits - 1;

/// A shape's lines, with the measurements of each.
template <class Tiles>
struct KnownLines : Tiles {
  int exponent[Tiles::lines];  ///< E; 0 for a line of zeros
  int last_bit[Tiles::lines];  ///< exponent of the lowest set bit; dp:repro only
  long long lambda[Tiles::lines];
  bool special[Tiles::lines];
  int rung[Tiles::tiles];  ///< 1 + the largest rung that an element of the tile needs; 0: no rung is accepted
};
template <int Rows, int Cols, int Terms, int TilesOfBlock, int Threads>
using FixedShape = KnownLines<TileShape<fixed_digits, Rows, Cols, Terms, TilesOfBlock, Threads>>;

/// Returns the largest over the four threads of a line (most_of_line), or the sum (sum_of_line).
__device__ inline int most_of_line(int x) {
  x = max(x, __shfl_xor_sync(0xFFFFFFFFu, x, 1));
  return max(x, __shfl_xor_sync(0xFFFFFFFFu, x, 2));
}
__device__ inline long long sum_of_line(long long x) {
  x += __shfl_xor_sync(0xFFFFFFFFu, x, 1);
  return x + __shfl_xor_sync(0xFFFFFFFFu, x, 2);
}

/// Calls body(line in shared memory, its entries) for all of the block's lines that some element needs. The caller must
/// skip entries of lines with Inf or NaN.
template <class S, class T, class Body>
__device__ void for_lines(const BatchProblem<T>& p, const BatchTiles& tiles, Body&& body) {
#pragma unroll 1
  for (int group = static_cast<int>(threadIdx.x) / 32; group < S::lines / 8; group += S::warps) {
    const int line = 8 * group + static_cast<int>(threadIdx.x) % 32 / 4;
    const Line<T> at = line_of<S>(p, tiles, line);
    if (!__any_sync(0xFFFFFFFFu, at.exists)) continue;
    T x[S::terms / 4];
    load_line<S>(at, static_cast<int>(p.k), x);
    body(line, x);
  }
}

/// Measures a line: its exponent, and whether it holds Inf or NaN. With `certify` it also finds lambda and the last
/// bit, and writes the certificate's factors as digit 0.
template <class S, class T>
__device__ void measure_line(const T (&x)[S::terms / 4], int line, bool certify, S& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int none = -0x3FFFFFFF;
  int exponent = none, last_bit = -none;
  bool special = false;
#pragma unroll
  for (int q = 0; q < S::terms / 4; ++q) {
    special |= !is_finite(x[q]);
    if (is_zero(x[q])) continue;
    exponent = max(exponent, exponent_above(x[q]));
    if (certify) last_bit = min(last_bit, exponent_of_last_bit(x[q]));
  }
  special = most_of_line(special) != 0;
  exponent = most_of_line(exponent);
  last_bit = -most_of_line(-last_bit);
  if (exponent == none || special) exponent = last_bit = 0;
  long long lambda = 0;
  if (certify) {
#pragma unroll
    for (int r = 0; r < S::terms / 16; ++r) {
      std::uint32_t word = 0;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const T entry = special ? T(0) : x[4 * r + e];
        lambda += certificate_ceiling(entry, exponent);
        word |= static_cast<std::uint32_t>(certificate_byte(entry, exponent)) << (8 * e);
      }
      shared.digit[0][line][4 * S::chunk_of(r, line) + lane % 4] = word;
    }
    lambda = sum_of_line(lambda);
  }
  if (lane % 4 != 0) return;
  shared.exponent[line] = exponent;
  shared.last_bit[line] = last_bit;
  shared.lambda[line] = lambda;
  shared.special[line] = special;
}

/// Writes the digits of a line at t bits; returns true if a bit of it is dropped.
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
