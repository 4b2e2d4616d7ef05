// LAPACK's factorizations, and solutions by their factors, in dp and sp on a device.
#pragma once

#include "cuda/lu_cholesky/column_source.hpp"
#include "cuda/lu_cholesky/outcome.hpp"
#include "cuda/native/inner_products.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cuda {

/// Returns whether the device has room for the panels of the call.
template <class E>
bool has_panels(const DeviceModel&, const Factorization<E>&);

/// Serves the call on device operands within LAPACK's bounds of the backward error (docs/factorizations.md, "dp on a
/// GPU"). The result goes to *outcome, which is zero before. The function recurses on halves of the columns, down to
/// panels and blocks in plain floating-point arithmetic, with products of dp between them. It is asynchronous. It
/// throws Error(ACCUBLAS_ERROR_MEMORY) before anything is written, ACCUBLAS_ERROR_C_UNDEFINED after that.
template <class E>
void factor_by_products(State&, const Call<Factorization<E>, E>&, FactorOutcome* outcome, const GradeProducts<E>&,
                        const ColumnSource<E>&, Execution&);

}  // namespace accublas::cuda
