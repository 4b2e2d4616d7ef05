// Structured products (symmetric, Hermitian, triangular operands) need more than GEMM and GEMV: operands written out
// whole, triangles of results, and the elements of TRMM and TRMV that zeros would spoil. Device memory throughout.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
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
  Scalar<E> alpha, beta;  ///< nothing is written where they leave C alone: alpha zero and beta one
};
template <class E>
void gather_triangle(const DeviceModel&, const TriangleOfResult<E>&, E* square, cudaStream_t);
template <class E>
void scatter_triangle(const DeviceModel&, const TriangleOfResult<E>&, const E* square, cudaStream_t);

/// Im = +0 on the diagonal of an n x n matrix, but where alpha and beta leave C alone; nothing where numbers are real.
template <class E>
void clear_diagonal(const DeviceModel&, Matrix<E> c, Index n, Scalar<E> alpha, Scalar<E> beta, cudaStream_t);

/// Where alpha is zero, the wanted elements of C m x n times beta, +0 where that is zero; IEEE, NaN canonical on
/// request.
template <class E>
void scale_wanted(const DeviceModel&, Matrix<E> c, Index m, Index n, Triangle part, bool hermitian, Scalar<E> alpha,
                  Scalar<E> beta, bool canonical, cudaStream_t);

/// to[0] = alpha or its conjugate, to[1] = beta, to[2] = the conjugate of to[0], all in device memory, where some are
/// real numbers; 0 for a null beta.
template <class E>
struct DeviceFactors {
  const RealOf<E>*alpha, *beta;
  bool real_alpha, real_beta, conjugate_alpha;
};
template <class E>
void take_factors(const DeviceModel&, const DeviceFactors<E>&, E* to, cudaStream_t);

/// Computes elements of a product with a triangular B (TRMM, TRMV: beta is zero; nothing is done if alpha is zero),
/// whose zeros are no terms: the elements of rows of A that hold an Inf or a NaN, once more, correctly rounded over the
/// terms that there are. p.a and p.b are lines as write_lines has them.
template <class E>
void fix_rows(const DeviceModel&, const Product<E>& p, Scalar<E> alpha, cudaStream_t);

}  // namespace accublas::cuda
