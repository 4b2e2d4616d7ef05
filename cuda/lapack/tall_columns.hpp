// Kernels for matrices of many rows and at most 128 columns in double precision, which Cholesky QR calls: products of
// columns, and solutions with a triangle from the right.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/element_steps.hpp"

namespace accublas::cuda {

/// Returns how many numbers of memory tall_gram takes, or 0 if it does not serve m x n columns on this
/// device.
Index tall_gram_numbers(const DeviceModel&, Index m, Index n);

/// Same contract as ElementSteps::tall_gram.
void tall_gram(const DeviceModel&, const TallGram<double>&, cudaStream_t);

/// Same contract as ElementSteps::tall_divide.
void tall_divide(const DeviceModel&, const Matrix<double>& a, Index m, Index n, const Matrix<const double>& r,
                 cudaStream_t);

}  // namespace accublas::cuda
