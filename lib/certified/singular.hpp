// Approximate singular triplets of a matrix, what is proved of them, and a step that improves them
// (docs/eigenvalues.md, "Singular values").
#pragma once

#include "lib/certified/eigenpairs.hpp"

namespace accublas::certified {

inline constexpr double sqrt_2_up = 1.4142135623730952;  ///< at least the root of 2

/// A matrix, m x n with m >= n. `a` is the real matrix of its parts with adjacent columns.
struct RectangularMatrix {
  Index m, n;
  bool complex;
  Placed a;
  bool inexact = false;

  PartsMatrix parts() const { return {m, n, complex, {a.data(), 1, complex ? 2 * m : m}, inexact}; }
  bool tall() const { return m > n; }
};

/// The columns of U (m x n) and V (n x n), in left.x and right.x, approximate singular vectors. The singular values
/// ascend in the D of both, which are equal.
struct Triplets {
  Eigenpairs left, right;
};

/// Bounds of U, of V, and of the eigenpairs of the matrix ((0, A), (A^H, 0)) whose vectors are (u, v) / sqrt 2.
/// Of `both` the members contraction, residuals, corrections, correction_errors, residual, gap and cluster are set.
struct TripletBounds {
  EigenBounds left, right, both;
  bool at_zero = true;  ///< the first cluster is not proved to differ from zero
};

/// Returns LAPACK's or cuSOLVER's singular vectors and values in one part. `fast` allows a method that is less accurate
/// for small singular values. Throws Error(ACCUBLAS_ERROR_NO_BLAS) if there is neither.
Triplets first_triplets(const RectangularMatrix& a, bool fast, const Calls& calls);

/// Proves what the triplets allow. Same contract as `bound_eigenpairs`.
TripletBounds bound_triplets(const RectangularMatrix& a, const Triplets& triplets, const Calls& calls);

/// One step of refinement. Same contract as `improve_eigenpairs`.
void improve_triplets(const RectangularMatrix& a, Triplets& triplets, TripletBounds& bounds, const Calls& calls);

}  // namespace accublas::certified
