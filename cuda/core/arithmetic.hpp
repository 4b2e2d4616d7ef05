// This header names device operations that round in a chosen direction or rest on a trick. For .cu files only.
#pragma once

#include <cstdint>

#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

__device__ inline std::uint32_t high_word(double x) { return static_cast<std::uint32_t>(__double2hiint(x)); }
__device__ inline std::uint32_t low_word(double x) { return static_cast<std::uint32_t>(__double2loint(x)); }

/// Returns the position of the leading one of x > 0.
__device__ inline int leading_one(std::uint32_t x) { return 31 - __clz(static_cast<int>(x)); }

/// Each of these operations rounds towards +infinity (_up) or towards -infinity (_down).
__device__ inline double add_up(double a, double b) { return __dadd_ru(a, b); }
__device__ inline double add_down(double a, double b) { return __dadd_rd(a, b); }
__device__ inline double multiply_up(double a, double b) { return __dmul_ru(a, b); }
__device__ inline double fma_up(double a, double b, double c) { return __fma_ru(a, b, c); }
__device__ inline double fma_down(double a, double b, double c) { return __fma_rd(a, b, c); }
__device__ inline double divide_up(double a, double b) { return __ddiv_ru(a, b); }
__device__ inline double sqrt_up(double a) { return __dsqrt_ru(a); }

/// Returns whether abs(x) lies between 2^-450 and 2^450.
__device__ __forceinline__ bool is_moderate(double x) {
  constexpr std::uint32_t least = (1023u - 450) << 20, span = 900u << 20;
  return (high_word(x) & 0x7FFFFFFFu) - least < span;
}

/// Adding this constant to a number of magnitude at most 2^51 rounds the number to an integer. The low word of the sum
/// holds the low 32 bits (two's complement) of that integer.
inline constexpr double round_to_integer = 0x1.8p52;

/// Holds 2^exponent as a product of two doubles, for entries of a line below 2^E with exponent + E <= 200 and exponent
/// >= -1200. The scaled entry is x first second. The first multiplication is exact, or its error is far below what the
/// second one leaves visible.
struct PowerScale {
  double first, second;
};
__device__ inline PowerScale power_scale(int exponent) {
  // Above 900 the line is below 2^-700; below -1000 the first step loses less than 2^-1800 of a unit.
  const int step = exponent > 900 ? 400 : exponent < -1000 ? -200 : 0;
  return {power_of_two(step), power_of_two(exponent - step)};
}

}  // namespace accublas::cuda
