// What described products need beside GEMM and GEMV: operands written out whole, triangles of results, and the elements
// of TRMM and TRMV that zeros would spoil. Device memory throughout.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {

/// to[line terms + p] = lines(line, p): mirrored, conjugated, with zeros and ones where the description has them.
template <class E>
void write_lines(const DeviceModel&, const ProductLines<E>& lines, Index count, Index terms, E* to, cudaStream_t);

/// A triangle of C and a whole square in memory of its own, by columns: the wanted elements to the square, or back. Of
/// a Hermitian result the imaginary parts of the diagonal are +0 either way.
template <class E>
struct TriangleOfResult {
  Matrix<E> c;
  Index n;
  Triangle part;
  bool hermitian;
};
template <class E>
void gather_triangle(const DeviceModel&, const TriangleOfResult<E>&, E* square, cudaStream_t);
template <class E>
void scatter_triangle(const DeviceModel&, const TriangleOfResult<E>&, const E* square, cudaStream_t);

/// Im = +0 on the diagonal of an n x n matrix; nothing where numbers are real.
template <class E>
void clear_diagonal(const DeviceModel&, Matrix<E> c, Index n, cudaStream_t);

/// The wanted elements of C m x n times beta, +0 where that is zero; IEEE, NaN canonical on request.
template <class E>
void scale_wanted(const DeviceModel&, Matrix<E> c, Index m, Index n, Triangle part, bool hermitian, E beta,
                  bool canonical, cudaStream_t);

/// Of a product with a triangular B (TRMM, TRMV: alpha real, beta zero), whose zeros are no terms: the elements of rows
/// of A that hold an Inf or a NaN, once more, correctly rounded over the terms that there are. p.a and p.b are lines as
/// write_lines has them.
template <class E>
void mend_rows(const DeviceModel&, const Product<E>& p, cudaStream_t);

}  // namespace accublas::cuda
