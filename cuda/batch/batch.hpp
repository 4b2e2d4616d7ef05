// Batches of GEMMs on the device.
#pragma once

#include "cuda/core/staging.hpp"
#include "lib/call/batch.hpp"

namespace accublas::cuda {

/// Serves every matrix by `serve`, with the bits of single calls; the report counts the batch as one call. With
/// operands in device memory it is asynchronous, without a wait on the host. Kernels follow pointers in device memory
/// and copy the matrices. Operands in host memory are copied matrix by matrix. Throws Error: ACCUBLAS_ERROR_C_UNDEFINED
/// for a failure after the first matrix was put on the stream.
template <class T>
void gemm_batched(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve);

}  // namespace accublas::cuda
