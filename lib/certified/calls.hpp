// What a certified solution is made of: the library's own routines on arrays of the host, and loops over rows.
#pragma once

#include "lib/certified/array.hpp"
#include "lib/lapack/calls.hpp"
#include "lib/numerics/outward.hpp"

namespace accublas::certified {

/// Proofs rest on products in cr alone; everything else, in the caller's mode, only needs to be good.
class Calls : public lapack::Calls {
 public:
  /// `options` may be null.
  Calls(Context& context, const accublas_options* options);

  /// C = alpha A B + beta C, every element rounded once.
  void product(Index m, Index n, Index k, double alpha, const Matrix<const double>& a, const Matrix<const double>& b,
               double beta, const Matrix<double>& c) const;
  /// The upper triangle of C = A A^T, n x n, likewise; columns of both adjacent.
  void square(Index n, const double* a, double* c) const;
  /// A = P L U in place, columns adjacent; a pivot that is zero becomes 2^-53. Returns the number of those.
  Index factor(Index n, double* a, std::int64_t* pivots) const;
  /// X with X A = I, rows of X adjacent, by the factors of A.
  void left_inverse(Index n, const double* factors, const std::int64_t* pivots, double* x) const;
  /// Whether A = U^T U was factored in the upper triangle, and if so X = U^-1, columns of both adjacent.
  bool inverse_cholesky(Index n, double* a, double* x) const;

  /// to_i >= sum_j abs(m_ij) v_j, v not negative and null for ones.
  void row_sums_up(Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to) const;
};

/// n x n, with ones on the diagonal and zeros beside it.
inline void set_identity(Index n, double* to) {
  std::fill_n(to, n * n, 0.0);
  for (Index i = 0; i < n; ++i) to[i * (n + 1)] = 1;
}

}  // namespace accublas::certified
