// Error bounds of the published multiple-precision GEMV (Isupov and Knyazkov, Program Systems: Theory and Applications
// 11:3, 2020, section 5) as functions, in binary logarithms: from 1075 bits on the bounds themselves leave the range of
// doubles. Ours, which rounds once, is half a unit in the last place.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace accublas {

/// What the logarithms below are raised by, so that they stay bounds: below 2^14 they are off by less than 2^-38.
inline constexpr double log2_slack = 0x1p-36;

/// log2 of u = 4 / sqrt(M) for moduli of product M = 2^log2_m: their bound of one operation's relative error (6).
inline double published_log2_unit(double log2_m) { return 2 - log2_m / 2; }

/// log2 of gamma_{n+2} = (n + 2) u / (1 - (n + 2) u) (14): the factor of (16) to (19). Infinity where (n + 2) u is no
/// less than 1.
inline double published_log2_factor(std::int64_t n, double log2_m) {
  const double log2_nu = std::log2(static_cast<double>(n) + 2) + published_log2_unit(log2_m);
  return log2_nu < 0 ? log2_nu - std::log1p(-std::exp2(log2_nu)) * std::numbers::log2e + log2_slack : HUGE_VAL;
}

/// (16), (18): log2 of the largest sum_i abs(y*_i - y_i), from that of the magnitude sum_i (abs(beta y_i) + sum_j
/// abs(alpha a_ij x_j)), which (18) writes as the norm of abs(alpha A) abs(x) + abs(beta y).
inline double published_log2_absolute_bound(std::int64_t n, double log2_m, double log2_magnitude) {
  return published_log2_factor(n, log2_m) + log2_magnitude;
}

/// (17), (19): the same relative to the norm of the exact result.
inline double published_log2_relative_bound(std::int64_t n, double log2_m, double log2_magnitude, double log2_exact) {
  return published_log2_absolute_bound(n, log2_m, log2_magnitude) - log2_exact;
}

}  // namespace accublas
