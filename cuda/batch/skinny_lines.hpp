// The lines of skinny products in words of digits, and their order in shared memory. Device code.
#pragma once

#include "cuda/batch/batch_tiles.hpp"
#include "cuda/batch/skinny_digits.hpp"
#include "cuda/batch/skinny_kernels.hpp"
#include "cuda/core/arithmetic.hpp"

namespace accublas::cuda::skinny {

inline constexpr int lines = skinny_lines, step_terms = skinny_step;
inline constexpr int half_lines = lines / 2;  ///< lines of the small side for a multiplying warpgroup
inline constexpr int row_digit_bytes = lines * step_terms, col_digit_bytes = half_lines * step_terms;
/// Digit j of the small side's lines is number 9 - j of a half's digits. Number 0 is zero.
inline constexpr int col_digits = 10, half_bytes = col_digits * col_digit_bytes, col_bytes = 2 * half_bytes;

#ifdef __CUDACC__

/// The offset of the first of 16 terms of a line in a group of eight lines (short_line_descriptor).
__device__ __forceinline__ int line_offset(int line, int chunk) { return line / 8 * 256 + chunk * 128 + line % 8 * 16; }

/// The digits of eight terms of a line: low[i] and high[i] have digit i of the first four and of the others.
struct EightTerms {
  std::uint32_t low[skinny_digits], high[skinny_digits];
};

__device__ __forceinline__ std::uint32_t bytes_of(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
}

/// Cuts four terms into words of digits, and adds the squares of digits 3 to 8.
__device__ __forceinline__ void cut_four(const double* x, int field, std::uint32_t (&word)[skinny_digits],
                                         LineMarks& marks, std::uint32_t& squares) {
  NineDigits part[4];
  bool far = false;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const ShiftedMantissa entry(x[e], field);
    part[e] = cut_nine(entry, marks);
    far |= entry.is_far();
  }
  if (far) {
#pragma unroll
    for (int e = 0; e < 4; ++e) marks.dropped += ShiftedMantissa(x[e], field).is_dropped();
  }
#pragma unroll
  for (int i = 0; i < 8; i += 4) {
    std::uint32_t four[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) four[e] = static_cast<std::uint32_t>(part[e].leading >> (i == 0 ? 32 : 0));
    transpose_bytes(four);
#pragma unroll
    for (int e = 0; e < 4; ++e) word[i + e] = four[3 - e];
  }
  word[8] = bytes_of(part[0].last, part[1].last, part[2].last, part[3].last);
#pragma unroll
  for (int i = 3; i < skinny_digits; ++i)
    squares = static_cast<std::uint32_t>(
        __dp4a(static_cast<int>(word[i]), static_cast<int>(word[i]), static_cast<int>(squares)));
}
__device__ __forceinline__ EightTerms cut_eight(const double* x, int field, LineMarks& marks, std::uint32_t& squares) {
  EightTerms t;
  cut_four(x, field, t.low, marks, squares);
  cut_four(x + 4, field, t.high, marks, squares);
  return t;
}

__device__ __forceinline__ std::uint32_t magnitude_word(double x) { return high_word(x) & 0x7FFFFFFFu; }
constexpr std::uint32_t infinity_word = 0x7FF00000u;

#endif

}  // namespace accublas::cuda::skinny
