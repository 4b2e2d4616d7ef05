// Sums over the unknowns before one: a line of a triangular matrix meets the unknowns of many right-hand sides, which
// lie side by side in the order of substitution, in one call of DOT's kernels. Sums come with a bound of their error
// (dot2's pairs, which stand for themselves, with none); an unknown that they do not decide has its exact sum here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "lib/base/integers.hpp"
#include "lib/call/product.hpp"
#include "lib/cpu/dot2/dot2.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/sums/fullest_sum.hpp"
#include "lib/numerics/substitution.hpp"

namespace accublas::cpu {

// Last bits of unknowns and lines show which sums lost nothing. Sums of random numbers are decided without them, so
// that they are found only where a sum is not, and are kept up to date from the first sum on that they decide.

/// Whether the last bits showed that a part of a sum lost nothing.
template <std::size_t parts>
bool lost_nothing(const TripleSum (&sum)[parts]) {
  return std::any_of(sum, sum + parts, [](const TripleSum& part) { return part.error == 0; });
}

/// The last bit of a number that joins others whose last bit is `bit`.
template <class E>
double last_bit_with(double bit, const E& x) {
  for (int part = 0; part < parts_of<E>; ++part) bit = std::min(bit, last_set_bit(part_of(x, part)));
  return bit;
}

/// Sums of the lines of M, whose unknowns come in the order of its triangle, or of a lower one if M is not triangular.
template <class E>
class LineSums {
  using T = RealOf<E>;
  static constexpr int parts = parts_of<E>;

 public:
  /// `stride`: numbers from a line to the next, even.
  LineSums(const Operand<E>& m, Index order, Index stride, bool dot2, Isa isa)
      : m_(m), order_(order), stride_(stride), dot2_(dot2), forward_(m.part != Triangle::upper), isa_(isa) {}

  /// Numbers of a line of so many unknowns, and the lines of M (in such numbers) that a sum needs.
  static constexpr Index numbers(Index unknowns) { return round_up(parts * unknowns, Index{2}); }
  static constexpr Index lines_of_m(bool dot2) { return parts * (dot2 ? Index{sizeof(double) / sizeof(T)} : 1); }

  /// The p-th unknown in the order of substitution.
  Index place(Index p) const { return forward_ ? p : order_ - 1 - p; }
  E pivot(Index p) const { return m_(place(p), place(p)); }

  /// Row p of M, the entries of the unknowns first .. first + count - 1, for each part of a sum.
  void write(Index p, Index first, Index count, T* lines) const {
    const auto entry = [&](Index q) { return before(p, first + q); };
    dot2_ ? write_entries(count, entry, reinterpret_cast<double*>(lines)) : write_entries(count, entry, lines);
  }

  /// Writes entry_of(0) .. entry_of(count - 1) as a row of M.
  template <class Entry, class Number>
  void write_entries(Index count, Entry&& entry_of, Number* lines) const {
    for (Index q = 0; q < count; ++q) {
      const E entry = entry_of(q);
      if constexpr (is_complex<E>) {
        Number* const imaginary = lines + stride_;
        lines[2 * q] = entry.re, lines[2 * q + 1] = -entry.im;
        imaginary[2 * q] = entry.im, imaginary[2 * q + 1] = entry.re;
      } else {
        lines[q] = entry;
      }
    }
  }

  /// Returns a function of q that returns number q of `row`, in which the parts of a number stand side by side.
  static auto numbers_in(const T* row) {
    return [row](Index q) -> E {
      if constexpr (is_complex<E>)
        return {row[2 * q], row[2 * q + 1]};
      else
        return row[q];
    };
  }

  /// Power of two of which the parts of `count` numbers are multiples; multiple_of_all where they are zero.
  double last_bit(Index count, const T* numbers) const {
    return kernels_for<CrKernels<T>>(isa_).last_bit(parts * count, numbers);
  }

