// Arithmetic that all panels of QR share. Device code.
#pragma once

namespace accublas::cuda {

inline constexpr int lanes = 32;

/// A power of two that brings a number near 1; zero, Inf and NaN have none.
template <class T>
__device__ __forceinline__ int exponent_of(T x) {
  constexpr int most = sizeof(T) == 8 ? 1000 : 120;
  if (!(x > 0)) return 0;
  const int exponent = ilogb(x);
  return exponent > most ? most : exponent < -most ? -most : exponent;
}
template <class T>
__device__ __forceinline__ T power(int exponent) {
  return ldexp(T(1), exponent);
}
/// Squares of norms below this are made of numbers whose squares underflow.
template <class T>
constexpr T least_square() {
  return sizeof(T) == 8 ? T(0x1p-900) : T(0x1p-80);
}

/// Lane i gets the reduction over the lanes of value(i % count), numbers below `count` known to the compiler.
template <int count, class T, class Value, class Operation>
__device__ __forceinline__ T reduce_to_lanes(Value&& value, Operation&& operation) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  T part[count / 2];
  const auto fold = [&](T low, T high, int distance) {
    const bool upper = (lane & distance) != 0;
    const T other = __shfl_xor_sync(0xFFFFFFFFu, upper ? low : high, distance);
    return operation(upper ? high : low, other);
  };
#pragma unroll
  for (int i = 0; i < count / 2; ++i) part[i] = fold(value(i), value(i + count / 2), count / 2);
#pragma unroll
  for (int distance = count / 4; distance > 0; distance /= 2)
#pragma unroll
    for (int i = 0; i < count / 4; ++i)
      if (i < distance) part[i] = fold(part[i], part[i + distance], distance);
#pragma unroll
  for (int distance = count; distance < lanes; distance *= 2)
    part[0] = operation(part[0], __shfl_xor_sync(0xFFFFFFFFu, part[0], distance));
  return part[0];
}

}  // namespace accublas::cuda
