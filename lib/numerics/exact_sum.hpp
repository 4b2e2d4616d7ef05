// The exact sum of some terms of an inner product, including special values. Sums of parts can be added to each other.
#pragma once

#include "lib/numerics/long_accumulator.hpp"

namespace accublas {

template <class T>
class ExactSum {
 public:
  /// Adds x y.
  ACCUBLAS_HD void add(T x, T y) {
    if (is_finite(x) && is_finite(y)) {
      // Terms of sparse rows, whose bound is not zero, end here.
      if (!is_zero(x) && !is_zero(y)) sum_.add_product(x, y);
    } else {
      add_special(x, y);
    }
  }
  /// Adds sum_p row[p] col[p] over first <= p < end.
  template <class Row, class Col>
  ACCUBLAS_HD void add(std::int64_t first, std::int64_t end, const Row& row, const Col& col) {
    for (std::int64_t p = first; p < end; ++p) add(row[p], col[p]);
  }

  ACCUBLAS_HD void add(const ExactSum& other) {
    sum_.add(other.sum_);
    special_ += other.special_;
    any_special_ |= other.any_special_;
    any_nan_ |= other.any_nan_;
  }

  /// Adds up the sums of a warp's lanes, each of which calls this function; sum(x) returns the sum of x over the lanes.
  template <class Sum>
  ACCUBLAS_HD void add_up(Sum&& sum) {
    sum_.add_up(sum);
    special_ = sum(special_);
    any_special_ = sum(static_cast<int>(any_special_)) != 0;
  }

  /// Returns the sum in units of 2^LongAccumulator::min_exponent. No term is special.
  ACCUBLAS_HD Wide<LongAccumulator::limbs> value() const { return sum_.value(); }
  /// Returns whether some term is special. `value` is the sum in that case.
  ACCUBLAS_HD bool special(T& value) const {
    value = special_;
    return any_special_;
  }
  /// Returns whether some x or y is NaN. After `add_up` this is not known.
  ACCUBLAS_HD bool any_nan() const { return any_nan_; }

  /// Returns RN(sum) in the number type U, and signals its exceptions.
  template <class U>
  ACCUBLAS_HD U round() const {
    return any_special_ ? finish_special(U(1), static_cast<U>(special_), U(0), U(0), !any_nan_)
                        : accublas::finish(U(1), sum_, U(0), U(0));
  }
  /// Returns RN(sum) where no term is special. It signals nothing.
  ACCUBLAS_HD double nearest() const {
    double result = 0;
    round_within(1.0, sum_.value(), 0.0, LongAccumulator::min_exponent, 0.0, 0.0, &result);
    return result;
  }

  /// Returns RN(alpha sum + beta c) as docs/modes.md defines it; *c is read only if beta is not zero.
  ACCUBLAS_HD T finish(T alpha, T beta, const T* c) const {
    const T addend = read_addend(beta, c);
    return any_special_ ? finish_special(alpha, special_, beta, addend, !any_nan_)
                        : accublas::finish(alpha, sum_, beta, addend);
  }

 private:
  ACCUBLAS_HD void add_special(T a, T b) {
    any_special_ = true;
    any_nan_ |= is_nan(a) || is_nan(b);
    special_ += a * b;
  }

  LongAccumulator sum_;
  /// The sum of the IEEE products of the infinite and NaN terms. It is NaN, +Inf or -Inf exactly as docs/modes.md
  /// defines for S.
  T special_ = 0;
  bool any_special_ = false, any_nan_ = false;
};

}  // namespace accublas
