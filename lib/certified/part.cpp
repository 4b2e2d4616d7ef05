#include "lib/certified/part.hpp"

#include <algorithm>
#include <cmath>

#include "lib/numerics/eft.hpp"

namespace accublas::certified {

namespace {

/// The sign of the exact a + b - x, where a + b does not overflow.
int sign_of_sum(double a, double b, double x) {
  const DoublePair sum = two_sum(a, b);
  if (sum.high != x) return sum.high < x ? -1 : 1;  // rounding is monotone
  return sum.low < 0 ? -1 : sum.low > 0 ? 1 : 0;
}

}  // namespace

Wanted::Count Wanted::count_up_to(double x, const Array& center, const Array& radius) const {
  if (std::isinf(x)) return x < 0 ? Count{0, 0} : Count{n_, n_};
  // Where scaling rounds, the numbers beside y enclose the exact one.
  const double y = std::ldexp(x, -exponent_);
  const bool exact = std::ldexp(y, exponent_) == x;
  const double low = exact ? y : std::nextafter(y, -HUGE_VAL), high = exact ? y : std::nextafter(y, HUGE_VAL);
  Count count{0, n_};
  for (Index k = 0; k < n_; ++k) {
    if (!(radius[k] < HUGE_VAL)) continue;
    if (sign_of_sum(center[k], radius[k], low) <= 0) count.least = k + 1;
    if (sign_of_sum(center[k], -radius[k], high) > 0) count.most = std::min(count.most, k);
  }
  return count;
}

Part Wanted::part(const Array& center, const Array& radius) const {
  if (range_.range == ACCUBLAS_ALL) return {0, n_};
  if (range_.range == ACCUBLAS_INDICES) return {range_.il - 1, range_.iu};
  const Count lower = count_up_to(range_.vl, center, radius), upper = count_up_to(range_.vu, center, radius);
  return {lower.least, upper.most, lower.least == lower.most && upper.least == upper.most};
}

}  // namespace accublas::certified
