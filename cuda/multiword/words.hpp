// Forms words of FP32 entries for the tensor cores, two entries at a time. Device code.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "cuda/multiword/product.hpp"
#include "lib/numerics/multiword.hpp"

namespace accublas::cuda::words {

/// In WordKind::tf32_half the second word is multiplied by this, so that it keeps all of its bits in FP16.
inline constexpr float second_scale = 0x1p12f;

/// Returns tf32_word() of a number below 2^127.
__device__ __forceinline__ float small_tf32_word(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xFFFFE000u);
}

__device__ __forceinline__ std::uint32_t as_bits(__half2 x) { return *reinterpret_cast<std::uint32_t*>(&x); }

/// The first and second words: of two entries in one register, or (tf32) of one entry in each register.
template <WordKind kind>
struct Pair;

template <>
struct Pair<WordKind::tf32> {
  std::uint32_t first[2], second[2];
  __device__ __forceinline__ Pair(float x, float y, float, float) {
    const float one = tf32_word(x), two = tf32_word(y);
    first[0] = __float_as_uint(one);
    first[1] = __float_as_uint(two);
    second[0] = __float_as_uint(small_tf32_word(x - one));
    second[1] = __float_as_uint(small_tf32_word(y - two));
  }
};

template <>
struct Pair<WordKind::tf32_half> {
  std::uint32_t first, second;
  __device__ __forceinline__ Pair(float x, float y, float x_scale, float y_scale) {
    const float a = x * x_scale, b = y * y_scale;
    const float one = small_tf32_word(a), two = small_tf32_word(b);
    first = as_bits(__floats2half2_rn(one, two));
    second = as_bits(__floats2half2_rn((a - one) * second_scale, (b - two) * second_scale));
  }
};

template <>
struct Pair<WordKind::half> {
  std::uint32_t first, second;
  __device__ __forceinline__ Pair(float x, float y, float x_scale, float y_scale) {
    const float a = x * x_scale, b = y * y_scale;
    const __half2 words = __floats2half2_rn(a, b);
    const float2 back = __half22float2(words);
    first = as_bits(words);
    second = as_bits(__floats2half2_rn(a - back.x, b - back.y));
  }
};

/// Lines of FP16 words are below 2^half_top.
inline constexpr int half_top = multiword_scale({MultiwordFormat::fp16, 1}, 0);

/// Returns the factors that bring a line below 2^exponent to 2^half_top; the first one suffices if the scale is a
/// float.
__device__ __forceinline__ float2 scale_factors(int exponent) {
  const int power = half_top - exponent, first = min(power, 127);
  return {__int_as_float((127 + first) << 23), __int_as_float((127 + power - first) << 23)};
}

}  // namespace accublas::cuda::words
