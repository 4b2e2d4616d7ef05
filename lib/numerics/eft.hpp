// Error-free transformations (Knuth 1969, Dekker 1971; names after Ogita, Rump, Oishi 2005) for binary64, round to
// nearest. The operations are named functions, so that no compiler flag can contract them on a device.
#pragma once

#include <cmath>

#include "lib/base/host_device.hpp"

namespace accublas {

ACCUBLAS_HD inline double add_rn(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

ACCUBLAS_HD inline double mul_rn(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

ACCUBLAS_HD inline double fma_rn(double a, double b, double c) {
#ifdef __CUDA_ARCH__
  return __fma_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

/// An unevaluated sum high + low.
struct DoublePair {
  double high, low;
};

/// a + b = high + low exactly, high = RN(a + b), unless high overflows. 6 operations.
ACCUBLAS_HD inline DoublePair two_sum(double a, double b) {
  const double s = add_rn(a, b);
  const double t = add_rn(s, -a);
  return {s, add_rn(add_rn(a, -add_rn(s, -t)), add_rn(b, -t))};
}

/// a + b = high + low exactly, high = RN(a + b), if abs(a) >= abs(b) or a = 0 and high does not overflow. 3 operations.
ACCUBLAS_HD inline DoublePair fast_two_sum(double a, double b) {
  const double s = add_rn(a, b);
  return {s, add_rn(b, -add_rn(s, -a))};
}

/// a b = high + low exactly, high = RN(a b), unless a b overflows or has bits below 2^-1074. 2 operations.
ACCUBLAS_HD inline DoublePair two_product(double a, double b) {
  const double p = mul_rn(a, b);
  return {p, fma_rn(a, b, -p)};
}

}  // namespace accublas
