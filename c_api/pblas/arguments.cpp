#include "c_api/pblas/arguments.hpp"

namespace accublas::pblas {
namespace {

/// Whether the descriptor has valid numbers, of a matrix that has at least `least` rows and columns.
bool is_good_descriptor(const Grid& grid, const Descriptor& d, int least) {
  return (d.type == 1 || d.type == 2) && d.context == grid.context && d.first_row_block >= 1 &&
         d.first_col_block >= 1 && d.row_block >= 1 && d.col_block >= 1 && d.row_source >= -1 &&
         d.row_source < grid.rows && d.col_source >= -1 && d.col_source < grid.cols && d.rows >= least &&
         d.cols >= least && d.ld >= 1;
}

/// Whether the leading dimension suffices for the process's rows, if it has columns of the matrix.
bool is_good_ld(const Grid& grid, const Descriptor& d) { return d.ld >= own_rows(grid, d) || own_cols(grid, d) == 0; }

}  // namespace

bool is_good_array(const Grid& grid, const Descriptor& d, int i, int j) {
  return i >= 1 && j >= 1 && is_good_descriptor(grid, d, 1) && i <= d.rows && j <= d.cols && is_good_ld(grid, d);
}

bool is_good_matrix(const Grid& grid, const Descriptor& d, int m, int n, int i, int j) {
  const bool empty = m == 0 || n == 0;
  if (m < 0 || n < 0 || i < 1 || j < 1 || !is_good_descriptor(grid, d, empty ? 0 : 1)) return false;
  return empty || (m <= d.rows - (i - 1) && n <= d.cols - (j - 1) && is_good_ld(grid, d));
}

bool is_good_vector(const Grid& grid, const Descriptor& d, int n, int i, int j, int inc) {
  if (n < 0 || i < 1 || j < 1 || !is_good_descriptor(grid, d, n == 0 ? 0 : 1) || (inc != 1 && inc != d.rows))
    return false;
  if (n == 0) return true;
  const bool row = is_row(d, inc);
  return (row ? i <= d.rows && n <= d.cols - (j - 1) : j <= d.cols && n <= d.rows - (i - 1)) && is_good_ld(grid, d);
}

}  // namespace accublas::pblas
