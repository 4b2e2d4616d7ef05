// Single small products of mode cr on the device.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/backend.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Returns whether small_gemm serves a call of engine int8 and is faster than int8_gemm: mode cr, plain operands, all
/// elements of C, and orders up to 512.
template <class T>
bool small_gemm_serves(const State& state, const Call<Gemm<T>, T>& call);

/// Computes a product by the kernels for batches of small matrices, and the elements that these leave pending by
/// cuda/exact. Same contract as int8_gemm. It launches six kernels, where int8_gemm launches nine.
template <class T>
void small_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
