// This header computes one element of GER, SYR, SYR2 and their kind: RN(c + alpha x y), with both products of SYR2 and
// HER2 (docs/modes.md, "Level 2 other than GEMV"). The products are summed error-free in floating point, which nearly
// always decides how the sum rounds; otherwise they are summed exactly.
#pragma once

#include "lib/numerics/complex.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/quotient.hpp"
#include "lib/numerics/update_bound.hpp"

namespace accublas {

/// A sum of at most eight products of three factors. The sum lies within update_error size of high + low.
struct QuickSum {
  double high, low = 0, size = 0;

  /// += f u v; returns false if a part of the product could overflow or underflow.
  ACCUBLAS_HD bool add(double f, double u, double v) {
    const DoublePair first = two_product(f, u), p = two_product(first.high, v);
    if (!(Approximation::in_range(first.high) && Approximation::in_range(p.high)))
      return (is_zero(f) || is_zero(u) || is_zero(v)) && is_finite(f) && is_finite(u) && is_finite(v);
    const double q = mul_rn(first.low, v);
    const DoublePair s = two_sum(high, p.high);
    high = s.high;
    low = add_rn(low, add_rn(s.low, add_rn(p.low, q)));
    size += absolute(s.low) + absolute(p.low) + absolute(q);
    return true;
  }

  /// Returns true if every number that the sum can be rounds to *to.
  template <class T>
  ACCUBLAS_HD bool round(T* to) const {
    const DoublePair s = two_sum(high, low);
    double error = size * update_error;
    if (sizeof(T) != sizeof(double)) error += absolute(s.high) * 0x1p-51;  // for the rounding to double on the way
    const T least = static_cast<T>(add_rn(s.high, add_rn(s.low, -error))),
            most = static_cast<T>(add_rn(s.high, add_rn(s.low, error)));
    *to = is_zero(least) ? T(0) : least;
    return to_bits(least) == to_bits(most) && is_finite(least) && (!is_zero(least) || (s.high == 0 && size == 0));
  }
};

template <class E>
struct UpdateElement {
  using T = RealOf<E>;

  E alpha, x, y;
  bool two_pairs = false;
  bool hermitian = false;  ///< the second product has conj(alpha)
  E x2{}, y2{};

  /// Returns part `part` of the element, whose value before the update was c.
  ACCUBLAS_HD T rounded(int part, T c) const {
    T result;
    return quickly(part, c, &result) ? result : exactly(*this, part, c);
  }

  ACCUBLAS_HD bool quickly(int part, T c, T* to) const {
    const Change change = change_of(part);
    QuickSum sum{static_cast<double>(c)};
    bool good = true;
    for (int g = 0; g < 2; ++g)
      for (int t = 0; t < most_terms; ++t)
        if (g < change.factors && t < change.terms) good &= sum.add(change.factor[g], change.u[g][t], change.v[g][t]);
    return good && sum.round(to);
  }

  /// This function is out of line and takes its argument by value, so that it takes no registers from `quickly` on a
  /// device.
  ACCUBLAS_HD ACCUBLAS_NOINLINE static T exactly(UpdateElement element, int part, T c) {
    const Change change = element.change_of(part);
    if (T infinity; infinite(change, c, &infinity)) return infinity;
    ComponentSum<T> sum;
    for (int g = 0; g < change.factors; ++g) {
      if (is_finite(change.factor[g])) {
        add_exactly(sum, change.factor[g], change.u[g], change.v[g], change.terms);
        continue;
      }
      // If a factor is infinite, only the class of the inner product matters: special, or its sign.
      ComponentSum<T> inner;
      add_exactly(inner, T(1), change.u[g], change.v[g], change.terms);
      sum.add_special(change.factor[g], inner.special_or_sign(), !inner.any_nan());
    }
    sum.add(T(1), c);
    return sum.round();
  }

 private:
  static constexpr int most_terms = 4;

  /// The change of a part of c: factor[g] times an inner product of the terms u v, for each part of alpha.
  struct Change {
    int factors, terms;  ///< terms: of each inner product
    T factor[2], u[2][most_terms], v[2][most_terms];
  };

  /// Returns whether an infinite factor, or an infinite c, makes the result infinite, and sets *to to it. The signs of
  /// the inner products with infinite factors decide that, and a QuickSum has them nearly always. Such a result raises
  /// no exceptions, since an operand is infinite. A result that is finite or NaN is not decided here.
  ACCUBLAS_HD static bool infinite(const Change& change, T c, T* to) {
    T result = is_finite(c) ? T(0) : c;
    for (int g = 0; g < change.factors; ++g) {
      QuickSum sum{0};
      for (int t = 0; t < change.terms; ++t)
        if (!sum.add(1, change.u[g][t], change.v[g][t])) return false;
      if (is_finite(change.factor[g])) continue;
      const DoublePair s = two_sum(sum.high, sum.low);
      if (!(absolute(s.high) > sum.size * (4 * update_error))) return false;
      result += change.factor[g] * T(s.high < 0 ? -1 : 1);
    }
    *to = result;
    return !is_finite(result) && !is_nan(result);
  }

  ACCUBLAS_HD Change change_of(int part) const {
    Change c;
    if constexpr (is_complex<E>) {
      c.factors = is_zero(alpha.im) ? 1 : 2;
      c.terms = two_pairs ? 4 : 2;
      c.factor[0] = alpha.re;
      c.factor[1] = part == 0 ? -alpha.im : alpha.im;
      put(c, 0, 0, part, x, y, false);
      put(c, 1, 0, 1 - part, x, y, false);
      if (two_pairs) {
        put(c, 0, 2, part, x2, y2, false);
        put(c, 1, 2, 1 - part, x2, y2, hermitian);
      }
    } else {
      c.factors = 1;
      c.terms = two_pairs ? 2 : 1;
      c.factor[0] = alpha;
      c.u[0][0] = x, c.v[0][0] = y;
      if (two_pairs) c.u[0][1] = x2, c.v[0][1] = y2;
    }
    return c;
  }

  ACCUBLAS_HD static void put(Change& c, int factor, int at, int part, const E& a, const E& b, bool negated) {
    const T re = negated ? -a.re : a.re, im = negated ? -a.im : a.im;
    c.u[factor][at] = re, c.v[factor][at] = part == 0 ? b.re : b.im;
    c.u[factor][at + 1] = part == 0 ? -im : im, c.v[factor][at + 1] = part == 0 ? b.im : b.re;
  }

  ACCUBLAS_HD static void add_exactly(ComponentSum<T>& sum, T factor, const T* u, const T* v, int terms) {
    if (is_zero(factor)) return;
    T special = 0;
    bool any_special = false, any_nan = false;
    for (int t = 0; t < terms; ++t)
      if (!is_finite(u[t]) || !is_finite(v[t])) {
        special += u[t] * v[t];
        any_special = true;
        any_nan |= is_nan(u[t]) || is_nan(v[t]);
      }
    if (any_special) return sum.add_special(factor, special, !any_nan);
    for (int t = 0; t < terms; ++t) {
      const Decoded a = decode(u[t]), b = decode(v[t]);
      const Uint128 product = static_cast<Uint128>(a.mantissa) * b.mantissa;
      const Wide<2> magnitude{{static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)}};
      sum.add(factor, wide_negate_if(magnitude, a.negative != b.negative), a.exponent + b.exponent);
    }
  }
};

}  // namespace accublas
