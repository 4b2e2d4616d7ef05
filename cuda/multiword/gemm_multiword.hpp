// Engine multiword: the modes of TF32, FP16 and TF64 words on the device.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Computes C = alpha A B + beta C with operands in device memory. TF32 and FP16 use the fused kernel if the device has
/// it; otherwise, and for TF64, cuBLAS multiplies arrays of words. The exact kernels compute elements of lines with Inf
/// or NaN, and elements whose sum overflows. Asynchronous; memory is taken before anything is written. Throws Error
/// (ACCUBLAS_ERROR_UNAVAILABLE if cuBLAS is needed and there is none).
template <class T>
void multiword_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
