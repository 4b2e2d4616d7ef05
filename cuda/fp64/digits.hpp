// Engines fp16 and fp64: the integers a' and b' of a pass are cut into digits, and cuBLAS multiplies all pairs of
// digits exactly on tensor cores (or FP64 units). Factors and the use of the sum are those of engine int8, so the bits
// are equal.
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

/// How a' is cut. Digits are balanced, abs(d) <= 2^(width - 1). So sums of `terms` products stay within the 24 (53)
/// bits of the accumulator in any order of additions: terms 2^(2 width - 2) <= 2^24 (2^53).
struct DigitScheme {
  bool half;  ///< FP16 digits and FP32 sums; otherwise both are FP64
  int width;
  int digits;   ///< digits of a side
  Index terms;  ///< the most terms that one product may sum
  int limbs;    ///< limbs of S: 2, 3 or 6

  ACCUBLAS_HD int bits() const { return width * digits - 1; }  ///< abs(a') <= 2^bits()
  ACCUBLAS_HD int levels() const { return 2 * digits - 1; }
};

/// Returns the scheme for abs(a'), abs(b') <= 2^bits and an inner dimension of k.
DigitScheme digit_scheme(bool half, int bits, Index k);

/// Returns the bits of a side in cr's only pass; the digits make a few more of them: FP16 76 (48), FP64 87 (65). Of the
/// 1.7e7 elements of uniform numbers, n = 4096, they leave none (427) to the exact kernel; 43 bits would leave 2e5.
template <class T>
constexpr int digit_bits_cr() {
  return sizeof(T) == 8 ? 76 : 45;
}

/// Blocks of C and chunks of the inner dimension, and the memory that they take. No bit of a result depends on them.
struct DigitBlocks : ProductBlocks {  // edges are multiples of line_group
  int digits, levels;
  int products;  ///< planes of products that are added to a level together
  std::size_t rows_bytes, cols_bytes, product_bytes, level_bytes;

  std::size_t bytes() const { return rows_bytes + cols_bytes + product_bytes + level_bytes; }
};

/// Returns the largest blocks in `available` bytes, or the smallest ones if none fit.
DigitBlocks digit_blocks(const DigitScheme&, Index m, Index n, Index k, std::size_t available);

/// One pass over C, with number `index` in the call's state.
template <class T>
struct DigitPass {
  Operand<T> rows, cols;
  Lines row_lines, col_lines;
  Matrix<T> at;
  Scalar<T> alpha, beta;
  std::uint32_t* open;
  int index;
  bool all_undecided;  ///< test hook: Ziv's test leaves every element pending
  CallState* state;
};

/// Plans state->pass[index] for mode fixed:t (t > 0), or for the T* that the certificate found (t = 0; for elements
/// that are not pending; inactive if T* is none, or if the certificate leaves all `elements` to cr). With target > 0 a
/// fixed:t that drops bits misses the target, and the pass is inactive.
template <class T>
void plan_digits_fixed(const DigitScheme&, const DigitBlocks&, const DigitPass<T>&, int t, double target,
                       Index elements, cudaStream_t);
/// Plans a pass of cr: all elements (also if the certificate leaves them to cr), or those pending after the
/// certificate. The pass is inactive if these are few enough for the exact kernel.
template <class T>
void plan_digits_cr(const DigitScheme&, const DigitBlocks&, const DigitPass<T>&, bool first, cudaStream_t);

/// Runs the planned pass in place of convert, residue_product and reconstruct, whose contract its results share.
/// `workspace` has blocks.bytes() and is 256-byte aligned. Call it after Cublas::begin on the same stream and before
/// the next begin.
template <class T>
void digit_pass(Cublas&, const DigitScheme&, const DigitBlocks&, const DigitPass<T>&, void* workspace, cudaStream_t);

// ---- digits.cu: the steps of digit_pass ------------------------------------------------------------------
/// Digit q of entry p0 + p of line first + i is at ((i digits + place) terms_padded + p) of `out`, with place = q, or
/// digits - 1 - q if `falling`. Digits are halves or doubles. They are zero for special lines and for p in terms ..
/// terms_padded - 1.
template <class T>
struct CutArguments {
  OperandBlock<T> block;
  Lines lines;
  bool row;  ///< lines of the rows' side
  bool falling;
  void* out;
};
template <class T>
void cut_digits(const DigitScheme&, const CutArguments<T>&, const PassPlan*, cudaStream_t);

/// Sets (or adds to) level(r, c) the sum of product(r, c) over `count` planes, `plane` entries apart; all have leading
/// dimension ld.
struct LevelArguments {
  bool half;  ///< products are floats; otherwise doubles
  const void* products;
  int count;
  Index plane;
  std::int64_t* level;
  Index rows, cols, ld;
  bool accumulate;
};
void add_to_level(const LevelArguments&, const PassPlan*, cudaStream_t);

/// Computes results from level sums, which lie plane after plane of blocks.rows x blocks.cols.
template <class T>
void finish_levels(const DigitScheme&, const DigitBlocks&, const DigitPass<T>&, const std::int64_t* levels,
                   Index first_row, Index rows, Index first_col, Index cols, cudaStream_t);

}  // namespace accublas::cuda
