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
  explicit operator bool() const { return row != 0 || col != 0; }
};

/// Returns the sum of k products times 2^scale.product(). Its error is zero if the last bits of the entries show that
/// nothing was lost. Scaled entries are finite; those that lose bits are below 2^scaled_down.
template <class T>
TripleSum fullest_sum(Isa isa, Index k, Vector<const T> row, Vector<const T> col, TermScale scale = {});

/// Returns whether products exceeded what the kernels add up, or may have lost bits below 2^-1074, all of them being
/// small.
inline bool leaves_range(const TripleSum& sum) {
  return !triple_known(sum) || (sum.error > 0 && sum.error < 0x1p-1000);
}
/// Returns the scale that brings such products into the range of the kernels. It is none if an entry is Inf or NaN.
template <class T>
TermScale scale_of(Index k, Vector<const T> row, Vector<const T> col, const TripleSum& sum);
constexpr int scaled_down = 440;  ///< entries of products that are too large are scaled below 2^scaled_down

}  // namespace accublas::cpu
