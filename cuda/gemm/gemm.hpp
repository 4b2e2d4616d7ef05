// GEMM engines of the CUDA backend: a call's flow, put on the stream without waiting for the host.
#pragma once

#include "cuda/state.hpp"
#include "lib/execution.hpp"

namespace accublas::cuda {

/// C = alpha A B + beta C with operands in device memory, modes fixed, dp and sp (reproducible or not) and cr,
/// by INT8 residue products and the Chinese remainder theorem. Asynchronous; memory is taken before anything is
/// written. With an offer, dp and sp leave data that they are slower on to cuBLAS, the others to exact accumulators
/// where the certificate rejects an element: no promise of bits, the promised error. Throws Error.
template <class T>
void int8_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution, const NativeOffer* offer);

/// Mode dot2, on the FP64 units; under the same contract.
template <class T>
void dot2_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

/// Whether the call has no product to compute, for scalars on the host: alpha = 0 or k = 0.
template <class T>
bool no_product(const Call<Gemm<T>, T>& call) {
  return call.problem.k == 0 || (!call.alpha.on_device && *call.alpha.pointer == 0);
}

/// C = beta C, IEEE; NaN canonical in bit-defined modes.
template <class T>
void scale_gemm(State& state, const Call<Gemm<T>, T>& call);

}  // namespace accublas::cuda
