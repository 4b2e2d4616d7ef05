// Level 2 on a device, except for GEMV and TRSV.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// Computes the call with device operands. In native cuBLAS computes it. Otherwise SYMV, HEMV and TRMV are products
/// with one column (cuda/structured/vector_product.hpp), and cuda/structured/update.hpp computes the other routines,
/// and calls that cuBLAS cannot express. Throws Error(ACCUBLAS_ERROR_UNAVAILABLE), with nothing written, if alpha or
/// beta is on the device, and Error(ACCUBLAS_ERROR_ENGINE) for TRSV by engine int8.
template <class E>
void level2_call(State& state, const Call<Level2<E>, E>& call, Execution& execution);

}  // namespace accublas::cuda
