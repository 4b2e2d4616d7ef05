// Eigenvectors and singular vectors by the real LAPACK: an approximation, of which nothing is assumed.
#pragma once

#include "lib/call/problem.hpp"

namespace accublas::cpu {

/// The largest order that LAPACK's integers allow. With integers of 32 bits (`narrow`) the length of its workspace,
/// 1 + 6 n + 2 n^2 numbers, would overflow for larger orders, and LAPACK would write beyond a workspace that is too
/// short.
constexpr Index most_eigensystem(bool narrow) { return narrow ? 32766 : 0x7FFFFFFF; }

/// Throws Error(ACCUBLAS_ERROR_NO_BLAS) if there is no LAPACK for real or complex matrices (`general`: for A x = w B
/// x), and Error(ACCUBLAS_ERROR_UNAVAILABLE) for an order above most_eigensystem.
void require_eigensystem(Index n, bool complex, bool general);

/// Computes the eigenvalues w of a Hermitian matrix, in ascending order, and orthonormal eigenvectors in the same
/// order, which overwrite A, by LAPACK's SYEVD or HEEVD. The columns of A, n x n, are adjacent, and its upper triangle
/// is read. E is double or Complex<double>. If LAPACK's iteration does not converge, results are whatever it left.
/// Throws what require_eigensystem() throws, and std::bad_alloc, all before A changes.
template <class E>
void eigensystem(Index n, E* a, double* w);

/// Computes the eigenvalues w of A x = w B x for Hermitian matrices A and B, and vectors with X^H B X = I, which
/// overwrite A, by LAPACK's SYGVD or HEGVD. B is overwritten. If LAPACK finds that B is not positive definite, results
/// are whatever it left. All else as in `eigensystem`.
template <class E>
void general_eigensystem(Index n, E* a, E* b, double* w);

/// The largest n and m n of a matrix, m x n with m >= n, whose singular vectors LAPACK's integers allow. With integers
/// of 32 bits (`narrow`) the lengths of its workspaces, up to 5 n^2 + 7 n and 2 m n + 2 n^2 + n numbers, must not
/// overflow.
constexpr Index most_singular_values(bool narrow) { return narrow ? 16383 : 0x7FFFFFFF; }
constexpr Index most_singular_elements(bool narrow) { return narrow ? Index{1} << 29 : Index{1} << 60; }

/// Throws as require_eigensystem() does, for those limits.
void require_singular_system(Index m, Index n, bool complex);

/// Computes the singular values s of A, m x n with m >= n, in descending order, with U, m x n, and V^H, n x n, by
/// LAPACK's GESDD. Columns are adjacent, and A is overwritten. E is double or Complex<double>. Convergence and errors
/// as in `eigensystem`; the limits are those above.
template <class E>
void singular_system(Index m, Index n, E* a, double* s, E* u, E* vt);

}  // namespace accublas::cpu
