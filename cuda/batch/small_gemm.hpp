// Single products of mode cr by digits: small, flat or skinny ones.
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
/// pending. Same contract as int8_gemm. It launches some five kernels, fewer than int8_gemm.
template <class T>
void small_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

/// Returns whether flat_gemm can compute a call of engine int8 in less than `other_time` microseconds, by FlatTimes.
/// The call must have mode cr, plain operands, all elements of C and sums of at most 128 terms, and its arrays must fit
/// in the workspace.
template <class T>
bool flat_gemm_serves(const State& state, const Call<Gemm<T>, T>& call, const Workspace& workspace, double other_time);

/// Computes a flat product by digits of its rows and columns (flat_cr.cu). cuda/exact computes the elements that this
/// leaves pending. Same contract as int8_gemm. It launches at most six kernels.
template <class T>
void flat_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

/// Returns the time in microseconds that skinny_gemm takes for a call of engine int8; infinity if it cannot compute the
/// call. The call must have mode cr, plain operands and all elements of C, and the device compute capability 9.0. m or
/// n is at most 128, k is at most 32768, and the arrays must fit in the workspace.
double skinny_gemm_time(const State& state, const Call<Gemm<double>, double>& call, const Workspace& workspace);

/// Computes a product with few rows or few columns of C by digits that are cut while the large operand is read
/// (skinny_hopper.cu). cuda/exact computes the elements that this leaves pending. Same contract as int8_gemm.
void skinny_gemm(State& state, const Call<Gemm<double>, double>& call, Execution& execution);

}  // namespace accublas::cuda
