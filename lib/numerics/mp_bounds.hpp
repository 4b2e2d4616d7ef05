// Error bounds of the published multiple-precision GEMV (Isupov and Knyazkov, Program Systems: Theory and Applications
// 11:3, 2020, section 5) as functions. Ours rounds once; its own bound is at the end.
#pragma once

#include <cmath>
#include <cstdint>

namespace accublas {

/// u = 4 / sqrt(M) for moduli of product M = 2^log2_m: their bound of one operation's relative error (6).
inline double published_unit(double log2_m) { return std::exp2(2 - log2_m / 2); }

/// gamma_{n+2} = (n + 2) u / (1 - (n + 2) u) (14): the factor of (16) and (18). Infinity where (n + 2) u is no less
/// than 1.
inline double published_gemv_factor(std::int64_t n, double log2_m) {
  const double nu = (static_cast<double>(n) + 2) * published_unit(log2_m);
  return nu < 1 ? nu / (1 - nu) * (1 + 0x1p-48) : HUGE_VAL;
}

/// (16), (18): the largest sum_i abs(y*_i - y_i) for magnitude = sum_i (abs(beta y_i) + sum_j abs(alpha a_ij x_j)),
/// which (18) writes as the norm of abs(alpha A) abs(x) + abs(beta y).
inline double published_absolute_bound(std::int64_t n, double log2_m, double magnitude) {
  return published_gemv_factor(n, log2_m) * magnitude;
}

/// (17), (19): the same relative to the norm of the exact result.
inline double published_relative_bound(std::int64_t n, double log2_m, double magnitude, double exact) {
  return published_gemv_factor(n, log2_m) * (magnitude / exact) * (1 + 0x1p-50);
}

/// Ours: abs(y*_i - y_i) <= 2^-p abs(y*_i) for every element within the range of exponents.
inline double rounded_once_bound(int precision) { return std::exp2(-precision); }

}  // namespace accublas
