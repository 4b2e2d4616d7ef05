// One inner product to all bits that cr's sums keep, for an element that faster sums leave undecided.
#pragma once

#include <algorithm>
#include <cstdint>

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
/// Sets *out to RN(alpha sum + beta c) of an element by its fullest sums. Returns whether they decide it.
template <class T>
bool decide_element(Isa isa, Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, T addend, T* out);
constexpr int scaled_down = 440;  ///< entries of products that are too large are scaled below 2^scaled_down

/// Where the products of a row with a vector lie: inside the range of the kernels, or outside it.
enum class ProductRange : std::uint8_t { inside, below, above };
inline ProductRange range_of(const TripleSum& sum) {
  return !leaves_range(sum) ? ProductRange::inside : triple_known(sum) ? ProductRange::below : ProductRange::above;
}
/// Returns the exponent of the power of two that scales a vector of entries below 2^top so that its products with rows
/// in `range` lie inside. Sums that may have underflowed have limits below 2^-826 (scale_of), which 2^1720 lifts to
/// 2^894. Products of numbers below 2^-174 with any others are below 2^850.
inline int vector_scale(ProductRange range, int top) {
  return range == ProductRange::below ? std::clamp(1000 - top, 0, 1720) : std::min(0, -174 - top);
}
/// Returns by how much a sum of k products errs if entries of the vector became subnormal: such an entry loses at most
/// 2^-1075, and its partner is below 2^1024.
inline double vector_scale_error(Index k) { return static_cast<double>(k) * 0x1p-50; }

}  // namespace accublas::cpu
