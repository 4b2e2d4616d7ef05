// One inner product to all bits that cr's sums keep, for an element that faster sums leave undecided.
#pragma once

#include "lib/base/isa.hpp"
#include "lib/call/problem.hpp"
#include "lib/numerics/triple_sum.hpp"

namespace accublas::cpu {

/// Exponents of the powers of two that multiply the entries of a row and a column.
struct TermScale {
  int row = 0, col = 0;

  int product() const { return row + col; }
};

/// Returns the sum of k products times 2^scale.product(). Its error is zero if the last bits of the entries show that
/// nothing was lost.
template <class T>
TripleSum fullest_sum(Isa isa, Index k, Vector<const T> row, Vector<const T> col, TermScale scale = {});

/// Returns whether the products may have lost bits below 2^-1074, and are all so small that scale_of lifts them.
inline bool may_have_underflowed(const TripleSum& sum) { return sum.error > 0 && sum.error < 0x1p-1000; }
/// Returns the scale that lifts products whose sum may have underflowed. Entries stay finite, and sums stay in the
/// range of `fullest_sum`.
template <class T>
TermScale scale_of(Index k, Vector<const T> row, Vector<const T> col);

}  // namespace accublas::cpu
