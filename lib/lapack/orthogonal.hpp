// LAPACK's QR factorization, the routines that use its reflectors, and least squares (docs/factorizations.md).
#pragma once

#include "lib/call/orthogonal.hpp"
#include "lib/runtime/context.hpp"

namespace accublas {

/// Writes *info, if the routine has one, unless the call fails. `options` may be null. Throws Error: after
/// ACCUBLAS_ERROR_MEMORY the results are as they were, after ACCUBLAS_ERROR_C_UNDEFINED they are not.
template <class E>
void run_orthogonal(Context& context, const Orthogonal<E>& problem, const accublas_options* options);

}  // namespace accublas
