// Results of certified routines in the caller's memory and type of numbers.
#pragma once

#include <limits>

#include "lib/certified/calls.hpp"

namespace accublas::certified {

/// A compact matrix with the order of another one's elements in memory.
template <class E>
struct Compact {
  const bool by_columns;
  const Index lines, length;
  E* data;

  template <class F>
  Compact(const Matrix<F>& other, Index rows, Index cols, E* data)
      : by_columns(other.row_stride == 1),
        lines(by_columns ? cols : rows),
        length(by_columns ? rows : cols),
        data(data) {}
  Matrix<E> matrix() const { return by_columns ? Matrix<E>{data, 1, length} : Matrix<E>{data, length, 1}; }
  void from(const Matrix<const E>& other, Place& place) const {
    if (lines > 0) place.copy(data, size(length), other.data, next(other), size(length), lines);
  }
  void to(const Matrix<E>& other, Place& place) const {
    if (lines > 0) place.copy(other.data, next(other), data, size(length), size(length), lines);
  }

 private:
  static std::size_t size(Index count) { return static_cast<std::size_t>(count) * sizeof(E); }
  /// Returns the bytes from one line of `other` to the next. It is at least a line, as a single line has no distance.
  template <class F>
  std::size_t next(const Matrix<F>& other) const {
    return size(std::max(length, by_columns ? other.col_stride : other.row_stride));
  }
};

/// The least number of type T that is no smaller than x >= 0.
template <class T>
T rounded_up(double x) {
  const T result = static_cast<T>(x);
  return static_cast<double>(result) < x ? from_bits<T>(to_bits(result) + 1) : result;
}

template <class T>
struct Ball {
  T center, radius;
};

/// Computes a ball that contains 2^e times every y with abs(y - center) <= radius, in the type of the result. The
/// radius is infinite if the center overflows.
template <class T>
Ball<T> scaled(double center, double radius, int e) {
  const double moved = std::ldexp(center, e);
  const T x = static_cast<T>(moved);
  if (!(radius < HUGE_VAL) || !is_finite(x)) return {x, std::numeric_limits<T>::infinity()};
  double r = scale_up(radius, e);
  if (std::ldexp(moved, -e) != center) r = add_up(r, least_subnormal<double>());
  // Both numbers are so close to each other that their difference is exact.
  if (const double rounded = std::fabs(moved - static_cast<double>(x)); rounded > 0) r = add_up(r, rounded);
  return {x, rounded_up<T>(r)};
}

}  // namespace accublas::certified