  /// sums[part][s] = that part of sum_q m(p, q) x(q, s) over `count` unknowns, for `sides` right-hand sides, `step`
  /// numbers apart; `lines` is what `write` left. `bits`: the last bits of the unknowns and of the row, if they are
  /// known.
  void add_up(Speed speed, Index count, const T* lines, Index sides, const T* unknowns, Index step,
              const LastBits& bits, TripleSum* const (&sums)[parts]) const {
    for (Index part = 0; part < parts; ++part) {
      if (count == 0)
        std::fill_n(sums[part], sides, TripleSum{0, 0, 0, 0});
      else if (dot2_)
        add_up_pairs(count, reinterpret_cast<const double*>(lines) + part * stride_, sides, unknowns, step, sums[part]);
      else
        kernels_for<CrKernels<T>>(isa_).triangular_rows(speed)(sides, parts * count, unknowns, step,
                                                               lines + part * stride_, bits, sums[part]);
    }
  }

  /// Scales `lines` by a power of two that brings their products with unknowns of magnitudes up to `of_unknowns` to the
  /// upper end of the range in which the kernels add up. Returns the exponent, or 0 with the lines unchanged if entries
  /// would lose bits.
  int scale(Index count, T* lines, T of_unknowns) const {
    constexpr int most = 840;
    T of_lines = 0;
    for (int part = 0; part < parts; ++part) of_lines = larger(of_lines, parts * count, lines + part * stride_);
    if (sizeof(T) != sizeof(double) || is_zero(of_lines) || is_zero(of_unknowns) || !is_finite(of_lines) ||
        !is_finite(of_unknowns))
      return 0;
    const int exponent =
        std::min({most - exponent_of(of_lines) - exponent_of(of_unknowns), 1000 - exponent_of(of_lines), 2000});
    const auto multiply = [&](int by, T* line) {
      const T first = static_cast<T>(power_of_two(by / 2)), second = static_cast<T>(power_of_two(by - by / 2));
      for (Index t = 0; t < parts * count; ++t) line[t] = line[t] * first * second;
    };
    for (int part = 0; exponent < 0 && part < parts; ++part)
      for (Index t = 0; t < parts * count; ++t) {
        const T entry = lines[part * stride_ + t];
        if (!is_zero(entry) && exponent_of(entry) + exponent < -960) return 0;
      }
    for (int part = 0; part < parts; ++part) multiply(exponent, lines + part * stride_);
    return exponent;
  }

  /// Decides an unknown by the fullest sums over `count` unknowns of one right-hand side. Returns whether they do;
  /// `sums` are those of the lines as given. The lines are 2^scale times the lines of M.
  bool decide(const Unknown<E>& unknown, Index count, const T* lines, int scale, const T* unknowns,
              TripleSum (&sums)[parts], E& result) const {
    const auto of_part = [&](int part) { return Vector<const T>{lines + part * stride_, 1}; };
    const Vector<const T> x{unknowns, 1};
    for (int part = 0; part < parts; ++part) sums[part] = fullest_sum(isa_, parts * count, of_part(part), x);
    if (unknown.approximate_scaled(sums, scale, result)) return true;
    const TripleSum* const left = std::find_if(sums, sums + parts, leaves_range);
    const TermScale more = left != sums + parts ? scale_of(parts * count, of_part(0), x, *left) : TermScale{};
    if (!more) return false;
    TripleSum scaled[parts];
    for (int part = 0; part < parts; ++part) scaled[part] = fullest_sum(isa_, parts * count, of_part(part), x, more);
    return unknown.approximate_scaled(scaled, scale + more.product(), result);
  }

  /// The unknown with the exact sum of m(p, q) x(q) over the first `count` unknowns. Where dot2's pair is NaN,
  /// cr's sum stands for it. If `sums` is not null and alpha is 1, it is set to sums that differ from the right-hand
  /// sides by the leading bits of the numerators, so that they decide quotients of the numerators by other pivots.
  template <class X>
  E exact(const Unknown<E>& unknown, Index p, Index count, const X& x, TripleSum (*sums)[parts] = nullptr) const {
    ExactSum<double> above[parts];
    for (int part = 0; part < parts; ++part) {
      const Terms<X> terms{*this, x, p, part};
      Dot2Pair pair{};
      if (dot2_)  // minus the sum
        pair = dot2_chain_of<T>(
            parts * count, [&](Index t) { return terms.row(t); }, [&](Index t) { return terms.col(t); });
      if (dot2_ && is_finite(pair)) {
        above[part].add(1, pair.s);
        above[part].add(1, pair.c);
      } else {
        for (Index t = 0; t < parts * count; ++t) above[part].add(terms.row(t), terms.col(t));
      }
    }
    const E result = unknown.exact(above);  // which adds the right-hand side to `above`
    for (int part = 0; sums && part < parts; ++part) {
      const Approximation numerator = leading_of(above[part]);
      (*sums)[part] = {double{part_of(unknown.b, part)}, -numerator.high, -numerator.low, numerator.error};
    }
    return result;
  }

