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
  /// The scales that scale() sets. If `inexact` is set, the exact matrix differs from `a` by at most 2^-1075 an
  /// element. Its unknowns are x_j = 2^column[j] y_j.
  std::vector<int> row{}, column{};
  bool inexact = false;

  /// Scales the matrix so that the largest number of every column lies in [1/2, 1) and no number is larger. If A is
  /// symmetric and may be positive definite, rows and columns get the same scales, and the diagonal lies in [1/4, 1);
  /// returns whether that is so.
  bool scale(const Calls& calls);
};

/// Scales right-hand side `side` by the scales of the rows and by its own scale, which is returned: to = 2^(row -
/// scale) b.
int scale_side(const System& system, Index side, double* to);

}  // namespace accublas::certified
