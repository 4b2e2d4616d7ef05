// Mode dot2 for GEMM, on the FP64 units.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// C = alpha A B + beta C with operands in device memory. Asynchronous; memory is taken before anything is written.
/// Throws Error. Of joined parts (Gemm::joined) a product without row_pairs is one component of S: its pairs are left
/// at joined->imaginary, or where that is null at joined->real, and C alone. The product with row_pairs joins them.
template <class T>
void dot2_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