  /// Computes the unknown if a factor of one of the first `count` terms is infinite or NaN. Then the finite terms play
  /// no part, and after a NaN no term does. Returns false, with nothing done, if all terms are finite.
  template <class X>
  bool special(const Unknown<E>& unknown, Index p, Index count, const X& x, E& result) const {
    ExactSum<double> above[parts];
    bool any = false;
    for (int part = 0; part < parts; ++part) {
      const Terms<X> terms{*this, x, p, part};
      bool nan = false;
      for (Index t = 0; t < parts * count && !nan; ++t) {
        const T entry = terms.row(t), number = terms.col(t);
        if (is_finite(entry) && is_finite(number)) continue;
        above[part].add(entry, number);
        any = true;
        nan = is_nan(entry) || is_nan(number);
      }
    }
    if (any) result = unknown.exact(above);
    return any;
  }

  /// Returns the largest of a number and the magnitudes of others, or NaN if one of them is NaN.
  static T larger(T most, Index count, const T* numbers) {
    for (Index t = 0; t < count; ++t)
      if (!(std::fabs(numbers[t]) <= most) && !is_nan(most)) most = std::fabs(numbers[t]);
    return most;
  }

 private:
  /// An entry before the pivot, which is stored whatever M is.
  E before(Index p, Index q) const { return conjugate_if(m_.conjugate, m_.stored(place(p), place(q))); }

  /// Returns the leading bits of a sum. They are NaN if the sum is special, or lies too near an end of the range.
  static Approximation leading_of(const ExactSum<double>& sum) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    double special = 0;
    if (sum.special(special)) return {nan, nan, nan};
    const Wide<LongAccumulator::limbs> value = sum.value();
    if (wide_bit_length(value) == 0) return {0, 0, 0};
    int exponent = 0;
    const Approximation one = Approximation::leading(value, &exponent);
    exponent += LongAccumulator::min_exponent;
    return std::abs(exponent) < 800 ? one.scaled(exponent) : Approximation{nan, nan, nan};
  }

  /// Pairs as sums without an error; one that a kernel could not compute is NaN.
  void add_up_pairs(Index count, const double* line, Index sides, const T* unknowns, Index step, TripleSum* to) const {
    constexpr Index together = 64;
    for (Index first = 0; first < sides; first += together) {
      const Index some = sides - first < together ? sides - first : together;
      double s[together] = {}, c[together] = {};
      kernels_for<Dot2GemvKernels<T>>(isa_).rows(some, parts * count, dot2_block, unknowns + first * step, step, line,
                                                 s, c);
      for (Index i = 0; i < some; ++i) to[first + i] = {s[i], c[i], 0, 0};
    }
  }

  /// A part of the sum: the line of M, negated, and the unknowns. If they are complex, term 2 q has the unknowns' real
  /// parts.
  template <class X>
  struct Terms {
    const LineSums& of;
    const X& x;
    Index p, part;
    T row(Index t) const {
      const E entry = of.before(p, t / parts);
      if constexpr (is_complex<E>)
        return t % 2 == part ? -entry.re : part == 0 ? entry.im : -entry.im;
      else
        return -entry;
    }
    T col(Index t) const { return part_of(x(t / parts), t % parts); }
  };

  const Operand<E> m_;
  const Index order_, stride_;
  const bool dot2_, forward_;
  const Isa isa_;
};

}  // namespace accublas::cpu
