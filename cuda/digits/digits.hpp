// Engines fp16 and fp64: the integers a' and b' of a pass are cut into digits that tensor cores (or FP64 units)
// multiply exactly, all pairs of digits by cuBLAS. What is multiplied and what becomes of the sum is as in engine int8,
// so the bits are.
//
// With digits d_q of `width` bits, a' = sum d_q 2^(width q), and S = sum over levels l of 2^(width l) times the sum of
// the products of digits p and q = l - p. Level sums are 64-bit integers.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/cublas.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/operand_tiles.hpp"
#include "cuda/core/product_blocks.hpp"

namespace accublas::cuda {

/// How a' is cut. Digits are balanced, abs(d) <= 2^(width - 1), so that sums of `terms` products stay within the 24
/// (53) bits of the accumulator whatever its order of additions is: terms 2^(2 width - 2) <= 2^24 (2^53).
struct DigitScheme {
  bool half;  ///< FP16 digits, FP32 sums; else both FP64
  int width;
  int digits;   ///< of a side
  Index terms;  ///< the most that one product may sum
  int limbs;    ///< of S: 2, 3 or 6

  ACCUBLAS_HD int bits() const { return width * digits - 1; }  ///< abs(a') <= 2^bits()
  ACCUBLAS_HD int levels() const { return 2 * digits - 1; }
};

/// The scheme for abs(a'), abs(b') <= 2^bits and an inner dimension of k.
DigitScheme digit_scheme(bool half, int bits, Index k);

/// Bits of a side in cr's only pass, of which the digits make a few more: FP16 76 (48), FP64 87 (65). Of the 1.7e7
/// elements of uniform numbers, n = 4096, they leave none (427) to the exact kernel; 43 bits would leave 2e5.
template <class T>
constexpr int digit_bits_cr() {
  return sizeof(T) == 8 ? 76 : 45;
}

/// Blocks of C and chunks of the inner dimension, and the memory that they take. No bit of a result depends on them.
struct DigitBlocks : ProductBlocks {  // edges are multiples of line_group
  int digits, levels;
  int products;  ///< planes of products that wait to be added to a level at once
  std::size_t rows_bytes, cols_bytes, product_bytes, level_bytes;

  std::size_t bytes() const { return rows_bytes + cols_bytes + product_bytes + level_bytes; }
};

/// The largest blocks in `available` bytes; the smallest ones where none fit.
DigitBlocks digit_blocks(const DigitScheme&, Index m, Index n, Index k, std::size_t available);

/// One pass over C, `index` of the call's state.
template <class T>
struct DigitPass {
  Operand<T> rows, cols;
  Lines row_lines, col_lines;
  Matrix<T> at;
  Scalar<T> alpha, beta;
  std::uint32_t* open;
  int index;
  bool all_undecided;  ///< test hook: Ziv's test leaves everything open
  CallState* state;
};

/// state->pass[index] for mode fixed:t (t > 0), or for the T* that the certificate found (t = 0; elements not open;
/// inactive where T* is none). With target > 0 a fixed:t that drops bits misses it, and is inactive.
template <class T>
void plan_digits_fixed(const DigitScheme&, const DigitBlocks&, const DigitPass<T>&, int t, double target, cudaStream_t);
/// For cr: all elements, or those open after the certificate; inactive where these are few enough for the exact kernel.
template <class T>
void plan_digits_cr(const DigitScheme&, const DigitBlocks&, const DigitPass<T>&, bool first, cudaStream_t);

/// Runs the pass that was planned, in place of convert, residue_product and reconstruct (whose contract its results
/// share). `workspace`: blocks.bytes(), 256-byte aligned. Between Cublas::begin on the same stream and the next.
template <class T>
void digit_pass(Cublas&, const DigitScheme&, const DigitBlocks&, const DigitPass<T>&, void* workspace, cudaStream_t);

// ---- digits.cu: the steps of digit_pass ------------------------------------------------------------------
/// Digit q of entry p0 + p of line first + i at ((i digits + place) terms_padded + p) of `out`, place = q, or digits -
/// 1 - q where `falling`; halves or doubles. Zero for special lines and for p in terms .. terms_padded - 1.
template <class T>
struct CutArguments {
  OperandBlock<T> block;
  Lines lines;
  bool row;  ///< a line of the rows' side
  bool falling;
  void* out;
};
template <class T>
void cut_digits(const DigitScheme&, const CutArguments<T>&, const PassPlan*, cudaStream_t);

/// level(r, c) (+)= the sum of product(r, c) over `count` planes, `plane` entries apart; all with leading dimension ld.
struct LevelArguments {
  bool half;  ///< products are floats; else doubles
  const void* products;
  int count;
  Index plane;
  std::int64_t* level;
  Index rows, cols, ld;
  bool accumulate;
};
void add_to_level(const LevelArguments&, const PassPlan*, cudaStream_t);

/// From level sums (plane after plane of blocks.rows x blocks.cols) to results.
template <class T>
void finish_levels(const DigitScheme&, const DigitBlocks&, const DigitPass<T>&, const std::int64_t* levels,
                   Index first_row, Index rows, Index first_col, Index cols, cudaStream_t);

}  // namespace accublas::cuda
