// The properties of lines that fixed:T and the certificate of dp:repro need, and their entries as integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lib/call/problem.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cpu {

/// Properties of a line. A line of zeros has exponent = last_bit = 0.
struct Line {
  int exponent = 0;         ///< abs(a) < 2^exponent
  int last_bit = 0;         ///< every entry is a multiple of 2^last_bit
  std::int64_t lambda = 0;  ///< docs/modes.md, dp
  bool special = false;     ///< has an Inf or NaN
  /// Returns the T with which no bit of the line is dropped.
  int needed_bits() const { return exponent - last_bit; }
  /// Returns the exponent of the unit to which fixed:t rounds the entries.
  int unit(int t) const { return exponent - t; }
};

/// Measures a line of k entries. `Entries` is a Vector, or a type that is indexed like one.
template <class T, class Entries>
Line measure(const Entries& x, Index k) {
  Line line;
  T most = 0;
  bool any = false;
  for (Index p = 0; p < k; ++p) {
    line.special |= !is_finite(x[p]);
    if (is_zero(x[p]) || line.special) continue;
    most = std::max(most, std::fabs(x[p]));
    const int last = exponent_of_last_bit(x[p]);
    line.last_bit = any ? std::min(line.last_bit, last) : last;
    any = true;
  }
  if (!any || line.special) return line;
  line.exponent = exponent_above(most);
  for (Index p = 0; p < k; ++p) line.lambda += certificate_ceiling(x[p], line.exponent);
  return line;
}

/// Returns the least rung whose T suffices for an element of finite lines, or the number of rungs if none does.
/// sum_of_bytes() returns X.
template <class T, class Sum>
int rung_of(const Line& row, const Line& col, Index k, Sum&& sum_of_bytes) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  const int bits = std::max(row.needed_bits(), col.needed_bits());
  if (bits <= rungs.t[0]) return 0;
  const std::int64_t x = sum_of_bytes(), lambda_mu = row.lambda + col.lambda;
  for (int r = 0; r < rungs.count; ++r)
    if (bits <= rungs.t[r] || certificate_suffices(certificate_test(rungs.t[r], rungs.digits, k), lambda_mu, x))
      return r;
  return rungs.count;
}

/// The error of fixed:t over abs(A) abs(B), for one element or for all so far.
struct FixedError {
  bool exact = true;
  double worst = 0;

  /// Adds an element. abs(S - exact) <= (2^(t-23) (lambda + mu) + k) / 4 and abs(A) abs(B) >= 2^(2t-14) X, both in
  /// units of 2^(E+F-2t). sum_of_bytes() returns X; it is called only if `judged`.
  template <class Sum>
  void add(const Line& row, const Line& col, int t, Index k, bool judged, Sum&& sum_of_bytes) {
    if (row.special || col.special || std::max(row.needed_bits(), col.needed_bits()) <= t) return;
    exact = false;
    if (!judged || row.lambda == 0 || col.lambda == 0) return;
    const double x = static_cast<double>(sum_of_bytes());
    const double lambda_mu = static_cast<double>(row.lambda) + static_cast<double>(col.lambda);
    const double error = (std::ldexp(lambda_mu, t - 23) + static_cast<double>(k)) / 4;
    worst = std::max(
        worst, x > 0 ? std::ldexp(error / x, 14 - 2 * t) * (1 + 0x1p-40) : std::numeric_limits<double>::infinity());
  }
  /// Returns the bound of fixed:t, which is infinite where bits are dropped and elements were added without being
  /// `judged`. u is the unit roundoff of the result.
  double bound(double u, bool judged) const {
    if (exact) return 0;
    return judged ? worst * (1 + 2 * u) : std::numeric_limits<double>::infinity();  // RN adds u (abs(exact) + error)
  }
};

/// Returns an entry in units of 2^line.unit(t).
template <class T>
ScaledInteger line_entry(T x, const Line& line, int t) {
  if (line.special || is_zero(x)) return {0, 0};
  return scale_entry(x, line.exponent, t);
}

}  // namespace accublas::cpu
