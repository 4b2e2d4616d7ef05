// The operations that make up a certified solution: the library's own routines on matrices in one memory space, and
// loops over rows.
#pragma once

#include "lib/certified/array.hpp"
#include "lib/lapack/calls.hpp"
#include "lib/numerics/outward.hpp"
#include "lib/runtime/run.hpp"

namespace accublas::certified {

/// Returns the options of a certified call's inner calls. Factorizations on a GPU lack `native`, and take `dp` then.
accublas_options options_of(Context& context, const accublas_options* options);

/// Proofs rest on products in cr alone; everything else, in the caller's mode, only needs to be good. The place is the
/// one where `run`, the solution's call, has LU of its order computed. Pointers to double are to memory of the place,
/// Arrays to that of the host.
class Calls : public lapack::Calls {
 public:
  /// Makes calls whose place is the host until `move_to` is called. `options` may be null.
  Calls(Context& context, const accublas_options* options);

  Place& place() const { return *place_; }
  bool operands_on_device() const { return operands_on_device_; }
  /// Whether operands in host memory are copied to the memory of a device.
  bool is_staged() const { return place_->on_device() && !operands_on_device_; }
  /// Moves to the place of `run`, whose operands are known. Call this while the place has no matrices.
  void move_to(const Run& run);
  /// Moves to host memory. Call this while the place has no matrices.
  void move_to_host();

  /// C = alpha A B + beta C, every element rounded once.
  void product(Index m, Index n, Index k, double alpha, const Matrix<const double>& a, const Matrix<const double>& b,
               double beta, const Matrix<double>& c) const;
  /// C = A B in the caller's mode.
  void product_in_mode(Index m, Index n, Index k, const Matrix<const double>& a, const Matrix<const double>& b,
                       const Matrix<double>& c) const;
  /// Computes the upper triangle of C - A^T A, n x n, in the place of C, every element rounded once; A is k x n, and
  /// the columns of both matrices are adjacent.
  void subtract_gram(Index n, Index k, const double* a, double* c) const;
  /// Computes the upper triangle of C = A A^T, n x n, every element rounded once; the columns of both matrices are
  /// adjacent.
  void square(Index n, const double* a, double* c) const;
  /// Computes A = P L U in place, with adjacent columns; a pivot that is zero becomes 2^-53. Returns the number of such
  /// pivots. Pivots are n integers of 64 bits.
  Index factor(Index n, double* a, const Placed& pivots) const;
  /// Computes X with X A = I from the factors of A; the rows of X are adjacent.
  void left_inverse(Index n, const double* factors, const Placed& pivots, double* x) const;
  /// Factors A = U^T U in the upper triangle. Returns whether that succeeded, and if so X = U^-1; the columns of both
  /// are adjacent.
  bool inverse_cholesky(Index n, double* a, double* x) const;

  /// Copies `count` contiguous numbers.
  void copy(Index count, const double* from, double* to) const;
  /// Copies a matrix of rows x cols numbers.
  void copy(Index rows, Index cols, const Matrix<const double>& from, const Matrix<double>& to) const;
  /// Writes the n x n identity matrix.
  void set_identity(Index n, double* to) const;
  /// Applies change(d) to the diagonal of A, n x n.
  template <class Change>
  void change_diagonal(Index n, double* a, Change&& change) const {
    const Mirrored diagonal = this->diagonal(n, a);
    change(diagonal);
    diagonal.send();
    copy(n, 1, {diagonal.there(), 1, 1}, {a, n + 1, 1});
  }
  Mirrored diagonal(Index n, const double* a) const;

  /// Computes to_i >= sum_j abs(m_ij) v_j for v that is not negative; a null v means ones. v and to are in host memory.
  void row_sums_up(Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to) const;

 private:
  std::unique_ptr<Place> place_;
  bool operands_on_device_ = false;
};

}  // namespace accublas::certified
