// Single small products of mode cr on the device.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/backend.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Returns whether small_gemm can compute a call of engine int8, and is faster than int8_gemm. The call must have mode
/// cr, plain operands, all elements of C, m, n and k up to 512 each, and m n k up to 384^3.
template <class T>
bool small_gemm_serves(const State& state, const Call<Gemm<T>, T>& call);

/// Computes a product by the kernels for batches of small matrices. cuda/exact computes the elements that these leave
/// pending. Same contract as int8_gemm. It launches six kernels, and int8_gemm would launch nine.
template <class T>
void small_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
