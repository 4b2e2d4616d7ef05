// Mode dot2 for GEMM, on the FP64 units.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// C = alpha A B + beta C with operands in device memory. Asynchronous; memory is taken before anything is written.
/// Throws Error.
template <class T>
void dot2_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
