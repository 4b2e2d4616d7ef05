// Eigenvalues and eigenvectors of a scaled Hermitian matrix, and singular values and vectors of a scaled matrix, with
// proved bounds (docs/eigenvalues.md).
#pragma once

#include "lib/certified/general.hpp"
#include "lib/certified/part.hpp"
#include "lib/certified/singular.hpp"

namespace accublas::certified {

/// The accuracy at which refinement ends.
struct EigenGoal {
  bool single;                     ///< results are rounded to single precision
  bool vectors;                    ///< bounds of the vectors matter too
  const Wanted* wanted = nullptr;  ///< only bounds of this part matter; null: all
};

/// Eigenvalue k, from 0 in ascending order, lies within radius[k] of center[k]. The part of column k of X outside of
/// the span of the eigenvectors of its cluster is no longer than outside[k]. Bounds are infinite if nothing is proved.
struct Spectrum {
  Array center, radius, outside;
  Index steps = 0;
};

/// A spectrum with the eigenpairs that its last bounds are of.
struct EigenSpectrum : Spectrum {
  Eigenpairs pairs;
  EigenBounds bounds;
};

/// Singular values in ascending order. For singular vectors, `outside` bounds the part of u_k, and of v_k, outside of
/// the span of the singular vectors of their cluster.
struct SingularSpectrum : Spectrum {
  Triplets triplets;
  TripletBounds bounds;
};

/// Computes the spectrum of A, whose largest element lies in [1/2, 1) in magnitude, or is zero. Throws
/// Error(ACCUBLAS_ERROR_NO_BLAS) if there is neither LAPACK nor cuSOLVER.
EigenSpectrum spectrum_of(const HermitianMatrix& a, const EigenGoal& goal, const Calls& calls);
/// Computes the spectrum of A x = lambda B x, of which the largest elements are as above. Vectors are measured in the
/// norm of B.
EigenSpectrum general_spectrum_of(const HermitianPair& m, const EigenGoal& goal, const Calls& calls);
/// Computes the singular values of A, whose largest element is as above.
SingularSpectrum singular_values_of(const RectangularMatrix& a, const EigenGoal& goal, const Calls& calls);

}  // namespace accublas::certified
