// CUDA statuses become Errors; no status is dropped.
#pragma once

#include <cuda_runtime_api.h>

namespace accublas::cuda {

/// Throws Error: ACCUBLAS_ERROR_MEMORY for an allocation, else ACCUBLAS_ERROR_DEVICE, with CUDA's text.
void check(cudaError_t status, const char* what);

/// After a launch.
void check_launch(const char* kernel);

}  // namespace accublas::cuda
