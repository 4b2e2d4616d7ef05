// Modes fixed:T, dp and sp reproducible, and cr, by FP64 digits of equal width. Digit p of every line has one exponent
// relative to the line's. So products of digits p and q with one p + q (a "level") are summed inside DGEMM, whose inner
// dimension runs over consecutive digits. S is then a short polynomial in 2^(width + 1), level by level.
#pragma once

#include "lib/cpu/fp64/fp64_products.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cpu {

/// abs(digit) <= 2^width and grids are width + 1 apart; run k 2^(2 width) <= 2^53, so the products of `run` pairs of
/// digits may be summed in FP64.
struct DigitWidth {
  int width, run;
  int step() const { return width + 1; }
};
/// Returns the width for k terms.
DigitWidth digit_width(Index k);

/// Returns a bound of abs(S - sum of the levels 0 .. last) in units of level `last`, for lines cut from the top into
/// last + 1 digits.
///
/// One unit is grid_p grid_q, p + q = last. The levels leave out `last` pairs of level last + 1, each below k 2^(2
/// width) units of that level, 2^-(width+1) of the unit of level `last`; all further levels, together below a third of
/// one such pair; and the remainder of A after its last digit, at most half a grid times 2^F, that is k 2^(width - 1)
/// units. The remainder of B is bounded by (1 + 2^-width) times as much.
double left_out(Index k, const DigitWidth& d, int last);

/// Returns how many digits a line has whose entries are rounded to t bits.
int digits_for(int t, const DigitWidth& d);

/// The products with p + q = level and p in first .. first + count - 1, which one DGEMM sums into one plane.
struct Group {
  int level, first, count;
};

/// Writes the groups of a level (unless null) for digits 0 .. digits - 1 of both sides, with at most `run` pairs each.
/// Returns how many there are.
int level_groups(int level, int digits, int run, Group* groups);
/// Returns how many groups the levels first_level .. last_level have.
int count_groups(int first_level, int last_level, int digits, int run);

/// Returns the number of significant bits of x; 0 for 0.
inline int bit_length(std::uint64_t x) { return 64 - leading_zeros(x); }

}  // namespace accublas::cpu
