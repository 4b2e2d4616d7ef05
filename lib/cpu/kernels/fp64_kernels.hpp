// The inner loops that cut entries into digits, one table per instruction set. Elementwise and exact but for the one
// rounding to the grid, so every table computes the same bits.
#pragma once

#include <cstdint>

#include "lib/call/problem.hpp"
#include "lib/cpu/kernels/kernel_tables.hpp"

namespace accublas::cpu {

struct DigitKernels {
  /// Takes from x[0..n) its nearest multiples of the grid that sigma = 1.5 2^52 grids stands for, ties to even; digit
  /// (unless null) receives them times unit_a unit_b. Returns the OR of the bits of all that was taken, sign aside.
  std::uint64_t (*take)(double* x, double* digit, Index n, double sigma, double unit_a, double unit_b);
  /// The bits of the largest magnitude; of an Inf or NaN, where there is one.
  std::uint64_t (*largest)(const double* x, Index n);
};

ACCUBLAS_DECLARE_KERNELS(DigitKernels)

}  // namespace accublas::cpu
