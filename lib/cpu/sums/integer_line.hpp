// Lines of an operand as fixed:T and the certificate of dp:repro see them, in plain integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

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
  int needed_bits() const { return exponent - last_bit; }
  /// Exponent of the unit that its entries are rounded to.
  int unit(int t) const { return exponent - t; }
};

/// `Entries`: a Vector, or what is indexed like one.
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

/// An entry in units of 2^line.unit(t).
template <class T>
ScaledInteger line_entry(T x, const Line& line, int t) {
  if (line.special || is_zero(x)) return {0, 0};
  return scale_entry(x, line.exponent, t);
}

}  // namespace accublas::cpu
