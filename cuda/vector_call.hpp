// DOT and GEMV of the CUDA backend: memory, scalars and results around cuda/vector_kernels.hpp and cuBLAS.
#pragma once

#include "cuda/state.hpp"
#include "lib/execution.hpp"

namespace accublas::cuda {

/// Operands in device memory. Modes native, dp, sp, fixed, dot2, cr. Asynchronous, but for a result of DOT on the host.
template <class T>
void gemv_call(State& state, const Call<Gemv<T>, T>& call, Execution& execution);
template <class T>
void dot_call(State& state, const Call<Dot<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
