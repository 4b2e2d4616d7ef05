// A call without a product to compute.
#pragma once

#include "cuda/core/operand.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/core/scale.hpp"
#include "cuda/core/state.hpp"

namespace accublas::cuda {

/// C = beta C, IEEE; NaN canonical in bit-defined modes.
template <class T>
void scale_gemm(State& state, const Call<Gemm<T>, T>& call) {
  state.begin_call(0);
  const Gemm<T>& g = call.problem;
  // The kernel scales where alpha is zero: with k = 0 it counts as that.
  const Scalar<T> zero{T(0), nullptr};
  scale_if_alpha_is_zero(state.model(), g.m, g.n, g.c, zero, device_scalar(call.beta), bit_defined(call.mode),
                         state.cuda_stream());
  state.end_call();
}

}  // namespace accublas::cuda
