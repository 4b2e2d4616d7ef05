// Measures the highest rate at which the device's FP64 units issue operations.
#pragma once

#include <cuda_runtime_api.h>

namespace gpu_bench {

/// Operations of binary64 a second, an addition or a fused multiply-add each: by a kernel that does nothing else and
/// never waits for a result, over some `seconds`, all multiprocessors at work.
double fp64_operations_per_second(double seconds, cudaStream_t stream);

}  // namespace gpu_bench
