// DOT, GEMV, NRM2 and ASUM of the CUDA backend: memory, scalars and results around cuda/vector/vector_kernels.hpp and
// cuBLAS.
#pragma once

#include "cuda/core/check.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/state.hpp"
#include "cuda/vector/vector_kernels.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Writes the sum over no terms, zero, to device memory. The report counts it as a call.
template <class T>
void write_zero(State& state, T* result, const Execution& execution) {
  state.begin_native_call(execution.report.level);
  set_on_stream(result, 0, sizeof(T), state.cuda_stream(), "a sum of nothing");
  state.end_call();
}

/// Returns whether the vector kernels compute a call of this mode and engine. In dp and sp they give cr's values. The
/// kernels read only those complex operands in place for which read_in_place() is true.
inline bool by_vector_kernels(const Mode& mode, accublas_engine engine) {
  return engine != ACCUBLAS_ENGINE_NATIVE && mode.kind != ACCUBLAS_MODE_SLICES;
}
template <class E>
bool read_in_place(const E* data) {
  return !is_complex<E> || reinterpret_cast<std::uintptr_t>(data) % sizeof(E) == 0;
}

/// These functions compute GEMV and DOT by the vector kernels, if by_vector_kernels() is true. alpha and beta are real.
/// Otherwise same contract as gemv_call and dot_call, but n must not be zero.
template <class E>
void gemv_by_kernels(State& state, const Gemv<E>& g, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta, const Mode& mode,
                     Execution& execution);
/// Computes SYMV or HEMV. Same contract as gemv_by_kernels; alpha must not be zero.
template <class E>
void symv_by_kernels(State& state, const Symv<E>& s, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta, const Mode& mode,
                     Execution& execution);
template <class E>
void dot_by_kernels(State& state, const Call<Dot<E>, E>& call, Execution& execution);

/// These functions serve operands in device memory, in the modes native, dp, sp, dot2 and cr, and except for the norms
/// also fixed and slices. They are asynchronous unless a scalar result goes to the host.
template <class T>
void gemv_call(State& state, const Call<Gemv<T>, T>& call, Execution& execution);
template <class T>
void dot_call(State& state, const Call<Dot<T>, T>& call, Execution& execution);
/// Serves NRM2 (Terms::squares) or ASUM (Terms::magnitudes), also of complex vectors.
template <class T, Terms terms>
void norm_call(State& state, const Call<Reduction<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
