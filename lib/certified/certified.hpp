// Solutions of linear systems with proved error bounds (docs/certified.md). Complex systems are solved as the real ones
// of their parts, single precision in double: both are exact.
#pragma once

#include "lib/call/product.hpp"
#include "lib/runtime/context.hpp"

namespace accublas {

/// A X = B, all in host memory or all on one device; of a Hermitian A the triangle that `a` says. A, B of the order
/// `n`, `nrhs` columns.
template <class E>
struct CertifiedSystem {
  Index n, nrhs;
  Operand<E> a;
  Matrix<const E> b;
  Matrix<E> x, radius;
};

/// Writes x, radius and *certificate (its struct_size is not read). Throws Error(ACCUBLAS_ERROR_NOT_CERTIFIED)
/// afterwards if a radius is not finite. `options` may be null.
template <class E>
void solve_certified(Context& context, const CertifiedSystem<E>& problem, const accublas_options* options,
                     accublas_certificate_t* certificate);

}  // namespace accublas
