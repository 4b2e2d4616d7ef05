// Ziv's test for the engines of cr that sum in floating point.
#pragma once

#include "lib/numerics/triple_sum.hpp"

namespace accublas {

/// Computes RN(alpha S 2^exponent + beta c). Returns true if the interval of `sum` decides it.
template <class T>
ACCUBLAS_HD bool ziv_test(T alpha, TripleSum sum, T beta, T c, T* out, int exponent = 0) {
  if (!triple_known(sum)) return false;
  return finish_triple(alpha, sum, exponent, beta, c, out);
}

/// Rounds a number within `error` of x.high + x.low. Returns true if the interval decides it. *out is near the number
/// in any case.
template <class T>
ACCUBLAS_HD bool ziv_test(const DoublePair& x, double error, T* out) {
  // The enlargement covers the roundings of both ends below. For float, the second term covers the rounding to double
  // before.
  double wide = (error + absolute(x.low) * 0x1p-52) * (1 + 0x1p-50);
  if (sizeof(T) != sizeof(double)) wide += absolute(x.high) * 0x1p-51;
  const T low = static_cast<T>(add_rn(x.high, add_rn(x.low, -wide))),
          high = static_cast<T>(add_rn(x.high, add_rn(x.low, wide)));
  const bool decided = to_bits(low) == to_bits(high) && !is_zero(low) && is_finite(low);
  *out = decided ? low : static_cast<T>(add_rn(x.high, x.low));
  return decided;
}

}  // namespace accublas
