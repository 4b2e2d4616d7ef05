// Columns of real matrices in host memory, and upper bounds of their Euclidean norms.
#pragma once

#include <vector>

#include "lib/certified/calls.hpp"

namespace accublas::certified {

/// An upper bound of the square root of x >= 0; a lower bound.
inline double sqrt_up(double x) { return x == 0 ? 0 : above(std::sqrt(x)); }
inline double sqrt_down(double x) { return below(std::sqrt(x)); }

/// An upper bound of the Euclidean norm of `count` numbers; infinity if one of them is not finite.
double norm_up(Index count, const double* x);

/// Bounds the norm of a column, or of a matrix, whose numbers each err by at most `times` 2^-1075.
inline double underflow_of(double times, Index rows) {
  return mul_up(times * static_cast<double>(rows), least_subnormal<double>());
}

/// Sets to_j >= the norm of column j of a matrix with adjacent columns.
void column_norms_up(Index rows, Index cols, const double* m, double* to, const Calls& calls);

/// Writes the real matrix, 2 n x 2 cols with adjacent columns, that multiplies as the complex matrix X, n x cols, does.
/// Each column of X has its real parts and then its imaginary parts.
void write_left(const double* x, Index n, Index cols, double* to);

/// Returns the complex matrix, rows x cols with adjacent columns, of a matrix of parts whose columns are from_rows
/// numbers apart and have their imaginary parts in their second half.
std::vector<Complex<double>> joined_parts(Index rows, Index cols, const double* from, Index from_rows);
/// Writes the parts of a complex matrix, rows x cols with adjacent columns, as adjacent columns.
void split_parts(Index rows, Index cols, const Complex<double>* from, double* to);

/// Calls body(j) for the columns j = 0 .. cols - 1, by the threads of `calls`.
template <class Body>
void for_columns(Index cols, const Calls& calls, Body&& body) {
  calls.for_rows(cols, [&](Index first, Index end) {
    for (Index j = first; j < end; ++j) body(j);
  });
}

}  // namespace accublas::certified
