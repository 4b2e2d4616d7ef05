// The lines of a batch in mode cr in shared memory: their exponents, digits and masks, and the totals of long sums.
// Device code.
#pragma once

#include "cuda/batch/batch_digits.hpp"
#include "cuda/batch/batch_tiles.hpp"
#include "cuda/core/arithmetic.hpp"

namespace accublas::cuda {

/// The sum of L_w 256^(10 - w) = high 2^48 + low, with 0 <= low < 2^48. All terms are below 2^92 in magnitude
/// (batch_digits.hpp), and the left-out pairs are far smaller, so abs(high) <= 2^44 k.
struct alignas(16) WeightedSum {
  long long high, low;
};
/// A double holds `high`.
static_assert(most_batch_terms << 44 <= Index{1} << 53);

/// A shape's lines, with the exponent field and digit mask of each. The totals of long sums are in shared memory too,
/// because registers that hold them would spill. total[4 s + q][t] belongs to thread t's element q in its warp's s-th
/// square.
template <class Tiles>
struct CrLines : Tiles {
  int field[Tiles::lines];
  std::uint32_t mask[Tiles::lines];
  WeightedSum total[Tiles::long_sums ? 4 * Tiles::squares_of_warp : 1][Tiles::long_sums ? Tiles::threads : 1];
};
template <class T, int Rows, int Cols, int Terms, int TilesOfBlock, int Threads, bool Long = false>
using Shape = CrLines<TileShape<batch_digits<T>, Rows, Cols, Terms, TilesOfBlock, Threads, Long>>;

/// Returns the part of the magnitude's bits that orders lines: exponent and first bits of the mantissa, without the
/// sign.
template <class T>
__device__ std::uint32_t leading_word(T x) {
  if constexpr (sizeof(T) == 8)
    return high_word(x) & 0x7FFFFFFFu;
  else
    return __float_as_uint(x) & 0x7FFFFFFFu;
}

/// Returns the largest x of the four threads of a line.
__device__ __forceinline__ std::uint32_t most_of_four(std::uint32_t x) {
  x = max(x, __shfl_xor_sync(0xFFFFFFFFu, x, 1));
  return max(x, __shfl_xor_sync(0xFFFFFFFFu, x, 2));
}
/// Returns the bits that any of the four threads of a line has.
__device__ __forceinline__ std::uint32_t any_of_four(std::uint32_t x) {
  x |= __shfl_xor_sync(0xFFFFFFFFu, x, 1);
  return x | __shfl_xor_sync(0xFFFFFFFFu, x, 2);
}

/// Returns the scale_field of a line whose largest leading word is `most`.
template <class T>
__device__ int field_of(std::uint32_t most) {
  return max(static_cast<int>(most >> ((FloatFormat<T>::digits - 1) % 32)), 1);
}
template <class T>
__device__ std::uint32_t special_mask(std::uint32_t most) {
  return most >= static_cast<std::uint32_t>(FloatFormat<T>::infinity >> (8 * sizeof(T) - 32)) ? line_is_special : 0;
}

/// Cuts terms of a line into digits in shared memory. Each of four threads takes every fourth term, and makes a word of
/// each digit from four of its terms. (Sums do not depend on the order of terms.) Returns this thread's part of the
/// line's mask.
template <class S, class T>
__device__ __forceinline__ std::uint32_t cut_terms(const T (&x)[S::terms / 4], int line, int field, int terms,
                                                   S& shared) {
  constexpr int digits = batch_digits<T>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  PackedDigits<T> any{};
  bool dropped = false;
#pragma unroll
  for (int r = 0; r < S::terms / 16; ++r) {
    if (16 * r >= round_up(terms, 32)) break;
    std::uint32_t word[digits + 2];
    PackedDigits<T> part[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      part[e] = cut_entry(x[4 * r + e], field, &dropped);
      any.leading |= part[e].leading;
      any.last |= part[e].last;
    }
#pragma unroll
    for (int i = 0; i < digits; i += 4) {
      // Digits i + 3 .. i are in bytes 0 .. 3; the last two alone are in bytes 0 and 1.
      const bool last = i == digits - 2;
      std::uint32_t four[4];
#pragma unroll
      for (int e = 0; e < 4; ++e)
        four[e] =
            last ? part[e].last : static_cast<std::uint32_t>(part[e].leading >> (last ? 0 : 8 * (digits - 6 - i)));
      transpose_bytes(four);
#pragma unroll
      for (int e = 0; e < 4; ++e) word[i + e] = last ? four[(5 - e) % 4] : four[3 - e];
    }
    const int at = 4 * S::chunk_of(r, line) + lane % 4;
#pragma unroll
    for (int i = 0; i < digits; ++i) shared.digit[i][line][at] = word[i];
  }
  return digit_mask(any, dropped);
}

/// Cuts one whole line into digits in shared memory.
template <class S, class T>
__device__ __forceinline__ void cut_cr_line(const T (&x)[S::terms / 4], int line, int terms, S& shared) {
  std::uint32_t most = 0;
#pragma unroll
  for (int q = 0; q < S::terms / 4; ++q) most = max(most, leading_word(x[q]));
  most = most_of_four(most);
  const int field = field_of<T>(most);
  const std::uint32_t mask = any_of_four(cut_terms(x, line, field, terms, shared) | special_mask<T>(most));
  if (threadIdx.x % 4 == 0) {
    shared.field[line] = field;
    shared.mask[line] = mask;
  }
}

/// Cuts all lines of the block. A warp takes eight lines at a time, with four threads for each. All loads are in flight
/// before the first line is cut.
template <class S, class T>
__device__ void cut_whole_lines(const BatchProblem<T>& p, const BatchTiles& tiles, S& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32, terms = static_cast<int>(p.k);
  const int first = 8 * (static_cast<int>(threadIdx.x) / 32) + lane / 4;
  T x[S::groups][S::terms / 4];
  bool wanted[S::groups];
#pragma unroll
  for (int g = 0; g < S::groups; ++g) {
    const int line = first + 8 * S::warps * g;
    wanted[g] = false;
    if (S::lines % (8 * S::warps) != 0 && line >= S::lines) break;
    const Line<T> at = line_of<S>(p, tiles, line);
    wanted[g] = __any_sync(0xFFFFFFFFu, at.exists);  // otherwise no element needs these eight lines
    load_line(at, 0, terms, x[g]);
  }
#pragma unroll
  for (int g = 0; g < S::groups; ++g)
    if (wanted[g]) cut_cr_line(x[g], first + 8 * S::warps * g, terms, shared);
}

}  // namespace accublas::cuda
