// Solves for a few unknowns of a triangular system in binary64, with a right-hand side a thread. Device code.
#pragma once

#include <cstdint>

#include "cuda/core/arithmetic.hpp"

namespace accublas::cuda {

/// Negates a number by its sign bit alone, which costs no binary64 operation.
__device__ __forceinline__ double negated(double x) {
  return __hiloint2double(__double2hiint(x) ^ static_cast<int>(0x80000000u), __double2loint(x));
}
/// Returns the quotient of a number that is moderate or zero and a moderate divisor whose reciprocal, within two ulps,
/// is given. The result is within half an ulp and some 2^-50 of one of the exact quotient. The first quotient is at
/// most 3.5 ulp away; its residual and the final correction have one rounding each. Nothing overflows or underflows.
__device__ __forceinline__ double divide_by_reciprocal(double number, double divisor, double reciprocal) {
  const double quotient = __dmul_rn(number, reciprocal);
  return __fma_rn(__fma_rn(-quotient, divisor, number), reciprocal, quotient);
}
/// Returns whether divide_by_reciprocal is accurate for a numerator: the number is moderate or zero.
__device__ __forceinline__ bool is_moderate_or_zero(double x) {
  return is_moderate(x) | (__double_as_longlong(x) << 1 == 0);
}
/// Returns the rounded reciprocal, or NaN if divide_by_reciprocal must not be used.
__device__ __forceinline__ double reciprocal_of(double divisor) {
  return is_moderate(divisor) ? __drcp_rn(divisor) : __longlong_as_double(0x7FF8000000000000ll);
}

/// Solves for `count` unknowns: each is its number less the contributions of the unknowns before it. x(i) is an element
/// in memory, a(i, j), j <= i, a matrix element, and reciprocal(i) is reciprocal_of(a(i, i)). All lanes of a warp call
/// it, each for one right-hand side. Each unknown subtracts a_ij x_j one after the other in FMAs, then takes the
/// quotient.
template <int count, class Element, class Unknown, class Reciprocal>
__device__ __forceinline__ void substitute(const Element& a, const Unknown& x, const Reciprocal& reciprocal) {
  double number[count];
#pragma unroll
  for (int i = 0; i < count; ++i) number[i] = x(i);
  bool sure = !isnan(reciprocal(static_cast<int>(threadIdx.x) % count));
#pragma unroll
  for (int j = 0; j < count; ++j) {
    // These tests have no branches, so that they do not delay the chain of unknowns.
    sure &= is_moderate_or_zero(number[j]);
    number[j] = divide_by_reciprocal(number[j], a(j, j), reciprocal(j));
#pragma unroll
    for (int i = j + 1; i < count; ++i) number[i] = __fma_rn(-a(i, j), number[j], number[i]);
  }
  if (__all_sync(0xFFFFFFFFu, sure)) {
#pragma unroll
    for (int i = 0; i < count; ++i) x(i) = number[i];
    return;
  }
  // Otherwise IEEE divisions serve any numbers.
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    double sum = x(i);
#pragma unroll 1
    for (int j = 0; j < i; ++j) sum = __fma_rn(-a(i, j), x(j), sum);
    x(i) = __ddiv_rn(sum, a(i, i));
  }
}

}  // namespace accublas::cuda
