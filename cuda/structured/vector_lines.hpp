// Writes vectors out as real ones.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// Writes the lines of 2k terms that a column of complex numbers becomes (docs/modes.md, "Complex types"): to[part] for
/// Re and Im of a product. conjugate_row: the line of the row is not conjugated although it should be.
template <class T>
void write_column_lines(const DeviceModel&, Vector<const Complex<T>> x, Index k, bool conjugate_row, T* const (&to)[2],
                        cudaStream_t);

/// Sets to = x, n numbers in double precision.
void widen(const DeviceModel&, Vector<const float> x, Index n, double* to, cudaStream_t);

}  // namespace accublas::cuda
