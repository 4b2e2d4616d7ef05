// Takes slices of an entry in integers, on mantissa and exponent: no power of two needs to be a double. Device code.
#pragma once

#include <cstdint>

#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

inline constexpr int most_slices = 50;  ///< the most slices of the mode

#ifdef __CUDACC__

/// The remainder of an entry: mantissa 2^exponent, abs(mantissa) < 2^53.
struct Remainder {
  std::int64_t mantissa;
  int exponent;

  template <class T>
  __device__ explicit Remainder(T x) {
    const Decoded d = decode(x);
    mantissa = static_cast<std::int64_t>(d.negative ? -d.mantissa : d.mantissa);
    exponent = d.exponent;
  }

  /// Subtracts the nearest multiple of 2^grid, ties to even, and returns it divided by 2^grid. abs(x) <= 2^(grid + 26).
  __device__ std::int64_t take(int grid) {
    const int drop = grid - exponent;
    if (mantissa == 0 || drop >= 55) return 0;
    std::int64_t taken;
    if (drop <= 0) {
      taken = mantissa << -drop;
      mantissa = 0;
    } else {
      const std::uint64_t magnitude = static_cast<std::uint64_t>(mantissa < 0 ? -mantissa : mantissa);
      const std::uint64_t half = std::uint64_t{1} << (drop - 1), rest = magnitude & (2 * half - 1);
      std::uint64_t q = magnitude >> drop;
      q += rest > half || (rest == half && (q & 1) != 0);
      taken = mantissa < 0 ? -static_cast<std::int64_t>(q) : static_cast<std::int64_t>(q);
      mantissa -= taken << drop;
    }
    return taken;
  }

  /// Returns the least t with abs(x) <= 2^t; x must not be zero.
  __device__ int ceil_log2() const {
    const std::uint64_t magnitude = static_cast<std::uint64_t>(mantissa < 0 ? -mantissa : mantissa);
    return exponent + 64 - leading_zeros(magnitude - 1);
  }
};

#endif

}  // namespace accublas::cuda
