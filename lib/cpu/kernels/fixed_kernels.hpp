// The loops of fixed:T's DOT and GEMV, one table per instruction set; every table computes the same bits.
#pragma once

#include "lib/call/problem.hpp"
#include "lib/cpu/kernels/kernel_tables.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cpu {

/// Rounding of a row to T bits: entries times factor1 factor2 = 2^-E, below 1 in magnitude then, to multiples of 2^-T,
/// ties to even. magic = 2^(52 - T): in [magic, 2 magic) doubles are the multiples of 2^-T, and from there on nothing
/// rounds.
struct FixedScale {
  double factor1, factor2, magic;
};

/// How a line is rounded whose largest magnitude is below 2^exponent.
constexpr FixedScale fixed_scale(int exponent, int bits) {
  const int e = -exponent, half = e / 2;
  const bool one = e >= -1000 && e <= 1000;
  return {power_of_two(one ? e : half), power_of_two(one ? 0 : e - half), power_of_two(52 - bits)};
}

template <class T>
struct FixedKernels {
  /// The largest abs(x[i stride]), i < n, as bits: order and NaN, Inf as in the bits.
  std::uint64_t (*largest)(Index n, const T* x, Index stride);
  /// out[i] = x[i stride] rounded, i < n.
  void (*round)(Index n, const T* x, Index stride, const FixedScale& scale, double* out);
};

ACCUBLAS_DECLARE_KERNELS(FixedKernels<double>)
ACCUBLAS_DECLARE_KERNELS(FixedKernels<float>)

}  // namespace accublas::cpu
