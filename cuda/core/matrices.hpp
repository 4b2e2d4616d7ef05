// Functions that copy single matrices and arrays of matrices, of any strides.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Gives kernels the first elements of the matrices of a batch: at a fixed stride, or at pointers in device memory.
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
/// Copies the rows x cols matrices first .. first + count - 1 of a batch to packed ones (gather) or from packed ones
/// (scatter). Element (i, j) of the q-th matrix lies at packed[q rows cols + i + j rows] if rows are adjacent in the
/// batch, else at packed[q rows cols + i cols + j]. Does nothing if only_if_zero points to a nonzero number.
template <class T>
void gather_matrices(const BatchArray<const T>&, Matrix<const T> strides, Index rows, Index cols, Index first,
                     Index count, T* packed, const T* only_if_zero, cudaStream_t);
template <class T>
void scatter_matrices(const T* packed, const BatchArray<T>&, Matrix<T> strides, Index rows, Index cols, Index first,
                      Index count, const T* only_if_zero, cudaStream_t);

/// Sets C_i = beta C_i in IEEE arithmetic if alpha is zero. In bit-defined modes (`canonical`) NaN is canonical.
template <class T>
void scale_matrices(const BatchArray<T>& c, Matrix<T> strides, Index rows, Index cols, Index count, Scalar<T> alpha,
                    Scalar<T> beta, bool canonical, cudaStream_t);

// ---- copy_matrix.cu
/// Sets to = from for rows x cols matrices of any strides. Does nothing if unless_zero points to a zero.
template <class T>
void copy_matrix(Matrix<const T> from, Matrix<T> to, Index rows, Index cols, const T* unless_zero, cudaStream_t);
/// Sets *to = value by a kernel. A graph could not hold a copy from host memory.
template <class T>
void set_scalar(T* to, T value, cudaStream_t);

}  // namespace accublas::cuda
