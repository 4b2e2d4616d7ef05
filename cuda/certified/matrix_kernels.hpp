// Kernels for whole matrices in device memory, for certified solutions. All arrays are in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/place.hpp"

namespace accublas::cuda {

/// Runs a step on every element of rows x cols.
void run_step(const DeviceModel&, const SpectrumStep&, Index rows, Index cols, cudaStream_t);

/// Writes the real matrix that represents a matrix (RealParts).
template <class E>
void write_parts(const DeviceModel&, const RealParts<E>&, cudaStream_t);

/// Multiplies element (i, j) of A, rows x cols with adjacent columns, by 2^(row[i] + column[j]); sets *lost to 1 if an
/// element is rounded.
void scale_by_powers(const DeviceModel&, Index rows, Index cols, double* a, const int* row, const int* column,
                     int* lost, cudaStream_t);

/// Sets to_i to the largest exponent_of(m_ij) + offsets_j over nonzero elements, or no_exponent if there is none;
/// `offsets` null means zeros.
void largest_exponents(const DeviceModel&, Index rows, Index cols, const Matrix<const double>& m, const int* offsets,
                       int* to, cudaStream_t);

/// Sets to_i = sum_j abs(m_ij) v_j, with every product and then every sum rounded, j rising; `v` null means ones.
void sum_rows(const DeviceModel&, Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to,
              cudaStream_t);

/// Sets to_j >= the Euclidean norm of column j of a matrix with adjacent columns: norm_up() of the bounds of 32 parts.
void norms_of_columns(const DeviceModel&, Index rows, Index cols, const double* m, double* to, cudaStream_t);

/// Sets to_j = sum_i x_ij y_ij, where both have adjacent columns. Products and sums are rounded.
void products_of_columns(const DeviceModel&, Index rows, Index cols, const double* x, const double* y, double* to,
                         cudaStream_t);

}  // namespace accublas::cuda
