// These functions turn every CUDA error status into an Error.
#pragma once

#include <cuda_runtime_api.h>

namespace accublas::cuda {

/// Throws Error if `status` is an error: ACCUBLAS_ERROR_MEMORY for a failed allocation, else ACCUBLAS_ERROR_DEVICE,
/// with CUDA's text.
void check(cudaError_t status, const char* what);

/// Checks a launch; call it right after the launch.
void check_launch(const char* kernel);

}  // namespace accublas::cuda
