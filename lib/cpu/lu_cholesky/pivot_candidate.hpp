// The comparison of partial pivoting in LU.
#pragma once

#include <cmath>

#include "lib/call/problem.hpp"
#include "lib/numerics/parts.hpp"

namespace accublas::cpu {

/// Returns the magnitude that partial pivoting compares: of a complex element the sum of those of its rounded parts.
template <class E>
RealOf<E> pivot_size(const E& v) {
  if constexpr (is_complex<E>)
    return std::fabs(v.re) + std::fabs(v.im);
  else
    return std::fabs(v);
}

/// A rounded element that may become the pivot, its row and its size.
template <class E>
struct PivotCandidate {
  Index row;
  RealOf<E> size;
  E value;

  /// Returns whether this element goes before the best one so far. A NaN goes before all other values, and of several
  /// elements of the same size the one in the first row.
  bool passes(const PivotCandidate& best) const {
    if (is_nan(best.size)) return is_nan(size) && row < best.row;
    return is_nan(size) || size > best.size || (size == best.size && row < best.row);
  }
};

}  // namespace accublas::cpu
