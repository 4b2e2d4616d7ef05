// Ziv's test of a component of a complex result, alpha S + beta c, whose two sums are known up to their errors.
#pragma once

#include "lib/numerics/bounds.hpp"
#include "lib/numerics/complex.hpp"
#include "lib/numerics/powers_of_two.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas {

/// One component of (alpha S + beta c) 2^unit. Its terms are products of real factors with the same component of S and
/// c (`own`) and with the other component (`other`). A factor that is zero makes no term.
template <class T>
struct ComponentTerms {
  struct Pair {
    T own, other;
  };
  Pair alpha, beta;   ///< factors; `other` is minus the imaginary part if the component is the real one
  TripleSum sums[2];  ///< own, other
  int unit;
  Pair c;

  ACCUBLAS_HD static Pair factors(const Complex<T>& z, bool imaginary) { return {z.re, imaginary ? z.im : -z.im}; }

  /// Factors over powers of two, so that the larger one of a pair lies in [1/2, 1). In single precision, whose range is
  /// narrow, they are as given.
  struct Factors {
    Pair alpha, beta;
    int of_alpha = 0, of_beta = 0;  ///< exponents of the powers of two
    bool lost = false;  ///< the smaller one of a pair may have lost bits, but it keeps its sign and is no zero

    ACCUBLAS_HD Factors(const Pair& a, const Pair& b) : alpha(a), beta(b) {
      if (sizeof(T) != sizeof(double)) return;
      of_alpha = top(alpha.own, alpha.other);
      of_beta = top(beta.own, beta.other);
      alpha = divided(alpha, of_alpha);
      beta = divided(beta, of_beta);
    }

   private:
    ACCUBLAS_HD Pair divided(const Pair& pair, int exponent) {
      const Pair result = Power(-exponent).times(pair, lost);
      const auto or_least = [](double x, double given) {
        return x != 0 || given == 0 ? x : given < 0 ? -least_subnormal<double>() : least_subnormal<double>();
      };
      return {static_cast<T>(or_least(result.own, pair.own)), static_cast<T>(or_least(result.other, pair.other))};
    }
  };

  /// Returns a component of alpha S 2^exponent + beta c in a unit near its largest term, so that no part of a term
  /// overflows. Parts that underflow count as errors. The unit is 1 in single precision. A factor of S is not zero.
  ACCUBLAS_HD static ComponentTerms in_range(const Factors& factors, const TripleSum& own, const TripleSum& other,
                                             int exponent, const Pair& c) {
    ComponentTerms terms{factors.alpha, factors.beta, {own, other}, 0, c};
    bool lost = factors.lost;
    int of_sums = exponent;
    if (sizeof(T) == sizeof(double)) {
      const Pair &a = factors.alpha, &b = factors.beta;
      const int of_s = factors.of_alpha + exponent +
                       top(is_zero(a.own) ? 0 : size(own), is_zero(a.other) ? 0 : size(other)),
                of_c = factors.of_beta + top(is_zero(b.own) ? 0 : c.own, is_zero(b.other) ? 0 : c.other),
                largest = of_s > of_c ? of_s : of_c;
      if (largest > no_exponent / 2) terms.unit = largest;
      of_sums += factors.of_alpha - terms.unit;
      terms.c = Power(factors.of_beta - terms.unit).times(c, lost);
    }
    const Power power(of_sums);
    for (TripleSum& s : terms.sums)
      s = {power.times(s.a1, lost), power.times(s.a2, lost), power.times(s.a3, lost), power.times(s.error, lost)};
    // At most 16 parts lose less than 2^-1000 each, times a factor that is at most 2^128. The larger factor of S is at
    // least 2^-149.
    if (lost) terms.sums[absolute(terms.alpha.own) < absolute(terms.alpha.other)].error += 0x1p-700;
    return terms;
  }

  /// Multiplies a rounded result by 2^unit. Returns false if it is near underflow or overflow before or after that.
  ACCUBLAS_HD static bool from_unit(int unit, T& result) {
    if (unit == 0) return true;
    using F = FloatFormat<T>;
    const auto is_inside = [](int top) {
      return top > F::min_exponent + F::digits && top < F::max_exponent + F::digits - 1;
    };
    const int top_of_result = top(result, 0);
    if (!is_inside(top_of_result) || !is_inside(top_of_result + unit)) return false;
    bool lost = false;
    result = static_cast<T>(Power(unit).times(double{result}, lost));
    return true;
  }

