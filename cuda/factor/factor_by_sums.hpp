// LAPACK's factorizations, and the solutions by them, in cr on a device.
#pragma once

#include "cuda/core/state.hpp"
#include "cuda/factor/outcome.hpp"
#include "lib/call/execution.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

template <class E>
class HostColumns;

/// The call as docs/factorizations.md defines it, device operands, into *outcome, which is zero before. Asynchronous;
/// throws Error(ACCUBLAS_ERROR_MEMORY) before anything is written, ACCUBLAS_ERROR_C_UNDEFINED after that.
/// `host`: unless null, of a factorization alone, where A lies instead; the call waits for the device then.
template <class E>
void factor_by_sums(State&, const Factorization<E>&, FactorOutcome* outcome, HostColumns<E>* host, Execution&);

}  // namespace accublas::cuda
