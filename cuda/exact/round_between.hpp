// Ziv's test of a sum of two doubles with a bound of its error, in a few operations. Device code.
#pragma once

#include "cuda/core/arithmetic.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Returns whether 2^low < abs(x) < 2^high or so, and x is not NaN.
__device__ inline bool within(double x, int low, int high) {
  return (high_word(x) >> 20 & 0x7FF) - static_cast<unsigned>(1023 + low) < static_cast<unsigned>(high - low);
}

/// Returns x times +-2^e, for `scale` = e 2^20, plus 2^31 for a negative sign. Both x and the result are normal.
__device__ inline double scaled(double x, unsigned scale) {
  return __hiloint2double(static_cast<int>(high_word(x) + scale), static_cast<int>(low_word(x)));
}

/// Finds the value v of type T that every number of scale [head + tail - b, head + tail + b] rounds to, where b is
/// `bound` less 2^-51 (abs(tail) + bound): the roundings of tail - bound and tail + bound take that part. Returns false
/// if there is no such v, or the bound is NaN. The double results before and after scaling exceed 2^-1022 in magnitude.
template <class T>
__device__ __forceinline__ bool round_between(double head, double tail, double bound, unsigned scale, T* out) {
  if constexpr (sizeof(T) == 8) {
    const double above = __dadd_rn(head, __dadd_rn(tail, bound));
    *out = scaled(above, scale);
    return __dadd_rn(head, __dsub_rn(tail, bound)) == above;
  } else {
    // Two roundings, to double and to single precision, act as one if the interval has another unit of double on both
    // sides.
    const double wider = __fma_rn(fabs(head), 0x1p-51, bound);
    const T below = static_cast<T>(scaled(__dadd_rn(head, __dsub_rn(tail, wider)), scale));
    *out = static_cast<T>(scaled(__dadd_rn(head, __dadd_rn(tail, wider)), scale));
    return to_bits(below) == to_bits(*out) && !is_nan(*out);
  }
}

#endif

}  // namespace accublas::cuda
