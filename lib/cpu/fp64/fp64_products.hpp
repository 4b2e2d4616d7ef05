// Engine fp64, second half: exact products of digits by the real BLAS's DGEMM, and their exact sums.
//
// Why DGEMM is exact here whatever it does inside: all operands are integers, and in every sum that is formed the
// magnitudes of all terms together stay at or below 2^53, so that every partial sum, in any order, with or without FMA,
// in any blocking, is an integer that FP64 holds. Nothing is rounded, and nothing is subnormal, infinite or NaN. So
// OpenBLAS's worker threads, whose rounding mode, flush-to-zero bits and trap masks date from their creation, cannot
// change a bit.
#pragma once

#include <cstdint>

#include "lib/base/integers.hpp"
#include "lib/cpu/fp64/fp64_digits.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas::cpu {

/// Computes plane = A^T B, or plane += A^T B if `add`, for A of terms x m and B of terms x n, column-major.
void digit_product(Index m, Index n, Index terms, const double* a, Index lda, const double* b, Index ldb, bool add,
                   double* plane, Index ld);

/// Sizes of a block of C and of a chunk of the inner dimension.
struct BlockSizes {
  Index m, n, k;
};

/// Returns the cheapest sizes whose digits (`digits` per entry of A and of B) and planes (`planes` doubles per element
/// of C) fit in `bytes`, or the sizes that need the least bytes if none fit. With `marks` every block of C has a byte.
/// Bits do not depend on the sizes.
BlockSizes block_sizes(Index m, Index n, Index k, int digits, int planes, bool marks, std::size_t bytes);

/// Sets s to s 2^shift + value, for 0 < shift < 64.
template <int L>
inline void shift_add(Wide<L>& s, int shift, std::int64_t value) {
  for (int i = L - 1; i > 0; --i) s.limb[i] = s.limb[i] << shift | s.limb[i - 1] >> (64 - shift);
  s.limb[0] <<= shift;
  s = wide_add(s, wide_from<L>(value));
}

/// Returns the sum of level[l] 2^(shift (last - l)) over l = 0 .. last, for abs(level[l]) < 2^bits, bits <= 62 and 0 <
/// shift < 64. The leading levels are summed in 128 bits, which costs a third.
template <int L>
inline Wide<L> sum_of_levels(const std::int64_t* level, int last, int shift, int bits) {
  Int128 head = level[0];
  int l = 1;
  for (; l <= last && bits + shift < 126; ++l, bits += shift) head = head * (Int128{1} << shift) + level[l];
  const Uint128 h = static_cast<Uint128>(head);
  Wide<L> s = wide_cast<L>(Wide<2>{{static_cast<std::uint64_t>(h), static_cast<std::uint64_t>(h >> 64)}});
  for (; l <= last; ++l) shift_add(s, shift, level[l]);
  return s;
}

/// Adds value 2^shift to s, for 0 <= shift < 64 (L - 1) and abs(value) < 2^62.
template <int L>
inline void add_at(Wide<L>& s, std::int64_t value, int shift) {
  const Int128 v = static_cast<Int128>(value) * (static_cast<Int128>(1) << (shift & 63));
  const std::uint64_t fill = value < 0 ? ~std::uint64_t{0} : 0;
  Uint128 carry = 0;
  for (int i = shift >> 6, part = 0; i < L; ++i, ++part) {
    const std::uint64_t limb = part == 0   ? static_cast<std::uint64_t>(v)
                               : part == 1 ? static_cast<std::uint64_t>(static_cast<Uint128>(v) >> 64)
                                           : fill;
    const Uint128 t = carry + s.limb[i] + limb;
    s.limb[i] = static_cast<std::uint64_t>(t);
    carry = t >> 64;
    if (part >= 1 && carry == (fill & 1)) return;  // nothing changes further up
  }
}

/// Calls body(i, j) for the elements of an m x n block of C, in parallel.
template <class Body>
void for_elements(Index m, Index n, int threads, Body&& body) {
  constexpr Index strip = 256;
  const Index strips = ceil_div(m, strip);
  parallel_for(strips * n, threads, [&](Index task, int) {
    const Index j = task / strips, i0 = task % strips * strip, i1 = i0 + strip < m ? i0 + strip : m;
    for (Index i = i0; i < i1; ++i) body(i, j);
  });
}

/// Returns mode slices' rho, the least r with 4^r >= 2^53 k.
int slice_rho(Index k);

/// Computes slices:D or slices:D:fast, for any shape.
template <class T>
void slices_gemm(const Gemm<T>&, const Mode&, Execution&);

/// Computes fixed:T, dp or sp reproducible, or cr.
template <class T>
void levels_gemm(const Gemm<T>&, const Mode&, Execution&);

}  // namespace accublas::cpu
