// Engine fp64, first half. Rows of op(A) and columns of op(B) are cut into small integers ("digits") times a power of
// two for each line and digit, so that DGEMM multiplies integers and every product is exact.
#pragma once

#include <cstdint>

#include "lib/call/execution.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cpu {

/// Rows of op(A), or columns of op(B) through the transposed view: entry p of line i is view(i, p).
template <class T>
struct Lines {
  Matrix<const T> view;
  Index count;
  Index k;
};

/// The most digits of a line: enough for slices:50, and for fixed:150 with the narrowest digits for k below 2^40.
constexpr int max_digits = 60;

/// How one line is cut. With x the entry (or, if round_grid is set, the nearest multiple of 2^round_grid, ties to
/// even), digit q is the integer nearest to x 2^-grid[q], ties to even. The remainder takes the place of x for the next
/// digit. If `halved` is set, all exponents here belong to the entries times 2^-halving.
struct Cut {
  std::uint64_t top;      ///< bits of the largest magnitude of the line
  std::uint64_t nonzero;  ///< bit q: some digit q is not zero; bit 63: something is left after the last digit
  int count;              ///< digits; 0 for a line of zeros, and for a special one
  bool special;           ///< has a NaN or an Inf; treated as zero here
  bool halved;            ///< round_grid is set; entries are taken times 2^-halving, because 2^1024 overflows
  int round_grid;         ///< no_grid if there is none
  static constexpr int no_grid = -100000;
  static constexpr int halving = 256;
};

/// The digits of a block of lines: digit q of entry p of line i at data[i line_stride + q digit_stride + p].
struct DigitArray {
  double* data;
  Index line_stride;
  Index digit_stride;
};

/// Sets cut[i].top and cut[i].special of every line, and clears the rest of cut[i].
template <class T>
void scan_lines(const Lines<T>& lines, Cut* cut, const Execution& execution);

/// Finds the grids of slices:D, grid[i * slices + q], and cut[i].count <= slices. Each slice takes a pass over the
/// lines.
template <class T>
void slice_grids(const Lines<T>& lines, int rho, int slices, Cut* cut, int* grid, const Execution& execution);

/// Writes `digits` digits of entries first .. first + n - 1 of every line, with the grids grid[i * grid_stride + q].
/// Requires abs(x) <= 2^(grid[0] + 51) for every entry, and descending grids. Sets further bits of cut[i].nonzero.
template <class T>
void split_lines(const Lines<T>& lines, Index first, Index n, Cut* cut, const int* grid, Index grid_stride, int digits,
                 const DigitArray& out, const Execution& execution);

/// Returns the least t with x <= 2^t, for the positive double x whose bits are `magnitude`.
int ceil_log2_magnitude(std::uint64_t magnitude);

}  // namespace accublas::cpu
