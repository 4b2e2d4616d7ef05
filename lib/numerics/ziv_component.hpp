// Ziv's test of a component of a complex result, alpha S + beta c, whose two sums are known up to their errors.
#pragma once

#include "lib/numerics/complex.hpp"
#include "lib/numerics/powers_of_two.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas {

/// One component of alpha S 2^exponent + beta c. Its terms are products of real factors with the same component of S
/// and c (`own`) and with the other component (`other`). A factor that is zero makes no term.
template <class T>
struct ComponentTerms {
  struct Pair {
    T own, other;
  };
  Pair alpha, beta;   ///< factors; `other` is minus the imaginary part if the component is the real one
  TripleSum sums[2];  ///< own, other
  int exponent;
  Pair c;

  ACCUBLAS_HD static Pair factors(const Complex<T>& z, bool imaginary) { return {z.re, imaginary ? z.im : -z.im}; }

  /// Rounds the component. Returns true if the errors decide it.
  ACCUBLAS_HD bool ziv_test(T* out) const {
    return (sizeof(T) == sizeof(float) && by_double(out)) || by_pair(out) || by_triple(out);
  }

 private:
  static constexpr double underflow = 0x1p-1000;

  /// Calls sum(factor, sum) for the terms with S, and number(factor, number) for those with c.
  template <class Sum, class Number>
  ACCUBLAS_HD void for_terms(Sum&& sum, Number&& number) const {
    if (!is_zero(alpha.own)) sum(double{alpha.own}, sums[0]);
    if (!is_zero(alpha.other)) sum(double{alpha.other}, sums[1]);
    if (!is_zero(beta.own)) number(double{beta.own}, double{c.own});
    if (!is_zero(beta.other)) number(double{beta.other}, double{c.other});
  }

  /// Divides a number by 2^exponent. Returns whether that loses nothing.
  ACCUBLAS_HD bool to_unit_of_sums(double& number) const {
    return exponent == 0 || (is_finite(number) && !scale_loses(number, -exponent));
  }

  /// Rounds the component from a double, which decides most components in single precision.
  ACCUBLAS_HD bool by_double(T* out) const {
    if (exponent != 0) return false;
    double value = 0, size = 0, error = underflow;
    const auto add = [&](double factor, double x) {
      value += factor * x;
      size += absolute(factor * x);
    };
    for_terms(
        [&](double factor, const TripleSum& s) {
          add(factor, s.a1);
          error += absolute(factor) * (absolute(s.a2) + absolute(s.a3) + s.error);
        },
        add);
    // Four products and three additions were rounded, and no result of them exceeds `size` by much.
    return accublas::ziv_test({value, 0}, (error + size * 0x1p-50) * (1 + 0x1p-40), out);
  }

  /// Rounds the component from a pair. All but the leading parts are added up in plain arithmetic.
  ACCUBLAS_HD bool by_pair(T* out) const {
    double high = 0, low = 0, lows = 0, error = underflow;
    bool known = true;
    const auto add = [&](double factor, double first, double rest) {
      const DoublePair p = two_product(factor, first), s = two_sum(high, p.high);
      const double tail = factor * rest;
      high = s.high;
      low += s.low + (p.low + tail);
      lows += absolute(s.low) + absolute(p.low) + absolute(tail);
    };
    for_terms(
        [&](double factor, const TripleSum& s) {
          add(factor, s.a1, s.a2 + s.a3);
          error += absolute(factor) * s.error;
        },
        [&](double factor, double number) {
          known &= to_unit_of_sums(number);
          add(factor, number, 0);
        });
    // At most 24 operations on parts were rounded, and no result of one exceeds `lows`.
    if (!known || !accublas::ziv_test({high, low}, (error + lows * 0x1p-48) * (1 + 0x1p-40), out)) return false;
    if (exponent == 0) return true;
    // Scaling changes only the exponent, unless the number is near underflow or overflow before or after it.
    using F = FloatFormat<T>;
    const auto is_inside = [](int top) {
      return top > F::min_exponent + F::digits && top < F::max_exponent + F::digits - 1;
    };
    const int top = exponent_of(*out);
    if (!is_inside(top) || !is_inside(top + exponent)) return false;
    *out = static_cast<T>(scaled_by(*out, exponent));
    return true;
  }

  /// Rounds the component from a triple, which holds sums of short numbers exactly.
  ACCUBLAS_HD ACCUBLAS_NOINLINE bool by_triple(T* out) const {
    TripleSum sum{0, 0, 0, 0};
    bool known = true;
    const auto add = [&](double factor, double x) {
      if (x == 0 && is_finite(factor)) return;
      const DoublePair p = two_product(factor, x);
      triple_add(sum, {p.high, p.low, 0, absolute(p.high) > 0x1p-960 ? 0 : underflow});
    };
    for_terms(
        [&](double factor, const TripleSum& s) {
          add(factor, s.a1);
          add(factor, s.a2);
          add(factor, s.a3);
          sum.error += absolute(factor) * s.error * (1 + 0x1p-50) + (s.error > 0 ? underflow : 0);
        },
        [&](double factor, double number) {
          known &= to_unit_of_sums(number);
          add(factor, number);
        });
    return known && accublas::ziv_test(T(1), sum, T(0), T(0), out, exponent);
  }
};

}  // namespace accublas
