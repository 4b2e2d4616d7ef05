// GEMM calls whose products are computed by cuBLAS: engines fp16 and fp64, and mode slices. The calls are asynchronous
// and take memory before anything is written. They throw Error (ACCUBLAS_ERROR_UNAVAILABLE if there is no cuBLAS).
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Serves modes fixed, dp and sp (as their reproducible form) and cr, with the bits of int8_gemm. The digits are in
/// FP16 (`half`) or FP64.
template <class T>
void digit_gemm(State& state, const Call<Gemm<T>, T>& call, bool half, Execution& execution);

/// Serves modes slices:D and slices:D:fast. GEMV has one column, and DOT one row and one column.
template <class T>
void slices_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
