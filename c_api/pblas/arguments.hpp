// The checks of ScaLAPACK's arguments. A call with a bad argument goes to ScaLAPACK's own routine, which finds the
// error again and reports it with its own number and messages.
#pragma once

#include "c_api/pblas/layout.hpp"

namespace accublas::pblas {

/// Whether a descriptor is valid and element (i, j), from 1, is in the matrix.
bool is_good_array(const Grid& grid, const Descriptor& d, int i, int j);

/// Whether an m x n sub-matrix at row `i` and column `j`, from 1, is one of a matrix in this grid.
bool is_good_matrix(const Grid& grid, const Descriptor& d, int m, int n, int i, int j);

/// Whether the vector of n elements is one of a matrix in this grid. inc is 1 or the number of rows of the matrix.
bool is_good_vector(const Grid& grid, const Descriptor& d, int n, int i, int j, int inc);

/// Whether a vector is a row of its matrix.
inline bool is_row(const Descriptor& d, int inc) { return inc == d.rows; }

}  // namespace accublas::pblas
