// The operations that make up a certified solution: the library's own routines on matrices in one memory space, and
// loops over rows.
#pragma once

#include "lib/certified/array.hpp"
#include "lib/lapack/calls.hpp"
#include "lib/numerics/outward.hpp"
#include "lib/run.hpp"

namespace accublas::certified {

/// Proofs rest on products in cr alone; everything else, in the caller's mode, only needs to be good. The place is the
/// one where `run`, the solution's call, has LU of its order computed. Pointers to double are to memory of the place,
/// Arrays to that of the host.
class Calls : public lapack::Calls {
 public:
  /// `options` may be null. The place is the host until `move_to` is called.
  Calls(Context& context, const accublas_options* options);

  Place& place() const { return *place_; }
  bool operands_on_device() const { return operands_on_device_; }
  /// Moves to the place of `run`, whose operands are known. Call this while the place has no matrices.
  void move_to(const Run& run);
  /// Call this while the place has no matrices.
  void move_to_host();

  /// C = alpha A B + beta C, every element rounded once.
  void product(Index m, Index n, Index k, double alpha, const Matrix<const double>& a, const Matrix<const double>& b,
               double beta, const Matrix<double>& c) const;
  /// Computes the upper triangle of C = A A^T, n x n, every element rounded once; the columns of both matrices are
  /// adjacent.
  void square(Index n, const double* a, double* c) const;
  /// A = P L U in place, columns adjacent; a pivot that is zero becomes 2^-53. Returns the number of those. Pivots are
  /// n integers of 64 bits.
  Index factor(Index n, double* a, const Placed& pivots) const;
  /// X with X A = I, rows of X adjacent, by the factors of A.
  void left_inverse(Index n, const double* factors, const Placed& pivots, double* x) const;
  /// Whether A = U^T U was factored in the upper triangle, and if so X = U^-1, columns of both adjacent.
  bool inverse_cholesky(Index n, double* a, double* x) const;

  /// to = from, numbers side by side.
  void copy(Index count, const double* from, double* to) const;
  /// to = from, rows x cols.
  void copy(Index rows, Index cols, const Matrix<const double>& from, const Matrix<double>& to) const;
  /// n x n, with ones on the diagonal and zeros beside it.
  void set_identity(Index n, double* to) const;
  /// change(d) of the diagonal of A, n x n.
  template <class Change>
  void change_diagonal(Index n, double* a, Change&& change) const {
    const Mirrored diagonal = this->diagonal(n, a);
    change(diagonal);
    diagonal.send();
    copy(n, 1, {diagonal.there(), 1, 1}, {a, n + 1, 1});
  }
  Mirrored diagonal(Index n, const double* a) const;

  /// to_i >= sum_j abs(m_ij) v_j, v not negative and null for ones; v and to in host memory.
  void row_sums_up(Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to) const;

 private:
  std::unique_ptr<Place> place_;
  bool operands_on_device_ = false;
};

}  // namespace accublas::certified
