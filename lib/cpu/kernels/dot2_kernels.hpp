// The inner loops of dot2, one table per routine and instruction set. Every table computes the same bits: docs/modes.md
// defines the order of operations, and a vector only holds lanes (DOT) or outputs (GEMV, GEMM) side by side.
//
// A pair (s, c) that is not finite on return means "not computed": a product or sum overflowed, an entry was Inf or
// NaN, or the error of a sum overflowed on the way, which depends on the instruction set. dot2_chain and dot2_tree
// (lib/cpu/dot2/dot2.hpp) then compute it.
#pragma once

#include "lib/call/problem.hpp"
#include "lib/cpu/kernels/kernel_tables.hpp"
#include "lib/numerics/dot2_block.hpp"

namespace accublas::cpu {

/// Whether the type has c.
template <class T>
constexpr bool compensated = sizeof(T) == sizeof(double);

/// DOT. `lanes` is 32 values of s, then 32 of c (for float zeros).
template <class T>
struct Dot2DotKernels {
  /// The tree over the blocks of n >= 0 contiguous elements, lane by lane.
  void (*blocks)(Index n, const T* x, const T* y, double* lanes);
  /// Computes the lanes of whole blocks from the magnitudes of x instead of products.
  void (*magnitudes)(Index n, const T* x, double* lanes);
  /// lanes := combine(lanes, right).
  void (*combine)(double* lanes, const double* right);
  /// Lane l with l + 16, then l + 8, 4, 2, 1; s and c go to pair[0] and pair[1].
  void (*reduce)(const double* lanes, double* pair);
};

/// GEMV: m rows, k columns, x contiguous. For p-blocks of `block` columns, left to right: (s, c)[i] :=
/// combine((s, c)[i], chain over the block). s, c and scratch hold m rounded up to a multiple of 8; what lies past m is
/// undefined. For float c is neither read nor written.
template <class T>
struct Dot2GemvKernels {
  /// Contiguous columns, `ld` apart. scratch: 2 arrays of m rounded up to a multiple of 8.
  void (*columns)(Index m, Index k, Index block, const T* a, Index ld, const double* x, double* s, double* c,
                  double* scratch);
  /// Contiguous rows, `ld` apart.
  void (*rows)(Index m, Index k, Index block, const T* a, Index ld, const double* x, double* s, double* c);
  /// One contiguous row: (s, c)[b] := chain over block b for `count` full blocks; `block` is a multiple of 8.
  void (*row_blocks)(Index count, Index block, const T* a, const double* x, double* s, double* c);
};

/// GEMM: one tile of `rows` x `cols` outputs.
template <class T>
struct Dot2GemmKernel {
  int rows, cols;
  /// Copies `count` rows (columns) of k entries, `stride` and `k_stride` apart, widened to double, into panels of
  /// `rows` (`cols`): those of one p side by side, the last panel filled up with zeros.
  void (*pack_rows)(Index k, Index count, const T* a, Index stride, Index k_stride, double* panels);
  void (*pack_cols)(Index k, Index count, const T* b, Index stride, Index k_stride, double* panels);
  /// a, b: a panel each. pair: the tile's s by columns, then its c (float: neither read nor written). For p-blocks of
  /// `block`, left to right: pair := combine(pair, chain over the block).
  void (*tile)(Index k, Index block, const double* a, const double* b, double* pair);
};

ACCUBLAS_DECLARE_KERNELS(Dot2DotKernels<double>)
ACCUBLAS_DECLARE_KERNELS(Dot2DotKernels<float>)
ACCUBLAS_DECLARE_KERNELS(Dot2GemvKernels<double>)
ACCUBLAS_DECLARE_KERNELS(Dot2GemvKernels<float>)
ACCUBLAS_DECLARE_KERNELS(Dot2GemmKernel<double>)
ACCUBLAS_DECLARE_KERNELS(Dot2GemmKernel<float>)

}  // namespace accublas::cpu
