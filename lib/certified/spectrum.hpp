// Eigenvalues and eigenvectors of a scaled Hermitian matrix with proved bounds (docs/eigenvalues.md).
#pragma once

#include "lib/certified/eigenpairs.hpp"

namespace accublas::certified {

/// The accuracy at which refinement ends.
struct EigenGoal {
  bool single;   ///< results are rounded to single precision
  bool vectors;  ///< bounds of the vectors matter too
};

/// Eigenvalue k, from 0 in ascending order, lies within radius[k] of center[k]. The part of column k of X outside of
/// the span of the eigenvectors of its cluster is no longer than outside[k]. Bounds are infinite if nothing is proved.
struct Spectrum {
  Array center, radius, outside;
  Eigenpairs pairs;
  EigenBounds bounds;  ///< of the pairs
  Index steps = 0;
};

/// Computes the spectrum of A, whose largest element lies in [1/2, 1) in magnitude, or is zero. Throws
/// Error(ACCUBLAS_ERROR_NO_BLAS) if there is no LAPACK.
Spectrum spectrum_of(const HermitianMatrix& a, const EigenGoal& goal, const Calls& calls);

}  // namespace accublas::certified
