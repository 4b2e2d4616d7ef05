// Fixed-point scaling of a row or column to T bits (docs/modes.md, fixed:T): exponents, rounded entries, dropped bits.
// Everything is formed on mantissa and exponent, so no power of two needs to be a double, and subnormals count by value.
#pragma once

#include <cstdint>

#include "lib/numerics/host_device.hpp"
#include "lib/test_hooks.hpp"

namespace accublas {

/// A finite number as mantissa * 2^exponent, the mantissa with its sign; exponent of the type's last place.
struct Decomposed {
  std::int64_t mantissa;
  int exponent;
};

namespace scaling_detail {

ACCUBLAS_HD inline std::uint64_t bits_of(double x) {
  std::uint64_t b;
  __builtin_memcpy(&b, &x, sizeof b);
  return b;
}

ACCUBLAS_HD inline int floor_log2(std::uint64_t x) {  // x > 0
  int r = 0;
  for (int s = 32; s > 0; s /= 2) {
    if (x >> s) {
      x >>= s;
      r += s;
    }
  }
  return r;
}

}  // namespace scaling_detail

/// x finite. floats are widened first, which is exact.
ACCUBLAS_HD inline Decomposed decompose(double x) {
  const std::uint64_t b = scaling_detail::bits_of(x);
  const int field = static_cast<int>(b >> 52 & 0x7FF);
  std::uint64_t m = b & 0xFFFFFFFFFFFFFull;
  if (field > 0) m |= 1ull << 52;
  const std::int64_t s = static_cast<std::int64_t>(m);
  return {b >> 63 ? -s : s, (field > 0 ? field : 1) - 1075};
}

/// The least integer E with abs(x) < 2^E; x finite and not zero. The E_i of a row is that of its largest magnitude.
ACCUBLAS_HD inline int exponent_above(double x) {
  const Decomposed d = decompose(x);
  const std::uint64_t m = static_cast<std::uint64_t>(d.mantissa < 0 ? -d.mantissa : d.mantissa);
  const int e = d.exponent + scaling_detail::floor_log2(m) + 1;
  if (mutant(Mutant::exponent_power_of_two) && (m & (m - 1)) == 0) return e - 1;
  return e;
}

/// The largest integer e such that x is a multiple of 2^e; x finite and not zero. With the least such e over a row, no bit
/// is dropped at T exactly if e >= E - T.
ACCUBLAS_HD inline int exponent_of_last_bit(double x) {
  const Decomposed d = decompose(x);
  std::uint64_t m = static_cast<std::uint64_t>(d.mantissa);
  m &= ~m + 1;
  return d.exponent + scaling_detail::floor_log2(m);
}

/// An integer mantissa * 2^shift, shift >= 0.
struct ScaledInteger {
  std::int64_t mantissa;
  int shift;
};

/// a' = the integer nearest to a 2^(T - E), ties to even; a finite, abs(a) < 2^E. abs(a') <= 2^T, abs(mantissa) <= 2^53,
/// shift <= T.
ACCUBLAS_HD inline ScaledInteger scale_entry(double a, int exponent, int t) {
  const Decomposed d = decompose(a);
  const int shift = d.exponent + t - exponent;
  if (d.mantissa == 0) return {0, 0};
  if (shift >= 0) return {d.mantissa, shift};
  if (shift < -54) return {0, 0};  // abs(a 2^(T - E)) < 2^53 2^-55
  const std::uint64_t m = static_cast<std::uint64_t>(d.mantissa < 0 ? -d.mantissa : d.mantissa);
  const int right = -shift;
  const std::uint64_t half = 1ull << (right - 1);
  const std::uint64_t rest = m & (2 * half - 1);
  std::uint64_t q = m >> right;
  if (rest > half || (rest == half && ((q & 1) || mutant(Mutant::scale_tie_away)))) ++q;
  const std::int64_t s = static_cast<std::int64_t>(q);
  return {d.mantissa < 0 ? -s : s, 0};
}

}  // namespace accublas
