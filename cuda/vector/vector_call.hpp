// DOT, GEMV, NRM2 and ASUM of the CUDA backend: memory, scalars and results around cuda/vector/vector_kernels.hpp and
// cuBLAS.
#pragma once

#include "cuda/core/check.hpp"
#include "cuda/core/state.hpp"
#include "cuda/vector/vector_kernels.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// A sum over nothing, in device memory; a call like others to the report.
template <class T>
void write_zero(State& state, T* result, const Execution& execution) {
  state.begin_native_call(execution.report.level);
  check(cudaMemsetAsync(result, 0, sizeof(T), state.cuda_stream()), "cudaMemsetAsync");
  state.end_call();
}

/// Operands in device memory. Modes native, dp, sp, dot2, cr, but for the norms also fixed and slices. Asynchronous,
/// but for a scalar result on the host.
template <class T>
void gemv_call(State& state, const Call<Gemv<T>, T>& call, Execution& execution);
template <class T>
void dot_call(State& state, const Call<Dot<T>, T>& call, Execution& execution);
/// NRM2 (Terms::squares) or ASUM (Terms::magnitudes), of complex vectors too.
template <class T, Terms terms>
void norm_call(State& state, const Call<Reduction<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
