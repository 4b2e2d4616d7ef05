// LAPACK's factorizations, and solutions by their factors, in cr on a device.
#pragma once

#include "cuda/core/state.hpp"
#include "cuda/lu_cholesky/column_source.hpp"
#include "cuda/lu_cholesky/outcome.hpp"
#include "lib/call/execution.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

/// Serves the call on device operands as docs/factorizations.md defines it. The result goes to *outcome, which is zero
/// before. The function is asynchronous. It throws Error(ACCUBLAS_ERROR_MEMORY) before anything is written,
/// ACCUBLAS_ERROR_C_UNDEFINED after that.
template <class E>
void factor_by_sums(State&, const Factorization<E>&, FactorOutcome* outcome, const ColumnSource<E>&, Execution&);

/// Returns how many columns a panel of the factorization has at most in a workspace of so many bytes.
template <class E>
Index most_panel_columns(const Factorization<E>&, std::size_t workspace);

}  // namespace accublas::cuda
