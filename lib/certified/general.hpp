// Approximate eigenpairs A x = lambda B x of Hermitian matrices with a positive definite B, and what is proved of them
// (docs/eigenvalues.md, "Generalized eigenvalues").
#pragma once

#include "lib/certified/eigenpairs.hpp"

namespace accublas::certified {

/// Two Hermitian matrices of one order and type.
struct HermitianPair {
  HermitianMatrix a, b;
};

/// Returns LAPACK's or cuSOLVER's eigenpairs with X^H B X = I in one part. Throws Error(ACCUBLAS_ERROR_NO_BLAS) if
/// there is neither.
Eigenpairs first_general_pairs(const HermitianPair& m, const Calls& calls);

/// Same contract as `bound_eigenpairs`, with I - X^H B X and F = A X - B X D. Norms of columns are those of L^H x and
/// L^-1 f for B = L L^H. A `contraction` below 1 proves that B is positive definite. improve_eigenpairs() improves the
/// pairs.
EigenBounds bound_general_pairs(const HermitianPair& m, const Eigenpairs& pairs, const Calls& calls);

}  // namespace accublas::certified
