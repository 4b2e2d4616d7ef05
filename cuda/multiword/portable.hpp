// Multiword products by cuBLAS. The words are in separate arrays, with one product of matrices for each product of
// words, all added to one array of sums. This version runs on every device, and serves as the reference for the fused
// kernel. The one product of tf32x1 has no arrays of words: cuBLAS rounds FP32 entries to TF32 words. A fused kernel,
// whose shared memory must carry entries and words, has half of that rate.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda/core/cublas.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/operand_tiles.hpp"
#include "cuda/core/product_blocks.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/exact/exact.hpp"
#include "lib/numerics/multiword.hpp"

namespace accublas::cuda {

/// Blocks of C and chunks of the inner dimension whose words and sums fit in memory.
struct MultiwordBlocks : ProductBlocks {
  bool of_entries;                              ///< cuBLAS forms the words itself, from entries that it reads in place
  std::size_t row_bytes, col_bytes, sum_bytes;  ///< bytes of all words of a side, and of the sums

  std::size_t bytes() const { return row_bytes + col_bytes + sum_bytes; }
};
/// Returns the largest blocks that fit, or the least.
template <class T>
MultiwordBlocks multiword_blocks(const PartsTuning&, const MultiwordMode&, const Operand<T>& rows,
                                 const Operand<T>& cols, std::size_t available);

/// Runs a pass over all of C: at = alpha S + beta at, rounded once, for elements of finite lines whose S is finite. It
/// sets the bits of `open` of elements whose S is not finite, and counts them in state->rejected.
template <class T>
void multiword_pass(Cublas&, const MultiwordMode&, const MultiwordBlocks&, const ExactArguments<T>&, void* workspace,
                    cudaStream_t);

/// Returns whether cuBLAS may write C in place of sums: tf32x1 of operands that cuBLAS reads in place, with alpha = 1,
/// beta = 0, and C's elements side by side in a row of the engine.
template <class T>
bool writes_result(const MultiwordMode&, const EngineCall<T>&);
/// Computes such a product, which needs no workspace. Elements of C that are not finite are not final.
void multiply_in_place(Cublas&, const PartsTuning&, const EngineCall<float>&);

// ---- portable.cu
/// Sets the bits in `open` of the elements of `at` that are not finite, clears the others, and counts the set ones in
/// state->rejected.
void open_not_finite(const Matrix<float>& at, Index rows, Index cols, std::uint32_t* open, CallState*, cudaStream_t);
/// Counts the bits of finite lines anew in state->rejected, if there is a special line.
void count_finite_lines(const Lines& rows, const Lines& cols, const std::uint32_t* open, CallState*, cudaStream_t);

/// Splits a block's entries into words, with zeros in special lines. The `words` arrays [line][terms_padded] follow one
/// another; they hold float (TF32), IEEE half precision (FP16) or double (TF64).
template <class T>
void split_words(const MultiwordMode&, const OperandBlock<T>&, const Lines&, void* words, cudaStream_t);

/// Finishes a block: sums[r cols + c] is S of element (part.row + r, part.col + c), for scaled entries.
template <class T>
void finish_sums(const MultiwordMode&, const ExactArguments<T>&, const void* sums, const ProductPart& part,
                 cudaStream_t);

}  // namespace accublas::cuda
