// LAPACK's QR factorization, what is made of its reflectors, and least squares (docs/factorizations.md).
#pragma once

#include "lib/call/orthogonal.hpp"
#include "lib/runtime/context.hpp"

namespace accublas {

/// *info is written where there is one, unless the call fails. `options` may be null. Throws Error: of
/// ACCUBLAS_ERROR_MEMORY what the call overwrites is as it was, of ACCUBLAS_ERROR_C_UNDEFINED it is not.
template <class E>
void run_orthogonal(Context& context, const Orthogonal<E>& problem, const accublas_options* options);

}  // namespace accublas
