// Products of cr by slabs, which are blocks of consecutive terms with scales of their own for rows and columns
// (docs/internals/gpu.md). The sums of decaying matrices lie far below the product of the largest entries of a row and
// a column. So no number of moduli holds them if whole rows and columns are scaled. In a slab the entries differ less.
//
// C is cut into squares. For each square and slab, term p of the rows is multiplied by 2^d(p), and term p of the
// columns by 2^-d(p), so that the entries of each row, and of each column, vary little. Then each row and column of the
// square is scaled to the bits that the moduli hold. Slabs that are too small to matter are left out, and a bound of
// their terms is added to the error.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/slab_shape.hpp"

namespace accublas::cuda {

/// The arguments of a call that the kernels below share.
template <class T>
struct SlabJob {
  Operand<T> rows, cols;
  Lines row_lines, col_lines;
  SlabShape shape;
  SlabArrays arrays;
  int pass;  ///< the pass whose place slabs may take
  CallState* state;

  __host__ __device__ const Operand<T>& operand(int side) const { return side == 0 ? rows : cols; }
  __host__ __device__ const Lines& lines(int side) const { return side == 0 ? row_lines : col_lines; }
};

/// Plans products by slabs where state->slabs.considered: measures exponents, chooses the slabs of each square, and
/// estimates from samples how many moduli are needed. If slabs take less time than other_time, it sets
/// state->slabs.active and makes the pass inactive. If tiles alone take the least time, it sets
/// state->slabs.tiles_alone and makes the pass inactive, too.
template <class T>
void plan_slabs(const DeviceModel&, const SlabJob<T>&, cudaStream_t);

/// Writes the residues of the rows and columns of a chunk of C that begins at (row, col). Both are multiples of the
/// square. Row r of the chunk has k_padded bytes for each square of columns J of the chunk: byte ((r / 256 moduli + l)
/// 256 + r % 256) bytes_of_row + J k_padded + p of `row_residues`. The columns' side has the same layout.
template <class T>
void convert_slabs(const DeviceModel&, const SlabJob<T>&, Index row, Index col, std::uint8_t* row_residues,
                   std::uint8_t* col_residues, cudaStream_t);

/// Where the results of a chunk go.
template <class T>
struct SlabResults {
  const std::int8_t* result;  ///< the output of slab_product
  Index row, col;             ///< first element of the chunk
  Matrix<T> at;
  Scalar<T> alpha, beta;
  std::uint32_t* open;
};
/// Adds up the slabs of each element, and applies Ziv's test to the sum. Writes the elements that are decided
/// and the bits of all elements, and adds the number of those of finite lines that stay pending to
/// open_before(*state, most_passes).
template <class T>
void reconstruct_slabs(const DeviceModel&, const SlabJob<T>&, const SlabResults<T>&, cudaStream_t);

}  // namespace accublas::cuda
