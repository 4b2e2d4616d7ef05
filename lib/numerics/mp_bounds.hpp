// Error bounds of the published multiple-precision GEMV (Isupov and Knyazkov, Program Systems: Theory and Applications
// 11:3, 2020, section 5) as functions, in binary logarithms: from 1075 bits on the bounds themselves leave the range of
// doubles. accublas rounds once, so its own bound is half a unit in the last place.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "lib/numerics/eft.hpp"

namespace accublas {

/// The least double that is no less than a + b.
inline double add_up(double a, double b) {
  const DoublePair sum = std::fabs(a) >= std::fabs(b) ? fast_two_sum(a, b) : fast_two_sum(b, a);
  const bool below = sum.low > 0 || (sum.high == -HUGE_VAL && a > sum.high && b > sum.high);
  return below ? std::nextafter(sum.high, HUGE_VAL) : sum.high;
}

/// More than the error of a logarithm below, whose magnitude is at most 2^6.
inline constexpr double log2_slack = 0x1p-44;

/// log2 of u = 4 / sqrt(M) for moduli of product M = 2^log2_m, rounded upwards. u is the paper's bound of the relative
/// error of one operation (6).
inline double published_log2_unit(double log2_m) { return add_up(2, -log2_m / 2); }

/// log2 of gamma_{n+2} = (n + 2) u / (1 - (n + 2) u) (14), the factor of (16) to (19); never below the exact value. The
/// function returns infinity if (n + 2) u, computed upwards, is not below 1.
inline double published_log2_factor(std::int64_t n, double log2_m) {
  const double log2_terms = std::log2(static_cast<double>(n) + 2) + log2_slack;
  const double log2_nu = add_up(log2_terms, published_log2_unit(log2_m));
  if (!(log2_nu < 0)) return HUGE_VAL;
  // The rest is 1 - 2^x. It is computed without cancellation; its error makes the whole only larger.
  const double log2_rest = std::log2(-std::expm1(log2_nu * std::numbers::ln2));
  return add_up(log2_nu, log2_slack - log2_rest);
}

/// 2^published_log2_factor(n, log2_m), rounded up to at least 2^-1074.
inline double published_bound(std::int64_t n, double log2_m) {
  const double bound = std::exp2(published_log2_factor(n, log2_m));
  return bound < 0x1p-1022 ? std::nextafter(bound, 1) : bound;  // the slack is more than an error of normal numbers
}

/// (16), (18): log2 of the largest sum_i abs(y*_i - y_i), given log2 of the magnitude sum_i (abs(beta y_i) + sum_j
/// abs(alpha a_ij x_j)), which (18) writes as the norm of abs(alpha A) abs(x) + abs(beta y). The bound is never below
/// the exact value.
inline double published_log2_absolute_bound(std::int64_t n, double log2_m, double log2_magnitude) {
  const double factor = published_log2_factor(n, log2_m);
  return factor == HUGE_VAL ? factor : add_up(factor, log2_magnitude);
}

/// (17), (19): log2 of the bound of (16), (18) relative to the norm of the exact result.
inline double published_log2_relative_bound(std::int64_t n, double log2_m, double log2_magnitude, double log2_exact) {
  const double absolute = published_log2_absolute_bound(n, log2_m, log2_magnitude);
  return absolute == HUGE_VAL ? absolute : add_up(absolute, -log2_exact);
}

}  // namespace accublas
