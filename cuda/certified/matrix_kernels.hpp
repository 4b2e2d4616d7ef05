// What a certified solution does to whole matrices in device memory, as kernels. All arrays are there.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/place.hpp"

namespace accublas::cuda {

template <class E>
void write_parts(const DeviceModel&, const RealParts<E>&, cudaStream_t);

/// Element (i, j) of A, n x n with columns adjacent, times 2^(row[i] + column[j]); *lost becomes 1 where one is
/// rounded.
void scale_by_powers(const DeviceModel&, Index n, double* a, const int* row, const int* column, int* lost,
                     cudaStream_t);

/// to_i = the largest exponent_of(m_ij) + offsets_j of what is not zero, else no_exponent; `offsets` null for zeros.
void largest_exponents(const DeviceModel&, Index rows, Index cols, const Matrix<const double>& m, const int* offsets,
                       int* to, cudaStream_t);

/// to_i = sum_j abs(m_ij) v_j, every product and then every sum rounded, j rising; `v` null for ones.
void sum_rows(const DeviceModel&, Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to,
              cudaStream_t);

}  // namespace accublas::cuda
