// Approximate eigenvectors and eigenvalues of a Hermitian matrix, what is proved of them, and a step that improves them
// (docs/eigenvalues.md). Matrices are in the memory of the place, vectors of numbers in that of the host.
#pragma once

#include <vector>

#include "lib/certified/columns.hpp"

namespace accublas::certified {

/// A Hermitian matrix of order n. `a` is the real matrix of its parts (RealParts), of order rows() with adjacent
/// columns. The exact matrix differs from it by at most 2^-1074 an element if `inexact` is set, and else not at all.
struct HermitianMatrix {
  Index n;
  bool complex;
  Placed a;
  bool inexact = false;

  /// The real numbers of a vector: its real parts, then its imaginary parts if A is complex.
  Index rows() const { return complex ? 2 * n : n; }
};

/// A matrix, m x n, by the real matrix of its parts, rows() x inner(). The exact matrix differs from it by at most
/// 2^-1074 an element if `inexact` is set, and else not at all.
struct PartsMatrix {
  Index m, n;
  bool complex;
  Matrix<const double> a;
  bool inexact = false;

  Index rows() const { return complex ? 2 * m : m; }
  Index inner() const { return complex ? 2 * n : n; }
  /// The conjugate transpose, whose parts are the transposed ones.
  PartsMatrix adjoint() const { return {n, m, complex, a.transposed(), inexact}; }
};

inline PartsMatrix matrix_of_parts(const HermitianMatrix& a) {
  return {a.n, a.n, a.complex, {a.a.data(), 1, a.rows()}, a.inexact};
}

/// The columns of X approximate eigenvectors (or singular vectors of one side), and D ascends. Both are sums of two
/// parts, unevaluated. The low part of X exists if `parts` is 2.
struct Eigenpairs {
  Placed x, x_low;  ///< adjacent columns
  Array d, d_low;
  Index parts = 1;
};

/// Returns a copy; the columns of X have `rows` numbers.
Eigenpairs copy_of(const Eigenpairs& pairs, Index rows, Index count, const Calls& calls);

/// The bounds that one pass over X and D proves. Exact quantities are those of the sums of both parts.
struct EigenBounds {
  Placed left;                    ///< of a complex X: the real matrix that multiplies as its high part does
  Placed e;                       ///< I - X^H X for the high part of X, every element rounded once
  double high_size = HUGE_VAL;    ///< at least the norm of the high part of X
  double contraction = HUGE_VAL;  ///< at least the norm of I - X^H X
  Array low_norms;                ///< at least the norms of the columns of the low part of X
  Placed f;                       ///< approximates F = A Y - X D; Y is X for eigenvectors
  Array residuals;                ///< at least the norms of the columns of F
  Array errors;                   ///< at least the norms of what the columns of f err by
  Array corrections;              ///< approximate what the Rayleigh quotients of X exceed D by ...
  Array correction_errors;        ///< ... and err by at most this
  double residual = HUGE_VAL;     ///< at least the distance of the k-th eigenvalue from the k-th number of D
  double gap = 0;                 ///< at most the distance of eigenvalues of two clusters; 0 if there is one cluster
  std::vector<Index> cluster;     ///< the first eigenvalue of each one's cluster

  /// Returns the first eigenvalue after a cluster, which is named by its first one.
  Index end_of(Index first) const {
    Index k = first + 1;
    while (k < static_cast<Index>(cluster.size()) && cluster[static_cast<std::size_t>(k)] == first) ++k;
    return k;
  }
};

/// Proves what X and D, of `count` columns, allow of F = A Y - X D: all members but `residual`, `gap` and `cluster`. If
/// `contraction` is not below 1, nothing is proved, and the other members are undefined. Nothing is proved if D does
/// not ascend. The bounds of F hold if the norm of I - Y^H Y is below 1, too.
EigenBounds bound_columns(const PartsMatrix& a, Index count, const Eigenpairs& pairs, const Eigenpairs& y,
                          const Calls& calls);

/// Computes the members that belong to F. `of_x` has the contraction, high_size and low_norms of X, whose columns need
/// not be orthonormal; then `corrections` mean nothing.
EigenBounds bound_residual_columns(const PartsMatrix& a, Index count, const Eigenpairs& pairs, const Eigenpairs& y,
                                   EigenBounds&& of_x, const Calls& calls);

/// Whether D ascends. Weyl's bound compares its k-th number with the k-th eigenvalue, and a LAPACK that did not
/// converge may leave any order.
bool ascends(const Eigenpairs& pairs, Index count);

/// Sets `cluster` and `gap` from `residual`, which is finite: eigenvalues whose intervals of Weyl's bound do not meet
/// are separate.
void find_clusters(const Eigenpairs& pairs, Index count, EigenBounds& bounds);

/// Returns LAPACK's or cuSOLVER's eigenvectors and eigenvalues in one part. Throws Error(ACCUBLAS_ERROR_NO_BLAS) if
/// there is neither.
Eigenpairs first_eigenpairs(const HermitianMatrix& a, const Calls& calls);

/// Proves what X and D allow. If `contraction` is not below 1 or `residual` is not finite, nothing is proved, and the
/// other members are undefined. Nothing is proved if D does not ascend.
EigenBounds bound_eigenpairs(const HermitianMatrix& a, const Eigenpairs& pairs, const Calls& calls);

/// Returns a lower bound of d_k - d_j, or 0 if that is not positive.
double distance_down(const Eigenpairs& pairs, Index j, Index k);

/// One step of Ogita and Aishima: X becomes X (I + Y), and in each group of eigenvalues that are close to each other
/// the eigenvectors of what A is there. `bounds` are those of the pairs before the step, whose arrays e and f the step
/// uses as its own.
void improve_eigenpairs(const HermitianMatrix& a, Eigenpairs& pairs, EigenBounds& bounds, const Calls& calls);

}  // namespace accublas::certified
