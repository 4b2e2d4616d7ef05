// Engine multiword: the modes of TF32, FP16 and TF64 words on the device.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// C = alpha A B + beta C with operands in device memory: TF32 and FP16 by the fused kernel where the device has it,
/// else, and TF64, by cuBLAS on arrays of words. Elements of lines with Inf or NaN, and those whose sum overflows, are
/// computed by the exact kernels. Asynchronous; memory is taken before anything is written; throws Error
/// (ACCUBLAS_ERROR_UNAVAILABLE where cuBLAS is needed and there is none).
template <class T>
void multiword_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
