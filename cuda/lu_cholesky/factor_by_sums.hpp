// LAPACK's factorizations, and solutions by their factors, in cr on a device.
#pragma once

#include "cuda/core/state.hpp"
#include "cuda/lu_cholesky/outcome.hpp"
#include "lib/call/execution.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

template <class E>
class HostColumns;

/// Serves the call on device operands as docs/factorizations.md defines it. The result goes to *outcome, which is zero
/// before. The function is asynchronous. It throws Error(ACCUBLAS_ERROR_MEMORY) before anything is written,
/// ACCUBLAS_ERROR_C_UNDEFINED after that.
/// `host`: if not null, A is in this host memory, and the call must be a factorization alone; the function then waits
/// for the device.
template <class E>
void factor_by_sums(State&, const Factorization<E>&, FactorOutcome* outcome, HostColumns<E>* host, Execution&);

}  // namespace accublas::cuda
