// Which elements of C a product computes, in the engines' coordinates: all, or a triangle. The others are neither read
// nor written, nor counted.
#pragma once

#include "lib/base/host_device.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// Of a block of elements, counted from its first one. `parts` columns side by side are parts of one number.
struct Wanted {
  Triangle part = Triangle::all;
  int parts = 1;
  bool real_diagonal = false;  ///< the diagonal's second parts are not wanted
  Index offset = 0;            ///< column of the diagonal in row 0

  ACCUBLAS_HD bool all() const { return part == Triangle::all; }
  ACCUBLAS_HD Index diagonal(Index row) const { return parts * row + offset; }
  /// The same of the block that begins there.
  ACCUBLAS_HD Wanted from(Index row, Index col) const { return {part, parts, real_diagonal, diagonal(row) - col}; }
  /// With a column for both parts of a number.
  ACCUBLAS_HD Wanted of_numbers() const { return {part, 1, false, offset / parts}; }

  /// Whether some of rows x cols elements may be wanted.
  ACCUBLAS_HD bool any(Index row, Index rows, Index col, Index cols) const {
    if (all()) return true;
    return part == Triangle::upper ? col + cols > diagonal(row) : col < diagonal(row + rows - 1) + parts;
  }
  /// Bit c tells of element (row, col + c), c < 32.
  ACCUBLAS_HD unsigned mask(Index row, Index col) const {
    if (all()) return ~0u;
    const Index d = diagonal(row) - col, bound = part == Triangle::upper ? d : d + parts;
    const unsigned below = bound <= 0 ? 0 : bound >= 32 ? ~0u : (1u << bound) - 1;
    const unsigned bits = part == Triangle::upper ? ~below : below;
    const bool inside = real_diagonal && d + 1 >= 0 && d + 1 < 32;
    return inside ? bits & ~(1u << (d + 1)) : bits;
  }
};

}  // namespace accublas::cuda
