// Columns of real matrices in the memory space of a place, and upper bounds of their Euclidean norms. All columns are
// adjacent.
#pragma once

#include "lib/certified/calls.hpp"
#include "lib/numerics/column_sums.hpp"

namespace accublas::certified {

/// Bounds the norm of a column, or of a matrix, whose numbers each err by at most `times` 2^-1075.
inline double underflow_of(double times, Index rows) {
  return mul_up(times * static_cast<double>(rows), least_subnormal<double>());
}

/// Returns the matrix whose columns are at x.
inline Matrix<double> columns_at(double* x, Index rows) { return {x, 1, rows}; }
inline Matrix<const double> read_columns(const double* x, Index rows) { return {x, 1, rows}; }

/// A vector in host memory, and its copy on the device if the place is one.
class Sent {
 public:
  Sent(const Calls& calls, Index count, const double* numbers);
  const double* data() const { return data_; }

 private:
  Placed copy_{};
  const double* data_;
};

/// Upper bounds of the norms of the columns of a matrix, and of its own norm.
struct Norms {
  Array columns;
  double all;

  /// A null matrix is zero.
  Norms(Index rows, Index cols, const double* m, const Calls& calls);
};

/// Writes the real matrix, 2 n x 2 cols, that multiplies as the complex matrix X, n x cols, does.
Placed left_of(const double* x, Index n, Index cols, const Calls& calls);

/// Returns new memory, of zeros if `zeros` is set.
Placed numbers_at(const Calls& calls, Index rows, Index cols, bool zeros = false);

}  // namespace accublas::certified
