// Arithmetic of the factorizations in dp and sp: plain operations of the type, each rounded. For .cu files.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/core/arithmetic.hpp"
#include "lib/numerics/complex.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

/// Returns the bits of abs(x), or of abs(Re) + abs(Im) if x is complex, ordered by size. Any NaN is the largest.
template <class E>
__device__ __forceinline__ std::uint64_t size_bits(const E& x) {
  RealOf<E> size;
  if constexpr (is_complex<E>)
    size = fabs(x.re) + fabs(x.im);
  else
    size = fabs(x);
  return size == size ? to_bits(size) : FloatFormat<RealOf<E>>::quiet_nan;
}

/// Returns c - x y.
template <class T>
__device__ __forceinline__ T less_product(T c, T x, T y) {
  return fma(-x, y, c);
}
template <class T>
__device__ __forceinline__ Complex<T> less_product(const Complex<T>& c, const Complex<T>& x, const Complex<T>& y) {
  return {fma(x.im, y.im, fma(-x.re, y.re, c.re)), fma(-x.im, y.re, fma(-x.re, y.im, c.im))};
}

/// Returns what quotients by y need in addition to y.
template <class T>
__device__ __forceinline__ T inverse_of(T y) {
  return 1 / y;
}
template <class T>
__device__ __forceinline__ T inverse_of(const Complex<T>&) {
  return 0;
}

/// Returns RN(x / y) for y not zero and inverse = RN(1 / y). The second quotient is one of the two numbers around x /
/// y; its residual is exact, so that the last correction rounds correctly (Markstein).
__device__ __forceinline__ double quotient(double x, double y, double inverse) {
  if (!is_moderate(y) || !(is_moderate(x) || x == 0)) return x / y;
  double q = x * inverse;
  q = fma(fma(-q, y, x), inverse, q);
  return fma(fma(-q, y, x), inverse, q);
}
__device__ __forceinline__ float quotient(float x, float y, float) { return x / y; }
/// Returns x / y for y not zero, within 8 u abs(x / y) if nothing underflows. y is scaled near 1, so that each part of
/// its reciprocal has three roundings.
template <class T>
__device__ __forceinline__ Complex<T> quotient(const Complex<T>& x, const Complex<T>& y, T) {
  constexpr int most = sizeof(T) == 8 ? 1020 : 124;
  const int exponent = ilogb(fmax(fabs(y.re), fabs(y.im)));
  const T scale = ldexp(T(1), -(exponent > most ? most : exponent < -most ? -most : exponent));
  const T re = y.re * scale, im = y.im * scale, norm = re * re + im * im;
  const T inverse_re = re / norm, inverse_im = -im / norm, x_re = x.re * scale, x_im = x.im * scale;
  return {fma(-x_im, inverse_im, x_re * inverse_re), fma(x_im, inverse_re, x_re * inverse_im)};
}

}  // namespace accublas::cuda
