// Copies of matrices and of arrays of matrices, of any strides.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Where the matrices of a batch begin, as kernels see it; pointers in device memory.
template <class T>
struct BatchArray {
  T* base;
  Index stride;
  T* const* pointers;
#ifdef __CUDACC__
  __device__ T* operator[](Index i) const { return pointers ? pointers[i] : base + i * stride; }
#endif
};

// ---- matrices.cu
/// Copies rows x cols matrices first .. first + count - 1 of a batch to (or from) packed ones: element (i, j) of the
/// q-th lies at packed[q rows cols + i + j rows] where rows are adjacent in the batch, else at i cols + j. Nothing
/// where only_if_zero points to another number.
template <class T>
void gather_matrices(const BatchArray<const T>&, Matrix<const T> strides, Index rows, Index cols, Index first,
                     Index count, T* packed, const T* only_if_zero, cudaStream_t);
template <class T>
void scatter_matrices(const T* packed, const BatchArray<T>&, Matrix<T> strides, Index rows, Index cols, Index first,
                      Index count, const T* only_if_zero, cudaStream_t);

/// C_i = beta C_i, IEEE, where alpha is zero; NaN canonical in bit-defined modes.
template <class T>
void scale_matrices(const BatchArray<T>& c, Matrix<T> strides, Index rows, Index cols, Index count, Scalar<T> alpha,
                    Scalar<T> beta, bool canonical, cudaStream_t);

// ---- copy_matrix.cu
/// to = from, rows x cols, any strides; nothing where unless_zero points to a zero.
template <class T>
void copy_matrix(Matrix<const T> from, Matrix<T> to, Index rows, Index cols, const T* unless_zero, cudaStream_t);
/// *to = value, without a copy from host memory, which a graph could not hold.
template <class T>
void set_scalar(T* to, T value, cudaStream_t);

}  // namespace accublas::cuda
