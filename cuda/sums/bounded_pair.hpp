// Pairs with bounds of their errors. For .cu files.
#pragma once

#include "cuda/sums/dot2_pair.hpp"
#include "cuda/sums/pair_sums.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cuda {

/// The type whose arithmetic sums products of numbers of type T: T in dot2, double in cr.
template <class T, bool cr>
using SumType = std::conditional_t<cr, double, T>;

/// A pair, and for cr a bound of its distance from the sum.
template <class T, bool cr>
struct BoundedPair {
  Pair pair{0, 0};
  double error = 0;

  __device__ void add(const BoundedPair& other) {
    const Pair sum = combine<SumType<T, cr>>(pair, other.pair);
    // The factor covers two roundings of c.
    if (cr) error = (error + other.error + (fabs(pair.c) + fabs(other.pair.c) + fabs(sum.c)) * 0x1p-52) * (1 + 0x1p-50);
    pair = sum;
  }
};

/// A sum of at most dot2_block products, in cr with a sum before them. It takes dot2's steps. In cr `magnitude` is at
/// least the sum of the magnitudes, and zero only if every product is zero.
template <class T, bool cr>
struct Chain {
  static constexpr Dot2Bound bound = dot2_bound(dot2_block + 2, dot2_block, unit_roundoff_double);

  Pair pair{0, 0};
  double magnitude = 0;

  /// Starts a chain of cr from a sum, whose error counts as a magnitude. The steps err by no more than dot2's, with the
  /// pair's s as one more term, and by 2^-45 of its c.
  __device__ static Chain from(const BoundedPair<T, true>& sum) {
    constexpr double counts = 1 / bound.componentwise;
    return {sum.pair, (fabs(sum.pair.s) + (sum.error + fabs(sum.pair.c) * 0x1p-45) * counts) * (1 + 0x1p-50)};
  }
  __device__ __forceinline__ void step(T x, T y) {
    if (cr) magnitude = __fma_ru(fabs(static_cast<double>(x)), fabs(static_cast<double>(y)), magnitude);
    cuda::step<SumType<T, cr>>(pair, x, y);
  }
  __device__ BoundedPair<T, cr> bounded() const {
    return {pair, cr && magnitude != 0 ? magnitude * (bound.componentwise * (1 + 0x1p-40)) + bound.absolute : 0};
  }
};

template <class T, bool cr>
__device__ BoundedPair<T, cr> load_sum(const PairSums& sums, Index at) {
  const double2 v = sums.pair[at];
  return {{v.x, v.y}, cr ? sums.error[at] : 0};
}
template <class T, bool cr>
__device__ void store_sum(const PairSums& sums, Index at, const BoundedPair<T, cr>& sum) {
  sums.pair[at] = {sum.pair.s, sum.pair.c};
  if (cr) sums.error[at] = sum.error;
}

}  // namespace accublas::cuda
