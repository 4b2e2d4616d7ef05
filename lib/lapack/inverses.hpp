// LAPACK's TRTRI, LAUUM, POTRI and GETRI (docs/factorizations.md): inverses by factors, and what they are made of.
#pragma once

#include "lib/call/factorization.hpp"
#include "lib/runtime/context.hpp"

namespace accublas {

/// *info is written unless the call fails. `options` may be null. Throws Error: of ACCUBLAS_ERROR_MEMORY A is as it
/// was, of ACCUBLAS_ERROR_C_UNDEFINED it is not.
template <class E>
void run_inverse(Context& context, const Factorization<E>& problem, const accublas_options* options);

}  // namespace accublas
