// The terms outside of which groups of lines hold only zeros, so that products of bands, blocks and triangles leave out
// most of their terms.
#pragma once

#include "cuda/core/carver.hpp"
#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// For each group of lines (line_group) the terms outside of which all its entries are zeros, in device memory. If both
/// sides have the same lines, they have the same array.
struct GroupTerms {
  TermRange *rows, *cols;  ///< null: nothing is known
  std::int32_t* some;      ///< not 0 if a group does not need all terms

  /// Returns the terms of a block that begins at these lines, which are multiples of line_group.
  GroupTerms from(Index first_row, Index first_col) const {
    if (!rows) return {};
    return {rows + first_row / line_group, cols + first_col / line_group, some};
  }
#ifdef __CUDACC__
  __device__ bool matter() const { return rows && *some != 0; }
  /// Returns the terms that a row and a column of the block need, and their groups; end <= first: none.
  __device__ TermRange needed(Index row, Index col) const {
    const TermRange r = rows[row / line_group], c = cols[col / line_group];
    return {max(r.first, c.first), min(r.end, c.end)};
  }
#endif
};

/// same_lines: both sides have the same lines.
inline GroupTerms take_group_terms(Carver& carver, const Lines& rows, const Lines& cols, bool same_lines) {
  const auto take = [&](const Lines& lines) {
    return carver.take<TermRange>(static_cast<std::size_t>(padded_lines(lines.count) / line_group));
  };
  TermRange* const of_rows = take(rows);
  return {of_rows, same_lines ? of_rows : take(cols), carver.take<std::int32_t>(1)};
}

}  // namespace accublas::cuda
