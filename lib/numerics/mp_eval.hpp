// The interval evaluation of X / M (Isupov 2020): two doubles around it, from the leading 64 bits of X. Host and device
// run the same operations and return the same bits.
#pragma once

#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// lower <= 2^(p - 53) / M <= upper, both normal: M < 2^(p + 34) for the moduli of an element.
struct EvalFactor {
  double lower, upper;
};

struct Interval {
  double lower, upper;
};

/// X = (top + t) 2^(p - 64), 0 <= t < 1, top >= 2^63. The leading 53 bits m of top give m 2^(p-53) <= X < (m + 1)
/// 2^(p-53); each product is rounded to nearest, so the neighbouring double is a bound.
ACCUBLAS_HD inline Interval evaluate(std::uint64_t top, const EvalFactor& factor) {
  const double m = static_cast<double>(top >> 11), next = static_cast<double>((top >> 11) + 1);
#ifdef __CUDA_ARCH__
  const double lower = __dmul_rn(m, factor.lower), upper = __dmul_rn(next, factor.upper);
#else
  const double lower = m * factor.lower, upper = next * factor.upper;
#endif
  return {from_bits<double>(to_bits(lower) - 1), from_bits<double>(to_bits(upper) + 1)};
}

}  // namespace accublas
