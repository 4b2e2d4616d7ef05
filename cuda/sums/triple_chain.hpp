// Sums of products in three words, for sums that two words do not decide: after cancellation, and for ties. For .cu
// files.
#pragma once

#include "cuda/sums/bounded_pair.hpp"
#include "lib/numerics/triple_sum.hpp"

namespace accublas::cuda {

/// A sum of products in three words (Ogita, Rump, Oishi 2005, with K = 3). It takes some 36 operations a term. Every
/// step is error free but for two roundings, at most, to the third word. Their magnitudes are added to the error, so
/// that it needs no bound in advance. The error of a sum that three words hold is therefore zero, and ties are decided.
/// The third word of a sum of n terms is below some n^2 2^-106 times the sum of their magnitudes, and each of n
/// roundings is below 2^-53 of it.
struct TripleChain {
  TripleSum sum{0, 0, 0, 0};

  __device__ __forceinline__ void step(double x, double y) {
    const DoublePair product = two_product(x, y), first = two_sum(sum.a1, product.high),
                     low = two_sum(first.low, product.low), second = two_sum(sum.a2, low.high),
                     rest = two_sum(low.low, second.low), third = two_sum(sum.a3, rest.high);
    // A product below 2^-960 may have bits below the least subnormal number, and loses less than that.
    const bool underflows = fabs(product.high) < 0x1p-960 && !is_zero(x) && !is_zero(y);
    sum = {first.high, second.high, third.high,
           __dadd_ru(sum.error, __dadd_ru(__dadd_ru(fabs(rest.low), fabs(third.low)), underflows ? 0x1p-1074 : 0.0))};
  }
};

/// Returns the two leading words of a sum. The rest is added to the error.
template <class T>
__device__ BoundedPair<T, true> leading_pair(const TripleSum& sum) {
  const DoublePair x = two_sum(sum.a2, sum.a3), y = two_sum(sum.a1, x.high), z = two_sum(y.low, x.low),
                   w = two_sum(y.high, z.high);
  return {{w.high, w.low}, __dadd_ru(sum.error, fabs(z.low))};
}

}  // namespace accublas::cuda
