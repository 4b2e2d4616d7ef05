// A real system whose rows and columns are scaled by powers of two (docs/certified.md, "Scaling").
#pragma once

#include <functional>
#include <vector>

#include "lib/certified/calls.hpp"

namespace accublas::certified {

struct WideNumbers;

/// A x = B of order n with `sides` right-hand sides, columns adjacent.
struct System {
  Index n, sides;
  Placed a;
  Array b;
  bool symmetric;
  /// If it is not null, it holds A and B, which are binary128 numbers, and scale() sets `a` to A rounded away from
  /// zero.
  WideNumbers* wide = nullptr;

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

/// Finds the largest exponents of A's rows (columns), where offsets[j] is added to the exponents in column (row) j. The
/// exponent of x is the least e with abs(x) < 2^e; a row of zeros has no_exponent.
using LargestExponents = std::function<void(bool of_rows, const int* offsets, int* to)>;
/// Chooses the scales as System::scale states, from system.row, which holds the largest exponents of the rows.
/// `diagonal` has the exponents of diagonal elements, and no_exponent for elements that are not positive. Returns
/// whether rows and columns have the same scales.
bool choose_scales(System& system, const LargestExponents& largest_exponents, const std::vector<int>& diagonal);

}  // namespace accublas::certified
