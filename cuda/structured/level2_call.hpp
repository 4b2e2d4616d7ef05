// Level 2 beside GEMV on a device, but TRSV.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// The call with device operands: native by cuBLAS, else SYMV, HEMV and TRMV as products with one column
/// (cuda/structured/vector_product.hpp), the others by cuda/structured/update.hpp, which also serves what cuBLAS has no
/// name for. Throws Error(ACCUBLAS_ERROR_UNAVAILABLE), with nothing written, where alpha or beta lie on the device,
/// and Error(ACCUBLAS_ERROR_ENGINE) for TRSV by engine int8.
template <class E>
void level2_call(State& state, const Call<Level2<E>, E>& call, Execution& execution);

}  // namespace accublas::cuda
