// Eigenvalues and eigenvectors by the real LAPACK: an approximation, of which nothing is assumed.
#pragma once

#include "lib/call/problem.hpp"

namespace accublas::cpu {

/// Computes the eigenvalues w of a Hermitian matrix, in ascending order, and orthonormal eigenvectors in the same
/// order, which overwrite A, by LAPACK's SYEVD or HEEVD. The columns of A, n x n, are adjacent, and its upper triangle
/// is read. E is double or Complex<double>. If LAPACK's iteration does not converge, results are whatever it left.
/// Throws Error(ACCUBLAS_ERROR_NO_BLAS) if there is no LAPACK, and std::bad_alloc, both before A changes.
template <class E>
void eigensystem(Index n, E* a, double* w);

}  // namespace accublas::cpu
