// Multiword products by cuBLAS, the composition of the seed: words in arrays of their own, one product of matrices for
// each product of words, all added to one array of sums. For every device, and the twin that explains the fused kernel.
// The one product of tf32x1 has no words in arrays: cuBLAS rounds FP32 entries to TF32 words, and a fused kernel, whose
// shared memory must carry entries and words, has half its rate.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda/core/cublas.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/operand_tiles.hpp"
#include "cuda/core/product_blocks.hpp"
#include "cuda/elements/exact.hpp"
#include "lib/numerics/multiword.hpp"

namespace accublas::cuda {

/// Blocks of C and chunks of the inner dimension whose words and sums memory holds.
struct MultiwordBlocks : ProductBlocks {
  bool of_entries;  ///< cuBLAS makes the words itself, of entries that it reads where they are
  std::size_t row_bytes, col_bytes, sum_bytes;  ///< of all words of a side, and of the sums

  std::size_t bytes() const { return row_bytes + col_bytes + sum_bytes; }
};
/// The largest that fit, or the least.
template <class T>
MultiwordBlocks multiword_blocks(const MultiwordMode&, const Operand<T>& rows, const Operand<T>& cols,
                                 std::size_t available);

/// A pass over all of C: at = alpha S + beta at, rounded once, for elements of finite lines whose S is finite. Sets the
/// bits of `open` of those whose S is not, and counts them in state->rejected.
template <class T>
void multiword_pass(Cublas&, const MultiwordMode&, const MultiwordBlocks&, const ExactArguments<T>&, void* workspace,
                    cudaStream_t);

// ---- portable.cu
/// The words of a block's entries, zeros in special lines: `words` arrays [line][terms_padded] one after the other, of
/// float (TF32), IEEE half precision (FP16) or double (TF64).
template <class T>
void split_words(const MultiwordMode&, const OperandBlock<T>&, const Lines&, void* words, cudaStream_t);

/// The end of a block: sums[r cols + c] is S of element (part.row + r, part.col + c), of scaled entries.
template <class T>
void finish_sums(const MultiwordMode&, const ExactArguments<T>&, const void* sums, const ProductPart& part,
                 cudaStream_t);

}  // namespace accublas::cuda
