// Scales C in calls whose product is zero.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Sets C = beta C if alpha (in device memory) is zero; otherwise does nothing.
template <class T>
void scale_if_alpha_is_zero(const DeviceModel&, Index m, Index n, Matrix<T> c, Scalar<T> alpha, Scalar<T> beta,
                            bool canonical, cudaStream_t);

}  // namespace accublas::cuda
