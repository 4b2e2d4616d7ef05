// A batch of GEMMs on the device.
#pragma once

#include "cuda/core/staging.hpp"
#include "lib/call/batch.hpp"

namespace accublas::cuda {

/// Every matrix by `serve`, the same bits as calls one by one; to the report they are one call. Operands in device
/// memory: asynchronous, without a wait on the host; pointers in device memory are followed by kernels that copy the
/// matrices. Operands in host memory are copied matrix by matrix. Throws Error: ACCUBLAS_ERROR_C_UNDEFINED for a
/// failure after the first matrix was put on the stream.
template <class T>
void gemm_batched(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve);

}  // namespace accublas::cuda
