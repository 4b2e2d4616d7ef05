// Serves a call that has no product to compute.
#pragma once

#include "cuda/core/operand.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/core/scale.hpp"
#include "cuda/core/state.hpp"

namespace accublas::cuda {

/// Sets C = beta C in IEEE arithmetic. In bit-defined modes NaN is canonical.
template <class T>
void scale_gemm(State& state, const Call<Gemm<T>, T>& call) {
  state.begin_call(0);
  const Gemm<T>& g = call.problem;
  // The kernel scales only if alpha is zero, and k = 0 counts as alpha = 0.
  const Scalar<T> zero{T(0), nullptr};
  scale_if_alpha_is_zero(state.model(), g.m, g.n, g.c, zero, device_scalar(call.beta), bit_defined(call.mode),
                         state.cuda_stream());
  state.end_call();
}

}  // namespace accublas::cuda
