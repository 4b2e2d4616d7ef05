// DOT, GEMV, NRM2 and ASUM of the CUDA backend: memory, scalars and results around cuda/vector/vector_kernels.hpp and
// cuBLAS.
#pragma once

#include "cuda/core/state.hpp"
#include "cuda/vector/vector_kernels.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Operands in device memory. Modes native, dp, sp, dot2, cr, but for the norms also fixed and slices. Asynchronous,
/// but for a scalar result on the host.
template <class T>
void gemv_call(State& state, const Call<Gemv<T>, T>& call, Execution& execution);
template <class T>
void dot_call(State& state, const Call<Dot<T>, T>& call, Execution& execution);
/// NRM2 (Terms::squares) or ASUM (Terms::magnitudes).
template <class T, Terms terms>
void norm_call(State& state, const Call<Reduction<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
