// Describes which elements of C a product computes, in the engines' coordinates: all, or a triangle. The product
// neither reads nor writes nor counts the other elements.
#pragma once

#include "lib/base/host_device.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// The wanted elements of a block, with indices that count from its first element. `parts` adjacent columns are the
/// parts of one number.
struct Wanted {
  Triangle part = Triangle::all;
  int parts = 1;
  bool real_diagonal = false;  ///< the second (imaginary) parts of the diagonal are not wanted
  Index offset = 0;            ///< column of the diagonal in row 0

  ACCUBLAS_HD bool all() const { return part == Triangle::all; }
  ACCUBLAS_HD Index diagonal(Index row) const { return parts * row + offset; }
  /// Returns the wanted elements of the block that begins at (row, col).
  ACCUBLAS_HD Wanted from(Index row, Index col) const { return {part, parts, real_diagonal, diagonal(row) - col}; }
  /// Returns the description with one column for both parts of a number.
  ACCUBLAS_HD Wanted of_numbers() const { return {part, 1, false, offset / parts}; }

  /// Returns whether any of rows x cols elements is wanted.
  ACCUBLAS_HD bool any(Index row, Index rows, Index col, Index cols) const {
    if (all()) return true;
    return part == Triangle::upper ? col + cols > diagonal(row) : col < diagonal(row + rows - 1) + parts;
  }
  /// Returns a mask whose bit c says whether element (row, col + c) is wanted, c < 32.
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
