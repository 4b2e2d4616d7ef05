// Eigenvalues and singular values with their vectors, and proved bounds (docs/eigenvalues.md). Single precision is
// computed in double, which is exact for the matrix.
#pragma once

#include "lib/call/product.hpp"
#include "lib/runtime/context.hpp"

namespace accublas {

/// Which eigenvalues of a matrix of order n are returned. The members after `range` are used as accublas.h says.
struct EigenRange {
  accublas_range range = ACCUBLAS_ALL;
  double vl = 0, vu = 0;
  Index il = 1, iu = 0;

  /// The number of eigenvalues for which results have room.
  Index most(Index n) const { return range == ACCUBLAS_INDICES ? iu - il + 1 : n; }
};

/// A Hermitian A of order `n`, of which the triangle that `a` names is read, and the results. If `general` is set, the
/// eigenvalues are those of A x = w B x, and B is read as A is; else `b` is not used. All arrays are in host memory or
/// all on one device. Without `vectors` the members from v to `cluster` are not used. `part` says which eigenvalues are
/// returned, and *found, in host memory, becomes their number; `found` may be null.
template <class E>
struct CertifiedEigenvalues {
  Index n;
  Operand<E> a;
  RealOf<E>*w, *radius;
  bool vectors;
  Matrix<E> v;
  RealOf<E>* angle;
  std::int64_t* cluster;  ///< counted from 1
  bool general = false;
  Operand<E> b{};
  EigenRange part{};
  Index* found = nullptr;
};

/// Writes the results and *certificate (its struct_size is not read). Throws Error(ACCUBLAS_ERROR_NOT_CERTIFIED)
/// afterwards if a radius is not finite. `options` may be null.
template <class E>
void certify_eigenvalues(Context& context, const CertifiedEigenvalues<E>& problem, const accublas_options* options,
                         accublas_certificate_t* certificate);

/// A matrix of m rows and n columns, and the results: k = min(m, n) singular values in descending order, U (m x k) and
/// V^H (k x n). All arrays are in host memory or all on one device. Without `vectors` the members from u on are not
/// used.
template <class E>
struct CertifiedSingularValues {
  Index m, n;
  Matrix<const E> a;
  RealOf<E>*s, *radius;
  bool vectors;
  Matrix<E> u, vt;
  RealOf<E>* angle;
  std::int64_t* cluster;  ///< counted from 1
};

/// Same contract as `certify_eigenvalues`.
template <class E>
void certify_singular_values(Context& context, const CertifiedSingularValues<E>& problem,
                             const accublas_options* options, accublas_certificate_t* certificate);

}  // namespace accublas
