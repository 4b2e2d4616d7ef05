// How a product of host operands passes through devices: which rectangle of C each device computes, and in which order
// a device gets rows of A and columns of B and multiplies them. Pure functions without CUDA, so that they are tested
// without a GPU.
#pragma once

#include <vector>

#include "cuda/tuning/numbers.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// Rows row .. row + rows - 1 and columns col .. col + cols - 1 of C.
struct Region {
  Index row, rows, col, cols;
};

/// Divides an m x n result into at most `parts` rectangles of nearly equal size, whose edges are multiples of 256 or
/// C's own. Among the grids with the most rectangles it takes the one whose devices read the fewest rows of A and
/// columns of B.
std::vector<Region> divide_result(Index m, Index n, int parts);

/// One upload and the product that it makes possible. Positions count rows of the device's copy of A, and columns of
/// its copies of B and C; rows of C's copy lie where those of A do.
struct HostStep {
  Index a_row = 0, a_rows = 0, a_at = 0;  ///< rows of A that are uploaded to position a_at; a_rows = 0: none
  Index b_col = 0, b_cols = 0, b_at = 0;  ///< columns of B that are uploaded to position b_at; b_cols = 0: none
  Region product{};                       ///< the part of C that is computed
  Index row_at = 0, col_at = 0;           ///< positions of the product's rows of A and columns of B
  Index c_at = 0;                         ///< position of the product's columns of C
  // Each upload overwrites what earlier steps used. These are the last such steps, -1 if there are none.
  Index a_after = -1;  ///< its product read the rows of A
  Index b_after = -1;  ///< its product read the columns of B
  Index c_after = -1;  ///< its product wrote the columns of C, which must have reached the host
};

/// The steps of one device, and the sizes of its copies.
struct HostSchedule {
  Index rows = 0;    ///< rows of the copies of A and C
  Index cols = 0;    ///< columns of the copy of B
  Index c_cols = 0;  ///< columns of the copy of C
  std::vector<HostStep> steps;

  /// Returns how many numbers the copies have.
  Index words(Index k) const { return rows * k + k * cols + rows * c_cols; }
  /// Whether A and B are uploaded once and stay, so that a second pass over the steps needs no uploads.
  bool resident(Index m, Index n) const { return rows == m && cols == n; }
};

/// Plans an m x n result of sums of k terms on a device that has room for `words` numbers.
///
/// If all operands fit, they stay. C grows by borders: an upload of rows of A is multiplied by all columns of B so far,
/// an upload of columns of B by all rows of A. The first product starts after a small part of the uploads, and the last
/// one is small, so that few downloads remain. Otherwise blocks of rows of A stay while B passes by in two buffers. The
/// direction of B's columns alternates, so that one of their uploads is saved for each block.
///
/// `whole`: C is computed by one product. Throws Error(ACCUBLAS_ERROR_MEMORY) if the operands do not fit then, or if
/// not even 256 rows and columns fit.
HostSchedule schedule_host(const HostTuning&, Index m, Index n, Index k, double words, bool whole);

}  // namespace accublas::cuda
