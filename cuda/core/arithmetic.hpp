// Operations of the device with a direction of rounding or a trick behind them, by name. For .cu files only.
#pragma once

#include <cstdint>

#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

__device__ inline std::uint32_t high_word(double x) { return static_cast<std::uint32_t>(__double2hiint(x)); }
__device__ inline std::uint32_t low_word(double x) { return static_cast<std::uint32_t>(__double2loint(x)); }

/// Position of the leading one of x > 0.
__device__ inline int leading_one(std::uint32_t x) { return 31 - __clz(static_cast<int>(x)); }

/// Rounded towards +infinity or -infinity.
__device__ inline double add_up(double a, double b) { return __dadd_ru(a, b); }
__device__ inline double add_down(double a, double b) { return __dadd_rd(a, b); }
__device__ inline double multiply_up(double a, double b) { return __dmul_ru(a, b); }
__device__ inline double fma_up(double a, double b, double c) { return __fma_ru(a, b, c); }
__device__ inline double fma_down(double a, double b, double c) { return __fma_rd(a, b, c); }
__device__ inline double divide_up(double a, double b) { return __ddiv_ru(a, b); }
__device__ inline double sqrt_up(double a) { return __dsqrt_ru(a); }

/// Between 2^-450 and 2^450.
__device__ __forceinline__ bool is_moderate(double x) {
  constexpr std::uint32_t least = (1023u - 450) << 20, span = 900u << 20;
  return (high_word(x) & 0x7FFFFFFFu) - least < span;
}

/// Added to a number of magnitude at most 2^51, it leaves the number rounded to an integer, whose low 32 bits (two's
/// complement) are the low word of the sum.
inline constexpr double round_to_integer = 0x1.8p52;

/// 2^exponent as a product of two doubles, for entries of a line below 2^E with exponent + E <= 200, exponent >= -1100:
/// x first second, the first step exact, or far below what the second leaves visible.
struct PowerScale {
  double first, second;
};
__device__ inline PowerScale power_scale(int exponent) {
  // Above 900 the line is below 2^-700; below -1000 what the first step loses is under 2^-2000 of a unit.
  const int step = exponent > 900 ? 400 : exponent < -1000 ? -100 : 0;
  return {power_of_two(step), power_of_two(exponent - step)};
}

}  // namespace accublas::cuda
