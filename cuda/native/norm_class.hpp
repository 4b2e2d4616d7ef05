// The kernel that gives a norm of cuBLAS the class that accublas.h promises.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// Sets the result, in device memory, to NaN if it is infinite and x holds a NaN. cuBLAS's NRM2 returns Inf for an x
/// that holds an Inf and a NaN. The entries are read only if the result is infinite.
template <class T>
void put_nan_before_infinity(const DeviceModel&, const Reduction<T>&, cudaStream_t);

}  // namespace accublas::cuda
