// Arithmetic that all panels of QR share. Device code.
#pragma once

namespace accublas::cuda {

inline constexpr int lanes = 32;

/// Returns an exponent e such that x 2^-e is near 1, for x > 0; limited to 1000 (single precision: 120) in magnitude.
/// Returns 0 for zero and NaN.
template <class T>
__device__ __forceinline__ int exponent_of(T x) {
  constexpr int most = sizeof(T) == 8 ? 1000 : 120;
  if (!(x > 0)) return 0;
  const int exponent = ilogb(x);
  return exponent > most ? most : exponent < -most ? -most : exponent;
}
/// Returns 2^exponent.
template <class T>
__device__ __forceinline__ T power(int exponent) {
  return ldexp(T(1), exponent);
}
/// Returns the bound below which the square of a norm may have lost squares of elements to underflow.
template <class T>
constexpr T least_square() {
  return sizeof(T) == 8 ? T(0x1p-900) : T(0x1p-80);
}

/// Returns to lane i the reduction of value(i % count) over all lanes. The arguments of `value` are constants to the
/// compiler.
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
