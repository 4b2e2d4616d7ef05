// Upper bounds of Euclidean norms, and sums of products, on the host and on devices. A device computes them in parts.
#pragma once

#include "lib/numerics/outward.hpp"
#include "lib/numerics/powers_of_two.hpp"

namespace accublas {

/// An upper bound of the square root of x >= 0; a lower bound.
ACCUBLAS_HD inline double sqrt_up(double x) { return x == 0 ? 0 : above(std::sqrt(x)); }
ACCUBLAS_HD inline double sqrt_down(double x) { return below(std::sqrt(x)); }

/// An upper bound of the Euclidean norm of the numbers x[0] .. x[count - 1]; infinity if one of them is not finite. The
/// norm of bounds of the norms of parts is a bound of the norm of the whole.
template <class X>
ACCUBLAS_HD double norm_up(std::int64_t count, const X& x) {
  double largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(x[i]));
  if (largest == HUGE_VAL) return HUGE_VAL;
  // Scaled by 2^-e the largest number lies in [2^-75, 1), so what underflows below is covered by the terms of sum_up.
  const int e = largest == 0 ? 0 : std::max(exponent_of(largest), -1000);
  const double factor = std::ldexp(1.0, -(e / 2)), rest = std::ldexp(1.0, -(e - e / 2));
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double scaled = x[i] * factor * rest;
    sum += scaled * scaled;
  }
  if (largest == 0 && sum == 0) return 0;
  const double norm = scale_up(sqrt_up(sum_up(sum, count)), e);
  return norm < HUGE_VAL ? norm : HUGE_VAL;  // a NaN has passed the search for the largest number
}

/// Every stride-th number from `data` on.
struct EveryNumber {
  const double* data;
  std::int64_t stride;
  ACCUBLAS_HD double operator[](std::int64_t i) const { return data[i * stride]; }
};

}  // namespace accublas
