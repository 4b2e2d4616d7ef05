// A real system whose rows and columns are scaled by powers of two (docs/certified.md, "Scaling").
#pragma once

#include <vector>

#include "lib/certified/calls.hpp"

namespace accublas::certified {

/// A x = B of order n with `sides` right-hand sides, columns adjacent.
struct System {
  Index n, sides;
  Placed a;
  Array b;
  bool symmetric;

  /// Finds whether A is finite. Call this before scale().
  bool measure(const Calls& calls);
  /// After scale(): the matrix that is meant is a up to 2^-1075 an element where `inexact` is set, and of the unknowns
  /// x_j = 2^column[j] y_j.
  std::vector<int> row{}, column{};
  bool inexact = false;

  /// Numbers in [1/2, 1) become the largest of every column, none is larger; where A is symmetric and may be positive
  /// definite rows and columns have the same scales, and the diagonal lies in [1/4, 1). Returns whether they have.
  bool scale(const Calls& calls);
};

/// Scales right-hand side `side` by the scales of the rows and by its own, which is returned: to = 2^(row - scale) b.
int scale_side(const System& system, Index side, double* to);

}  // namespace accublas::certified
