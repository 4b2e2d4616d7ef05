// GEMM calls whose products are cuBLAS's: engines fp16 and fp64, and mode slices. Asynchronous; memory is taken before
// anything is written; throw Error (ACCUBLAS_ERROR_UNAVAILABLE where there is no cuBLAS).
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Modes fixed, dp and sp (as their reproducible form) and cr, with the bits of int8_gemm: digits in FP16 (`half`) or
/// FP64.
template <class T>
void digit_gemm(State& state, const Call<Gemm<T>, T>& call, bool half, Execution& execution);

/// Modes slices:D and slices:D:fast. GEMV and DOT are the cases of one column, and of one row and column.
template <class T>
void slices_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
