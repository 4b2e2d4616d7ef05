// The exact sum of some terms of an inner product, special values included; sums of parts add up.
#pragma once

#include "lib/base/test_hooks.hpp"
#include "lib/call/problem.hpp"
#include "lib/numerics/long_accumulator.hpp"

namespace accublas::cpu {

template <class T>
class ExactSum {
 public:
  /// += sum_p row[p] col[p], p < k.
  template <class Row = Vector<const T>, class Col = Vector<const T>>
  void add(Index k, const Row& row, const Col& col) {
    add(0, k, row, col);
  }
  /// The same over first <= p < end.
  template <class Row, class Col>
  void add(Index first, Index end, const Row& row, const Col& col) {
    for (Index p = first; p < end; ++p) {
      const T a = row[p], b = col[p];
      if (is_finite(a) && is_finite(b)) {
        if (!is_zero(a) && !is_zero(b)) sum_.add_product(a, b);  // sparse rows end here, whose bound is not zero
      } else {
        add_special(a, b);
      }
    }
  }

  void add(const ExactSum& other) {
    sum_.add(other.sum_);
    special_ += other.special_;
    any_special_ |= other.any_special_;
  }

  /// The sum where no term is special, in units of 2^LongAccumulator::min_exponent.
  Wide<LongAccumulator::limbs> value() const { return sum_.value(); }
  /// Whether some term is; the sum is *value then.
  bool special(T& value) const {
    value = special_;
    return any_special_;
  }

  /// RN(sum) to another type of numbers.
  template <class U>
  U round() const {
    return any_special_ ? finish_special(U(1), static_cast<U>(special_), U(0), U(0))
                        : accublas::finish(U(1), sum_, U(0), U(0));
  }

  /// RN(alpha sum + beta c) as docs/modes.md has it; *c is read only where beta is not zero.
  T finish(T alpha, T beta, const T* c) const {
    const T addend = read_addend(beta, c);
    return any_special_ ? finish_special(alpha, special_, beta, addend) : accublas::finish(alpha, sum_, beta, addend);
  }

 private:
  void add_special(T a, T b) {
    any_special_ = true;
    if (mutant(Mutant::special_inf_times_zero) && !is_nan(a) && !is_nan(b) && (is_zero(a) || is_zero(b))) return;
    special_ += a * b;
  }

  LongAccumulator sum_;
  /// The infinite and NaN terms: their IEEE products summed are NaN, +Inf or -Inf exactly as docs/modes.md judges S.
  T special_ = 0;
  bool any_special_ = false;
};

}  // namespace accublas::cpu
