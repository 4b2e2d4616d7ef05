// cuSOLVER's eigenvectors and singular vectors, which certified spectra start from. It is loaded when it is first
// needed.
#pragma once

#include <cusolverDn.h>

#include "cuda/core/state.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

/// cuSOLVER on the stream of a state's call. Matrices have adjacent columns in device memory, and E is double or
/// Complex<double>; w and s are in host memory. Functions wait for their results. If cuSOLVER's iteration does not
/// converge, results are whatever it left. A failing status is thrown as Error. The status is ACCUBLAS_ERROR_MEMORY if
/// there is no memory, and ACCUBLAS_ERROR_UNAVAILABLE, before anything is written, if cuSOLVER does not take the sizes.
class CuSolver {
 public:
  /// Throws Error(ACCUBLAS_ERROR_UNAVAILABLE), naming the libraries tried, if there is no cuSOLVER.
  explicit CuSolver(State& state);
  ~CuSolver();
  CuSolver(const CuSolver&) = delete;
  CuSolver& operator=(const CuSolver&) = delete;

  /// The eigenvalues and eigenvectors of a Hermitian A of order n, whose upper triangle is read. A is overwritten.
  template <class E>
  void eigensystem(Index n, E* a, double* w);
  /// The eigenvalues of A x = w B x, and vectors with X^H B X = I, which overwrite A. B is overwritten.
  template <class E>
  void general_eigensystem(Index n, E* a, E* b, double* w);
  /// The thin singular value decomposition A = U S V^H of an m x n matrix, m >= n, by the QR iteration. A is
  /// overwritten.
  template <class E>
  void singular_system(Index m, Index n, E* a, double* s, E* u, E* vh);
  /// Returns V, and not V^H. The method (the polar decomposition) is faster, and less accurate for small singular
  /// values.
  template <class E>
  void singular_system_by_polar(Index m, Index n, E* a, double* s, E* u, E* v);

 private:
  State& state_;
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
};

}  // namespace accublas::cuda
