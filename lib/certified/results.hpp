// Results of certified routines in the caller's memory and type of numbers.
#pragma once

#include <functional>
#include <limits>

#include "lib/certified/calls.hpp"

namespace accublas::certified {

/// Returns memory of the place for numbers of any type.
template <class E>
Placed memory_for(Index count, const Calls& calls) {
  return Placed(calls.place(), ceil_div(count * Index{sizeof(E)}, Index{sizeof(double)}));
}

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

/// A matrix of results in the memory of the place: the caller's, or memory whose numbers deliver() copies there.
template <class E>
class PlacedResult {
 public:
  PlacedResult(const Matrix<E>& to, Index rows, Index cols, const Calls& calls)
      : to_(to), compact_(to, rows, cols, nullptr), place_(calls.place()) {
    if (!calls.is_staged()) return;
    memory_ = memory_for<E>(rows * cols, calls);
    compact_.data = reinterpret_cast<E*>(memory_.data());
  }
  Matrix<E> matrix() const { return compact_.data ? compact_.matrix() : to_; }
  void deliver() const {
    if (compact_.data) compact_.to(to_, place_);
  }

 private:
  Matrix<E> to_;
  Compact<E> compact_;
  Place& place_;
  Placed memory_{};
};

/// Writes the RealParts of A, rows x cols, which may have to be copied to the place first.
template <class E>
void load_parts(Operand<E> a, Index rows, Index cols, double* to, const Calls& calls) {
  Placed memory;
  if (calls.is_staged()) {
    memory = memory_for<E>(rows * cols, calls);
    const Compact<E> compact(a.stored, rows, cols, reinterpret_cast<E*>(memory.data()));
    compact.from(a.stored, calls.place());
    a.stored = read_only(compact.matrix());
  }
  calls.place().load(a, rows, cols, to);
}

/// Calls certify() in the place of `calls`, or on the host if the operands are there and the device's memory does not
/// hold the matrices. If a call runs out of memory when it has begun to write, only a matrix of the place is undefined:
/// results are as they were. *certificate is cleared in between.
accublas_reason certify_where_possible(Calls& calls, accublas_certificate_t* certificate,
                                       const std::function<accublas_reason()>& certify);

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
