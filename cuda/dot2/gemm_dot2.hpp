// Mode dot2 for GEMM, on the FP64 units.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Computes C = alpha A B + beta C with operands in device memory. Asynchronous; memory is taken before anything is
/// written. Throws Error. With combined parts (Gemm::combined) a product without row_pairs is one component of S. Its
/// pairs are stored at combined->imaginary, or if that is null at combined->real, and C is not written. The product
/// with row_pairs combines both.
template <class T>
void dot2_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
