// Data of the tests of cr's sums: every kind that their grids, bounds and special cases could mind.
#pragma once

#include <cmath>
#include <limits>
#include <random>

#include "lib/call/problem.hpp"
#include "test/unit/random.hpp"

namespace accublas_test {

using accublas::Index;

enum class Data {
  uniform,
  wide,
  graded,
  cancelling,
  integers,
  tiny,
  huge,
  ends,
  subnormal,
  nan,
  infinite,
  zeros,
  count
};

/// Entry p of k of a row, or of x (`second`).
template <class T>
T entry(Random& random, Data data, Index p, Index k, bool second) {
  std::normal_distribution<double> normal;
  const double u = std::uniform_real_distribution<double>(-0.5, 0.5)(random);
  const int top = std::numeric_limits<T>::max_exponent;
  switch (data) {
    case Data::uniform:
      return static_cast<T>(u);
    case Data::wide:
      return static_cast<T>(u * std::exp(sizeof(T) == 8 ? 10 * normal(random) : 2 * normal(random)));
    case Data::graded:
      return static_cast<T>(std::ldexp(u, static_cast<int>((second ? k - p : p) % 60)));
    case Data::cancelling:
      return static_cast<T>(u * std::exp(normal(random)));
    case Data::integers:
      return static_cast<T>(pick(random, -5, 5));
    case Data::tiny:
      return static_cast<T>(std::ldexp(u, -top / 2 + pick(random, -20, 4)));
    case Data::huge:
      return static_cast<T>(std::ldexp(u, top / 2 + pick(random, -20, 4)));
    case Data::ends:  // products near both ends of the range
      return second ? static_cast<T>(u) : static_cast<T>(std::ldexp(u, (p % 2 == 0 ? 1 : -1) * (top - 24)));
    case Data::subnormal:
      return second ? static_cast<T>(u) : static_cast<T>(u) * std::numeric_limits<T>::min();
    case Data::nan:
      return p == k / 2 && !second ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(u);
    case Data::infinite:
      return p == k / 3 ? (second ? static_cast<T>(pick(random, -1, 1)) : std::numeric_limits<T>::infinity())
                        : static_cast<T>(u);
    default:
      return second ? static_cast<T>(u) : T(0);
  }
}

/// Rows by which chains are moved to larger grids once, often, in few lanes, by one term or by the sum of many.
template <class T>
T growing_entry(Random& random, int kind, Index i, Index p, Index k) {
  const double u = std::uniform_real_distribution<double>(0.5, 1)(random), sign = pick(random, 0, 1) ? 1 : -1;
  const int range = sizeof(T) == 8 ? 200 : 30;
  switch (kind) {
    case 0:
      return static_cast<T>(u);  // the sum grows
    case 1:
      return static_cast<T>(sign * std::ldexp(u, static_cast<int>(p * range / k)));
    case 2:
      return static_cast<T>(sign * std::ldexp(u, pick(random, 0, range)));
    case 3:
      return static_cast<T>((p % 2 ? u : -u) * (p == k / 2 + i % 7 ? std::ldexp(1.0, range) : 1));
    case 4:  // a large sum that vanishes again
      return static_cast<T>(std::ldexp(p % 16 < 8 ? 1.0 : -1.0, p % 8 == 7 ? 12 : 0)) + static_cast<T>(u) / 1024;
    default:
      return static_cast<T>(p < k / 2 ? 0 : sign * std::ldexp(u, -range));
  }
}

}  // namespace accublas_test
