// LAPACK's TRTRI, LAUUM, POTRI and GETRI (docs/factorizations.md): inverses from factors, and the steps that they
// consist of.
#pragma once

#include "lib/call/factorization.hpp"
#include "lib/runtime/context.hpp"

namespace accublas {

/// Writes *info unless the call fails. `options` may be null. Throws Error: after ACCUBLAS_ERROR_MEMORY A is as it was,
/// after ACCUBLAS_ERROR_C_UNDEFINED it is not.
template <class E>
void run_inverse(Context& context, const Factorization<E>& problem, const accublas_options* options);

}  // namespace accublas
