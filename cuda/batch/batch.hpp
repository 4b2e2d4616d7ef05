// Batches of GEMMs on the device.
#pragma once

#include "cuda/core/staging.hpp"
#include "lib/call/batch.hpp"

namespace accublas::cuda {

/// Computes a batch with the bits of single calls: by kernels for small matrices, by cuBLAS's batched routines, or by
/// `serve` matrix by matrix. The report counts the batch as one call. With operands in device memory the host does not
/// wait; kernels follow pointers in device memory and copy the matrices. Operands in host memory are copied matrix by
/// matrix. Throws Error(ACCUBLAS_ERROR_C_UNDEFINED) for a failure after the first matrix was put on the stream.
template <class T>
void gemm_batched(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve);

}  // namespace accublas::cuda
