// One component of a complex result, alpha S + beta c: up to four products of a real factor and a real number, summed
// exactly and rounded once (docs/modes.md, "Complex types").
#pragma once

#include "lib/numerics/complex.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/numerics/rounding.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas {

/// Returns whether both components are zero.
template <class T>
ACCUBLAS_HD bool is_zero(const Complex<T>& z) {
  return is_zero(z.re) && is_zero(z.im);
}

/// Returns whether a component of alpha S has the mode's value. This holds if each component of S that contributes to
/// it has been kept: `own` for the same component, and `other` for the other one. Otherwise it takes cr's value.
template <class T>
ACCUBLAS_HD bool is_kept(const Complex<T>& alpha, bool own, bool other) {
  return (own || is_zero(alpha.re)) && (other || is_zero(alpha.im));
}

/// A sum of products that is rounded once. A factor that is zero contributes no term. Infinite and NaN terms determine
/// the result as IEEE arithmetic on those terms alone does.
template <class T>
class ComponentSum {
 public:
  /// Adds factor S 2^exponent, where S is an inner product of doubles in units of 2^-2510 or more.
  template <int L>
  ACCUBLAS_HD void add(T factor, const Wide<L>& s, int exponent) {
    if (is_zero(factor)) return;
    const bool negative = wide_negative(s);
    const Wide<L> magnitude = wide_negate_if(s, negative);
    if (!is_finite(factor)) {
      add_special(factor, T(wide_bit_length(magnitude) == 0 ? 0 : negative ? -1 : 1));
      return;
    }
    const Decoded f = decode(factor);
    // Most magnitudes occupy only a few limbs.
    ACCUBLAS_WORDS(L)
    for (int i = 0; i < L; ++i)
      if (magnitude.limb[i] != 0)
        add_product(static_cast<Uint128>(magnitude.limb[i]) * f.mantissa, 64 * i + exponent + f.exponent - base,
                    negative != f.negative);
  }

  /// Adds factor x, where x may be any number.
  ACCUBLAS_HD void add(T factor, double x) {
    if (is_zero(factor)) return;
    if (!is_finite(x)) return add_special(factor, static_cast<T>(x));
    const Decoded d = decode(x);
    const Wide<1> mantissa = wide_from<1>(static_cast<std::int64_t>(d.mantissa));
    add(factor, wide_negate_if(mantissa, d.negative), d.exponent);
  }

  /// Adds factor S if this product is infinite or NaN. factor is not zero. `made` says that no operand of a NaN S is
  /// NaN.
  ACCUBLAS_HD void add_special(T factor, T s, bool made = false) {
    special_ += factor * s;
    any_special_ = true;
    any_nan_ |= is_nan(factor) || (is_nan(s) && !made);
  }

  /// Returns the sign of the sum of the finite terms: -1, 0 or 1.
  ACCUBLAS_HD int sign() const { return wide_negative(sum_) ? -1 : wide_bit_length(sum_) != 0; }
  /// Returns the sum of the infinite and NaN terms, or else the sign of the sum.
  ACCUBLAS_HD T special_or_sign() const { return any_special_ ? special_ : T(sign()); }
  /// Returns whether an operand is NaN.
  ACCUBLAS_HD bool any_nan() const { return any_nan_; }

  /// Returns the rounded sum, and signals its exceptions. An exact zero is +0.
  ACCUBLAS_HD T round() const {
    if (any_special_) {
      const T result = canonical(special_);
      if (is_nan(result) && !any_nan_) signal_exceptions(exceptions::invalid);
      return result;
    }
    const bool negative = wide_negative(sum_);
    const WideTop top = wide_top(wide_negate_if(sum_, negative));
    if (top.high == 0) return T(0);
    const T result = round_to<T>(negative, top.high, top.low != 0 || top.lost, base + top.shift + 64);
    if (!is_finite(result)) signal_exceptions(exceptions::overflow);
    return result;
  }

 private:
  /// Adds or subtracts product 2^shift.
  ACCUBLAS_HD void add_product(Uint128 product, int shift, bool negative) {
    const int bits = shift & 63;
    const Uint128 low = product << bits;
    const std::uint64_t part[3] = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64),
                                   bits == 0 ? 0 : static_cast<std::uint64_t>(product >> (128 - bits))};
    const std::uint64_t fill = negative ? ~std::uint64_t{0} : 0;
    Uint128 carry = fill & 1;
    ACCUBLAS_WORDS(limbs)
    for (int i = shift >> 6, p = 0; i < limbs; ++i, ++p) {
      const Uint128 t = carry + sum_.limb[i] + ((p < 3 ? part[p] : 0) ^ fill);
      sum_.limb[i] = static_cast<std::uint64_t>(t);
      carry = t >> 64;
      if (p >= 2 && carry == (fill & 1)) return;  // nothing changes further up
    }
  }

  // The sum reaches from 2^-2510 2^-1074 up to the largest factor times 2^2110.
  static constexpr int base = -3584, limbs = 112;
  Wide<limbs> sum_{};
  T special_ = 0;
  bool any_special_ = false, any_nan_ = false;
};

/// beta c of a call with alpha = 0 or k = 0, rounded once. A sum of zeros alone is -0 if each of them is -0.
template <class T>
ACCUBLAS_HD Complex<T> finish_scaled(const Complex<T>& beta, const Complex<T>& c) {
  const auto component = [](T factor, T x, T other_factor, T y) {
    if (is_zero(other_factor)) return finish_scaled(factor, x);
    if (is_zero(factor)) return finish_scaled(other_factor, y);
    if (is_zero(x) && is_zero(y) && is_finite(factor) && is_finite(other_factor)) return factor * x + other_factor * y;
    ComponentSum<T> sum;
    sum.add(factor, x);
    sum.add(other_factor, y);
    return sum.round();
  };
  if (beta == T(0)) return {};
  return {component(beta.re, c.re, -beta.im, c.im), component(beta.re, c.im, beta.im, c.re)};
}

}  // namespace accublas
