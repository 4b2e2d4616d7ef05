// Eigenvalues and eigenvectors by the real LAPACK: an approximation, of which nothing is assumed.
#pragma once

#include "lib/call/problem.hpp"

namespace accublas::cpu {

/// The largest order that LAPACK's integers allow. With integers of 32 bits (`narrow`) the length of its workspace,
/// 1 + 6 n + 2 n^2 numbers, would overflow for larger orders, and LAPACK would write beyond a workspace that is too
/// short.
constexpr Index most_eigensystem(bool narrow) { return narrow ? 32766 : 0x7FFFFFFF; }

/// Computes the eigenvalues w of a Hermitian matrix, in ascending order, and orthonormal eigenvectors in the same
/// order, which overwrite A, by LAPACK's SYEVD or HEEVD. The columns of A, n x n, are adjacent, and its upper triangle
/// is read. E is double or Complex<double>. If LAPACK's iteration does not converge, results are whatever it left.
/// Throws Error(ACCUBLAS_ERROR_NO_BLAS) if there is no LAPACK, Error(ACCUBLAS_ERROR_UNAVAILABLE) for an order above
/// most_eigensystem, and std::bad_alloc, all before A changes.
template <class E>
void eigensystem(Index n, E* a, double* w);

}  // namespace accublas::cpu
