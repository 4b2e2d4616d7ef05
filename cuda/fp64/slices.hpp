// Modes slices:D and slices:D:fast (docs/modes.md): slices of both operands are integers in FP64, cuBLAS's DGEMM
// multiplies all pairs of them exactly, and their exact sum is rounded once.
//
// Slice q of a line is an integer of at most 53 - rho bits times 2^grid, grid = rho + tau - 53. 4^rho >= 2^53 k keeps
// every sum that DGEMM forms over the inner dimension within 53 bits, in any order. So chunks of the inner dimension
// may be added in C too.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/cublas.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/operand_tiles.hpp"
#include "cuda/core/product_blocks.hpp"
#include "cuda/exact/combined_parts.hpp"
#include "cuda/exact/exact.hpp"

namespace accublas::cuda {

struct SliceScheme {
  int slices;  ///< D
  bool fast;   ///< only pairs with p + q <= D + 1 (counted from 1)
  int rho;     ///< the least with 4^rho >= 2^53 k

  /// Returns how many slices of the columns' side are multiplied by slice p (from 0) of the rows' side; pairs_before(p)
  /// returns how many pairs precede them.
  ACCUBLAS_HD int partners(int p) const { return fast ? slices - p : slices; }
  ACCUBLAS_HD int pairs_before(int p) const { return p * slices - (fast ? p * (p - 1) / 2 : 0); }
  ACCUBLAS_HD int pairs() const { return pairs_before(slices); }
};
SliceScheme slice_scheme(int slices, bool fast, Index k);

/// Blocks of C, chunks of the inner dimension, and the memory that they take. No bit of a result depends on them.
struct SliceBlocks : ProductBlocks {
  std::size_t line_bytes, rows_bytes, cols_bytes, plane_bytes;

  std::size_t bytes() const { return line_bytes + rows_bytes + cols_bytes + plane_bytes; }
};
/// Returns the largest blocks in `available` bytes, or the smallest ones if none fit.
SliceBlocks slice_blocks(const PartsTuning&, const SliceScheme&, Index m, Index n, Index k, std::size_t available);

/// Computes all of C except the elements of special lines, which stay pending; does nothing if alpha is zero. Of the
/// lines' members only `special` is read. `workspace` has blocks.bytes() and is 256-byte aligned. state->parts becomes
/// the most slices that a line took. Call it after Cublas::begin on the same stream and before the next begin.
template <class T>
void slice_pass(Cublas&, const SliceScheme&, const SliceBlocks&, const ExactArguments<T>&,
                const CombinedParts<T>* combined, void* workspace, cudaStream_t);

// ---- slices.cu: the steps of slice_pass ------------------------------------------------------------------
/// Measurements of the slices of a side's lines.
struct LineSlices {
  std::int32_t* count;  ///< slices of line i until it is zero, at most D; 0 for a special line
  std::int32_t* grid;   ///< grid of slice q of line i at grid[q lines + i]
  Index lines;
};
template <class T>
void slice_grids(const SliceScheme&, const Operand<T>&, const Lines&, const LineSlices&, CallState*, cudaStream_t);

/// Slice q of entry p0 + p of line first + i, divided by 2^grid, is at ((q count + i) terms_padded + p) of `out`; it is
/// zero if there is no such slice.
template <class T>
struct SliceArguments {
  OperandBlock<T> block;
  LineSlices slices;
  double* out;
};
template <class T>
void cut_slices(const SliceScheme&, const SliceArguments<T>&, cudaStream_t);

/// Computes results from planes of products. Pair (p, q) of element (r, c) of the block is at planes[rows cols
/// pairs_before(p) + (r partners(p) + q) cols + c].
template <class T>
void finish_slices(const SliceScheme&, const ExactArguments<T>&, const LineSlices& rows_slices,
                   const LineSlices& cols_slices, const double* planes, Index first_row, Index rows, Index first_col,
                   Index cols, const CombinedParts<T>* combined, cudaStream_t);

}  // namespace accublas::cuda