  /// Rounds the component. Returns true if the errors decide it.
  ACCUBLAS_HD bool ziv_test(T* out) const {
    return (sizeof(T) == sizeof(float) && by_double(out)) || by_pair(out) || by_triple(out) || infinite(out);
  }

 private:
  static constexpr double underflow = 0x1p-1000;

  /// Returns the least e with abs(x), abs(y) < 2^e, or -1022 if that is less; `no_exponent` if both are zero.
  ACCUBLAS_HD static int top(double x, double y) {
    const double most = absolute(x) > absolute(y) ? absolute(x) : absolute(y);
    return most == 0 ? no_exponent : static_cast<int>(to_bits(most) >> 52) - 1022;
  }
  ACCUBLAS_HD static double size(const TripleSum& s) {
    return absolute(s.a1) + absolute(s.a2) + absolute(s.a3) + s.error;
  }

  /// A power of two as two factors, since it may not be a double. Larger and smaller ones are 2^2040 and 2^-2040.
  struct Power {
    double first, second;

    ACCUBLAS_HD explicit Power(int e) {
      const int all = e < -2040 ? -2040 : e > 2040 ? 2040 : e;
      first = power_of_two(all / 2);
      second = power_of_two(all - all / 2);
    }
    /// Returns x times the power. Sets `lost` if the result is below 2^-1000, because it may have lost bits.
    ACCUBLAS_HD double times(double x, bool& lost) const {
      const double y = x * first * second;
      lost |= x != 0 && absolute(y) < 0x1p-1000;
      return y;
    }
    ACCUBLAS_HD Pair times(const Pair& x, bool& lost) const {
      return {static_cast<T>(times(double{x.own}, lost)), static_cast<T>(times(double{x.other}, lost))};
    }
  };

  /// Calls sum(factor, sum) for the terms with S, and number(factor, number) for those with c.
  template <class Sum, class Number>
  ACCUBLAS_HD void for_terms(Sum&& sum, Number&& number) const {
    if (!is_zero(alpha.own)) sum(double{alpha.own}, sums[0]);
    if (!is_zero(alpha.other)) sum(double{alpha.other}, sums[1]);
    if (!is_zero(beta.own)) number(double{beta.own}, double{c.own});
    if (!is_zero(beta.other)) number(double{beta.other}, double{c.other});
  }

  /// Rounds the component from a double, which decides most components in single precision.
  ACCUBLAS_HD bool by_double(T* out) const {
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
        [&](double factor, double number) { add(factor, number, 0); });
    // At most 24 operations on parts were rounded, and no result of one exceeds `lows`.
    if (!accublas::ziv_test({high, low}, (error + lows * 0x1p-48) * (1 + 0x1p-40), out)) return false;
    return from_unit(unit, *out);
  }

  /// Rounds the component from a triple, which holds sums of short numbers exactly.
  ACCUBLAS_HD ACCUBLAS_NOINLINE bool by_triple(T* out) const {
    TripleSum sum{0, 0, 0, 0};
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
        [&](double factor, double number) { add(factor, number); });
    return accublas::ziv_test(T(1), sum, T(0), T(0), out, unit);
  }

  /// Returns whether infinite factors, or an infinite c, make the component infinite, and sets *out to it. The signs of
  /// the sums with infinite factors decide that. Such a component raises no exceptions, since an operand is infinite. A
  /// component that is finite or NaN is not decided here.
  ACCUBLAS_HD ACCUBLAS_NOINLINE bool infinite(T* out) const {
    double result = 0;
    bool decided = true;
    for_terms(
        [&](double factor, const TripleSum& s) {
          const DoublePair lead = two_sum(s.a1, s.a2);
          const double rest = absolute(lead.low) + absolute(s.a3) + s.error;
          decided &= is_finite(lead.high) && is_finite(rest);
          if (is_finite(factor)) return;
          decided &= absolute(lead.high) > 2 * rest;
          result += factor * (lead.high < 0 ? -1 : 1);
        },
        [&](double factor, double number) {
          if (!is_finite(factor) || !is_finite(number)) result += factor * number;
        });
    *out = static_cast<T>(result);
    return decided && !is_finite(result) && !is_nan(result);
  }
};

}  // namespace accublas
