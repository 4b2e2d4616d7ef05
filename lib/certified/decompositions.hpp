// Approximate eigenvectors and singular vectors by LAPACK or cuSOLVER, as the parts of complex numbers. Columns are
// adjacent and in the place of `calls`; eigenvalues and singular values are in host memory. On a device
// without cuSOLVER, or for sizes that cuSOLVER does not take, the matrix is copied to the host, and LAPACK decomposes
// the copy.
#pragma once

#include "lib/certified/columns.hpp"

namespace accublas::certified {

/// A matrix of parts whose imaginary parts, if it is complex, begin im_rows numbers after the real ones.
struct PartsView {
  bool complex;
  Index m, n;
  Matrix<const double> re;
  Index im_rows;
};

/// Computes the eigenvalues w and the eigenvectors, as parts with adjacent columns, of a Hermitian matrix of order n.
void eigensystem_of_parts(const PartsView& a, double* w, double* vectors, const Calls& calls);
/// Computes eigenvalues of A x = w B x, and vectors with X^H B X = I.
void general_eigensystem_of_parts(const PartsView& a, const PartsView& b, double* w, double* vectors,
                                  const Calls& calls);

/// The thin singular value decomposition of a matrix, m x n with m >= n. Values ascend, and the columns of V are the
/// right singular vectors.
struct ThinSystem {
  Array values;
  Placed u, v;
};
/// `fast` allows a method that is less accurate for small singular values.
ThinSystem thin_system_of_parts(const PartsView& a, bool fast, const Calls& calls);

}  // namespace accublas::certified
