// How a line is scaled in a pass, and what Ziv's test must know of the error: the same functions for conversion and
// reconstruction, and in tests.
#pragma once

#include <cmath>

#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cuda {

/// cr: the exponent g for which a line's norm is at most 2^(E + g), a little below: lines are scaled to equal norms,
/// not to equal maxima, because it is norms that bound the sums.
ACCUBLAS_HD inline int norm_exponent(double norm) { return norm > 0 ? exponent_above(norm * (1 + 0x1p-10)) : 0; }

/// What sums may reach with some moduli, 2^whole part, from below; 1 <= part < 2 but for rounding.
struct Capacity {
  int whole;
  double part;
};
ACCUBLAS_HD inline Capacity capacity_of(double log2_capacity) {
  const double whole = floor(log2_capacity);
  return {static_cast<int>(whole), exp2(log2_capacity - whole) * (1 - 0x1p-40)};
}

/// The most bits of the two sides, evenly split, so that sums of lines of these norms (at most 1, times 2^bits,
/// rounded) stay within the capacity: rounding moves a line by at most half of sqrt(k).
ACCUBLAS_HD inline void split_bits(const Capacity& capacity, double row_norm, double col_norm, Index k, int& row_bits,
                                   int& col_bits) {
  const double moved = 0.5 * sqrt(static_cast<double>(k));
  // Largest norms relative to the power of two above them are 1/2 or more: at most two bits beyond the capacity.
  int sum = capacity.whole + 3;
  double product, most;
  do {
    --sum;
    row_bits = sum / 2;
    col_bits = sum - row_bits;
    product = (row_norm + scalbn(moved, -row_bits)) * (col_norm + scalbn(moved, -col_bits)) * (1 + 0x1p-40);
    most = scalbn(capacity.part, capacity.whole - sum);
  } while (sum > 2 && product > most);
}

/// a' = the integer nearest to a 2^scale; the product of two lines is in units of 2^-(row scale + col scale).
ACCUBLAS_HD inline int line_scale(const PassPlan& plan, const Lines& lines, Index i, int bits) {
  if (!(lines.norm[i] > 0)) return 0;
  return bits - (plan.interval || plan.equal_norms ? norm_exponent(lines.norm[i]) : 0) - lines.exponent[i];
}

/// What rounding a line to integers can move a sum by: at most half of the sum of abs(entries 2^scale) of the *other*
/// line where this one drops bits, and k / 4 where both do. error(row, col) = col.drop row.error + row.drop col.error,
/// in units of the product, where the rows' error already holds the k / 4.
struct LineError {
  double drop;   ///< 1 if a bit of the line is dropped, else 0
  double error;  ///< half the sum of abs(x) 2^scale, from above (rows: + k / 4 where bits are dropped)
};
ACCUBLAS_HD inline LineError line_error(const Lines& lines, Index i, int scale, bool row) {
  const bool exact = !(lines.norm[i] > 0) || lines.last_bit[i] >= -scale;
  const double drop = exact ? 0 : 1;
  const double half = scalbn(lines.lambda[i], lines.exponent[i] + scale - 25);
  return {drop, half + (row ? drop * static_cast<double>(lines.k) / 4 : 0)};
}
ACCUBLAS_HD inline double element_error(const LineError& row, const LineError& col) {
  // Three roundings of the error's own are covered by its enlargement.
  return (col.drop * row.error + row.drop * col.error) * (1 + 0x1p-50);
}

}  // namespace accublas::cuda
