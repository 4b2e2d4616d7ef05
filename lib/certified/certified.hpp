// Solutions of linear systems with proved error bounds (docs/certified.md). A complex system is solved as the real
// system of its parts, and single precision in double; both conversions are exact.
#pragma once

#include "lib/call/product.hpp"
#include "lib/quad/calls.hpp"
#include "lib/runtime/context.hpp"

namespace accublas {

/// The system A X = B with A of order `n` and `nrhs` columns of B. All matrices are in host memory or all on one
/// device. Only the triangle of a Hermitian A that `a` names is read.
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

/// The certified solution of a system of binary128 numbers. All matrices are in host memory, and products and
/// factorizations are those of mode cr. The exact products are made as `products` says.
void solve_certified(Context& context, const CertifiedSystem<Binary128>& problem, const accublas_options* options,
                     quad::QuadCall& products, accublas_certificate_t* certificate);

}  // namespace accublas
