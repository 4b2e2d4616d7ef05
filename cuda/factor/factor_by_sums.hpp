// LAPACK's factorizations, and the solutions by them, in cr on a device.
#pragma once

#include "cuda/core/state.hpp"
#include "cuda/factor/outcome.hpp"
#include "lib/call/execution.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

/// The call as docs/factorizations.md defines it, device operands, into *outcome, which is zero before. Asynchronous;
/// throws Error(ACCUBLAS_ERROR_MEMORY) before anything is written, ACCUBLAS_ERROR_C_UNDEFINED after that.
template <class E>
void factor_by_sums(State&, const Factorization<E>&, FactorOutcome* outcome, Execution&);

}  // namespace accublas::cuda
