// Matrices that decay away from the diagonal, so that a sum of their products lies far below the products of the
// largest entries of its row and its column.
#pragma once

#include <cmath>

#include "lib/call/problem.hpp"
#include "test/unit/random.hpp"

namespace accublas_test {

using accublas::Index;

enum class Decay { gaussian, narrow_gaussian, slow, fast, banded, inverse, blocks, count };

/// Entry (i, p) of such a matrix of order `order`.
template <class T>
T decaying_entry(Random& random, Decay decay, Index i, Index p, Index order) {
  const double distance = static_cast<double>(i < p ? p - i : i - p), part = distance / static_cast<double>(order);
  const double u = std::uniform_real_distribution<double>(-0.5, 0.5)(random);
  const double single = sizeof(T) == 8 ? 1 : 0.1;  // of the exponents
  switch (decay) {
    case Decay::gaussian:
      return static_cast<T>(std::exp(-single * 200 * part * part));
    case Decay::narrow_gaussian:
      return static_cast<T>(std::exp(-single * 1250 * part * part));
    case Decay::slow:
      return static_cast<T>(std::pow(0.9, distance));
    case Decay::fast:  // down to subnormal numbers and to zero
      return static_cast<T>(std::pow(10, -single * 400 * part));
    case Decay::banded:
      return distance <= 2 ? static_cast<T>(u) : T(0);
    case Decay::inverse:
      return static_cast<T>(u * std::pow(10, -single * 250 * part));
    default:
      return i / 8 == p / 8 ? static_cast<T>(u) : T(0);
  }
}

}  // namespace accublas_test
