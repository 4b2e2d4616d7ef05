// Kernels for structured products (symmetric, Hermitian, triangular operands), which need more than GEMM and GEMV:
// operands that are written out whole, triangles of results, and the elements of TRMM and TRMV that zeros would spoil.
// All memory is device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {

/// Sets to[line terms + p] = lines(line, p): mirrored, conjugated, and with zeros and ones, as the structure requires.
template <class E>
void write_lines(const DeviceModel&, const ProductLines<E>& lines, Index count, Index terms, E* to, cudaStream_t);

/// Copies the wanted elements of a triangle of C to a whole square in separate memory, by columns, or back. The
/// imaginary parts of the diagonal of a Hermitian result become +0 in both directions.
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

/// Sets the imaginary parts of the diagonal of an n x n matrix to +0, unless alpha and beta leave C as it is. Does
/// nothing for real numbers.
template <class E>
void clear_diagonal(const DeviceModel&, Matrix<E> c, Index n, Scalar<E> alpha, Scalar<E> beta, cudaStream_t);

/// If alpha is zero, multiplies the wanted elements of C, m x n, by beta; they become +0 if beta is zero. The products
/// are IEEE's, and a NaN is canonical on request.
template <class E>
void scale_wanted(const DeviceModel&, Matrix<E> c, Index m, Index n, Triangle part, bool hermitian, Scalar<E> alpha,
                  Scalar<E> beta, bool canonical, cudaStream_t);

/// Sets to[0] to alpha or its conjugate, to[1] to beta and to[2] to the conjugate of to[0], all in device memory, where
/// some may be real numbers. A null beta is 0.
template <class E>
struct DeviceFactors {
  const RealOf<E>*alpha, *beta;
  bool real_alpha, real_beta, conjugate_alpha;
};
template <class E>
void take_factors(const DeviceModel&, const DeviceFactors<E>&, E* to, cudaStream_t);

/// Copies the wanted elements of an m x n matrix if *alpha, in device memory, is zero; otherwise does nothing.
template <class E>
void copy_if_zero(const DeviceModel&, Matrix<E> from, Matrix<E> to, Index m, Index n, Triangle part, const E* alpha,
                  cudaStream_t);

/// Computes elements of a product with a triangular B (TRMM, TRMV: beta is zero; does nothing if alpha is zero), whose
/// zeros make no terms. The elements are those in rows of A that hold an Inf or a NaN. They are computed again,
/// correctly rounded over the terms that exist. p.a and p.b are lines in the form that write_lines makes.
template <class E>
void fix_rows(const DeviceModel&, const Product<E>& p, Scalar<E> alpha, cudaStream_t);

}  // namespace accublas::cuda
