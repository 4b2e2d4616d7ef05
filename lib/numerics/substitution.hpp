// Computes an unknown of a triangular system from the sum over the unknowns before it (docs/modes.md, "TRSM and TRSV").
// An interval around that sum decides nearly always; otherwise the exact sum does.
#pragma once

#include "lib/numerics/exact_sum.hpp"
#include "lib/numerics/parts.hpp"
#include "lib/numerics/powers_of_two.hpp"
#include "lib/numerics/quotient.hpp"
#include "lib/numerics/scaling.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas {

/// An unknown is x = RN((alpha b - sum) / pivot), for complex numbers part by part. With `unit` it is RN(alpha b -
/// sum), and the pivot is not used.
template <class E>
struct Unknown {
  using T = RealOf<E>;
  static constexpr int parts = parts_of<E>;

  E alpha, b, pivot;
  bool unit;
  double reciprocal;  ///< RN(1 / pivot) if numbers are real and the pivot is in range

  /// Returns the unknown of a pivot's row; each right-hand side has another b.
  ACCUBLAS_HD static Unknown of_row(const E& alpha, const E& pivot, bool unit) {
    Unknown unknown{alpha, {}, pivot, unit, 0};
    if constexpr (!is_complex<E>)
      if (!unit && Approximation::in_range(pivot)) unknown.reciprocal = 1 / static_cast<double>(pivot);
    return unknown;
  }

  /// Computes the unknown from sums that are known up to their errors. Returns false if they do not decide; `result` is
  /// then near the unknown, or any number.
  ACCUBLAS_HD bool approximate(const TripleSum (&sums)[parts], E& result) const {
    return approximate_scaled(sums, 0, result);
  }
  /// Same contract as `approximate`, for 2^scale times the sums.
  ACCUBLAS_HD bool approximate_scaled(const TripleSum (&sums)[parts], int scale, E& result) const {
    if constexpr (is_complex<E>)
      return approximate_parts(sums, scale, result);
    else
      return scale == 0 ? approximate_number(sums[0], result) : approximate_apart(sums[0], scale, result);
  }

  /// Rounds the quotient of the numerator alpha b - sum and the pivot, if the numerator's error decides it.
  ACCUBLAS_HD bool approximate_quotient(const TripleSum (&numerator)[parts], E& result) const {
    if constexpr (is_complex<E>)
      return quotient_of_parts(numerator, 0, result);
    else
      return quotient_of({numerator[0].a1, numerator[0].a2}, absolute(numerator[0].a2), numerator[0].error, result);
  }

  /// Rounds the quotient of 2^-scale times a real numerator by the pivot. It takes more operations than
  /// approximate_quotient, and works in the whole range.
  ACCUBLAS_HD bool approximate_quotient_apart(const TripleSum& above, int scale, T& result) const {
    const T divisor = unit ? T(1) : pivot;
    if (is_nan(divisor) || is_zero(divisor)) return false;
    const A y = A::of(above);
    if (is_nothing(y)) return result = T(0), true;
    if (!is_finite(divisor)) return false;
    const int of_divisor = exponent_above(divisor);
    if ((unit || above.error == 0) && last_set_bit(divisor) == absolute(divisor) &&
        // The exponent alone changes: the reciprocal of a subnormal power of two may be no number of type T.
        ziv_test(T(divisor < 0 ? -1 : 1), above, T(0), T(0), &result, 1 - of_divisor - scale))
      return true;
    if (y.high == 0) return false;
    const int of_y = exponent_above(y.high), exponent = of_y - of_divisor - scale;
    const A over = A{divisor, 0, 0}.scaled(-of_divisor), quotient = y.scaled(-of_y).over(over);
    if (rounds_to(quotient, exponent, result)) return true;
    // A quotient that is known so well lies near a number halfway between two results.
    return quotient.error < absolute(quotient.high) * 0x1p-62 &&
           round_near_half(above, of_y, over.high, quotient.sum(), exponent, result);
  }

  /// Computes the parts of the pivot's reciprocal. Returns false if a number is out of range.
  ACCUBLAS_HD bool reciprocal_of_pivot(Approximation (&to)[parts]) const {
    if constexpr (is_complex<E>) {
      const double re = pivot.re, im = pivot.im;
      if (!usable(re) || !usable(im) || (re == 0 && im == 0)) return false;
      const A size = squared_size(re, im);
      to[0] = re == 0 ? A{0, 0, 0} : A{re, 0, 0}.over(size);
      to[1] = im == 0 ? A{0, 0, 0} : A{-im, 0, 0}.over(size);
      return usable(to[0].high) && usable(to[1].high);
    } else {
      if (!A::in_range(pivot)) return false;
      to[0] = A{1, 0, 0}.over(A{pivot, 0, 0});
      return true;
    }
  }

  /// Computes the unknown exactly from minus the sums, and signals its exceptions. Without `by_leading` it uses
  /// comparisons alone, as the slow twin of complex quotients.
  template <bool by_leading = true>
  ACCUBLAS_HD ACCUBLAS_NOINLINE E exact(ExactSum<double> (&above)[parts]) const {
    T value[parts];
    for (int part = 0; part < parts; ++part)
      for_products(alpha, b, part, [&](T factor, T number) { above[part].add(factor, number); });
    for (int part = 0; part < parts; ++part)
      value[part] = unit ? above[part].template round<T>() : quotient<by_leading>(above, part);
    return joined(value);
  }

 private:
  using A = Approximation;

  /// Rounds a real unknown in a short chain of dependent operations, because unknowns wait for each other.
  ACCUBLAS_HD bool approximate_number(const TripleSum& sum, T& result) const {
    const DoublePair p = alpha == T(1) ? DoublePair{b, 0} : two_product(alpha, b), s = two_sum(p.high, -sum.a1);
    const double low = add_rn(add_rn(p.low, -sum.a2), add_rn(s.low, -sum.a3)),
                 lows = absolute(p.low) + absolute(sum.a2) + absolute(sum.a3) + absolute(s.low);
    // This error also covers the three roundings of low.
    const bool decided = quotient_of({s.high, low}, lows, sum.error + lows * 0x1p-51, result);
    return (decided && keeps_product(alpha, b, p.high)) || approximate_apart(sum, 0, result);
  }
  /// Rounds a real unknown whose numerator cancels or is out of range, or whose sum has no error. The numerator keeps
  /// three parts, and it and the pivot are divided by powers of two.
  ACCUBLAS_HD ACCUBLAS_NOINLINE bool approximate_apart(const TripleSum& sum, int scale, T& result) const {
    TripleSum above;
    return numerator(0, sum, scale, above) && approximate_quotient_apart(above, scale, result);
  }
  /// Rounds x 2^exponent, where x is between 1/4 and 4.
  ACCUBLAS_HD static bool rounds_to(const A& x, int exponent, T& result) {
    using F = FloatFormat<T>;
    constexpr int least = F::min_exponent + F::digits + 2, most = F::max_exponent + F::digits - 4;
    if (exponent < least || exponent > most) return ziv_test(T(1), x.sum(), T(0), T(0), &result, exponent);
    const bool decided = ziv_test({x.high, x.low}, x.error, &result);
    result = static_cast<T>(scaled_by(result, exponent));
    return decided;
  }
  /// Returns whether a numerator and its quotient by a pivot in range leave an exact rest, and are far from underflow.
  ACCUBLAS_HD static bool has_exact_rest(double x) { return absolute(x) > 0x1p-850 && absolute(x) < 0x1p850; }
  /// Rounds the quotient of the numerator high + low, which is first + second; `lows` is not less than abs(low).
  ACCUBLAS_HD bool quotient_of(const DoublePair& numerator, double lows, double error, T& result) const {
    double high = numerator.high, low = numerator.low;
    if (high == -low && error == 0) {
      result = T(0);
      return unit || A::in_range(pivot);
    }
    if (unit) return ziv_test({high, low}, error, &result);
    const double d = pivot, first = high * reciprocal, rest = fma_rn(-first, d, high);
    // abs(rest) < 2^-51 abs(high). The error covers the roundings of rest, of rest + low, of the product and of the
    // reciprocal.
    error += absolute(high) * 0x1p-100 + lows * 0x1p-50;
    return A::in_range(d) && has_exact_rest(high) && has_exact_rest(first) &&
           ziv_test({first, (rest + low) * reciprocal}, (error * absolute(reciprocal) + A::underflow) * (1 + 0x1p-40),
                    &result);
  }

  /// Rounds the parts of a complex unknown, from 2^scale times the sums.
  ACCUBLAS_HD bool approximate_parts(const TripleSum (&sums)[parts], int scale, E& result) const {
    TripleSum above[parts];
    for (int part = 0; part < parts; ++part)
      if (!numerator(part, sums[part], scale, above[part])) return false;
    return quotient_of_parts(above, scale, result);
  }
  /// Rounds the parts of the quotient of 2^-scale times a complex numerator and the pivot.
  ACCUBLAS_HD bool quotient_of_parts(const TripleSum (&above)[parts], int scale, E& result) const {
    T value[parts];
    bool decided = true;
    for (int part = 0; part < parts; ++part) {
      TripleSum quotient = above[part];
      int exponent = 0;
      if (!unit && !divide({A::of(above[0]), A::of(above[1])}, pivot.re, pivot.im, part, quotient)) {
        const TripleSum copy[parts] = {above[0], above[1]};  // so that `above` can stay in registers
        if (!divide_apart(copy, part, quotient, exponent)) return false;
      }
      if (is_nothing(A::of(quotient))) {
        value[part] = T(0);
      } else {
        value[part] = static_cast<T>(quotient.a1);
        decided &= ziv_test(T(1), quotient, T(0), T(0), &value[part], exponent - scale);
      }
    }
    result = joined(value);
    return decided;
  }

  /// Returns whether the product of two numbers, rounded to `high`, and its error are doubles.
  ACCUBLAS_HD static bool keeps_product(T factor, T number, double high) {
    return factor == T(1) || (is_zero(number) && is_finite(factor)) ||
           (absolute(high) > 0x1p-960 && absolute(high) < 0x1p1000);
  }

  ACCUBLAS_HD static E joined(const T (&value)[parts]) {
    if constexpr (is_complex<E>)
      return {value[0], value[1]};
    else
      return value[0];
  }

  /// Sets `to` to alpha b 2^scale - sum. Returns false if a product overflows.
  ACCUBLAS_HD bool numerator(int part, const TripleSum& sum, int scale, TripleSum& to) const {
    to = {-sum.a1, -sum.a2, -sum.a3, sum.error};
    bool good = true;
    for_products(alpha, b, part, [&](T factor, T number) {
      good &= scale == 0 || is_finite(number);
      const double scaled = scale == 0 ? double{number} : scaled_by(number, scale);
      const DoublePair p = two_product(factor, scaled);
      good &= factor == T(1) || absolute(p.high) < 0x1p1000;
      // Bits below 2^-1074 may be lost, of the scaled number and of the product.
      const bool keeps =
          keeps_product(factor, number, p.high) && (scale == 0 || is_zero(number) || absolute(scaled) > 0x1p-960);
      triple_add(to, {p.high, p.low, 0, keeps ? 0 : (absolute(factor) + 1) * A::underflow});
    });
    return good && triple_known(to);
  }
  ACCUBLAS_HD static bool is_nothing(const A& x) { return x.high == 0 && x.low == 0 && x.error == 0; }
  /// Returns whether x is zero or in range.
  ACCUBLAS_HD static bool usable(double x) { return x == 0 || Approximation::in_range(x); }

  /// Computes a part of the quotient of complex numbers anywhere in the range, as `to` times 2^exponent. Returns false
  /// if the parts of a number are too far from each other.
  ACCUBLAS_HD ACCUBLAS_NOINLINE bool divide_apart(const TripleSum (&above)[parts], int part, TripleSum& to,
                                                  int& exponent) const {
    const A y[parts] = {A::of(above[0]), A::of(above[1])};
    int of_y = 0, of_pivot = 0;
    if (!common_exponent(y[0].high, y[1].high, of_y) || !common_exponent(pivot.re, pivot.im, of_pivot)) return false;
    exponent = of_y - of_pivot;
    return divide({y[0].scaled(-of_y), y[1].scaled(-of_y)}, scaled_by(pivot.re, -of_pivot),
                  scaled_by(pivot.im, -of_pivot), part, to);
  }

  ACCUBLAS_HD static A squared_size(double re, double im) { return A{re, 0, 0}.times(re).plus(A{im, 0, 0}.times(im)); }
  /// Computes a part of the quotient of complex numbers. Returns false if a number is out of range.
  ACCUBLAS_HD static bool divide(const A (&y)[2], double re, double im, int part, TripleSum& to) {
    for (const A& x : y)
      if (!(A::in_range(x.high) || is_nothing(x))) return false;
    if (!usable(re) || !usable(im) || (re == 0 && im == 0)) return false;
    const A &first = y[part], &second = y[1 - part];
    const A dividend = first.times(re).plus(second.times(part == 0 ? im : -im));
    // A product by a single double, or by zero, loses nothing.
    const auto exact = [](const A& x, double factor) { return (x.low == 0 && x.error == 0) || factor == 0; };
    if (is_nothing(dividend) && exact(first, re) && exact(second, im)) {
      to = {0, 0, 0, 0};
      return true;
    }
    const A quotient = dividend.over(squared_size(re, im));
    to = quotient.sum();
    return A::in_range(quotient.high);
  }

  /// Rounds (sums[0] f[0] + sums[1] f[1]) / (f[0]^2 + f[1]^2) by the leading bits of the sums, which have units of
  /// 2^LongAccumulator::min_exponent. Returns false if these do not decide; `result` is then near, or zero. At least
  /// one term must not be zero. Sums and factors are scaled exactly, so that the largest of each is between 1/2 and 2;
  /// only ratios matter. A sum below 2^-250 of the other one counts as an error. Other sums are multiples of 2^-355,
  /// and factors of 2^-500, so that no product has bits below 2^-1000, and Approximation holds.
  ACCUBLAS_HD static bool quotient_by_leading(const Wide<LongAccumulator::limbs>* const (&sums)[2], const T (&f)[2],
                                              T& result) {
    constexpr int none = -0x8000;
    A y[2]{};
    Decoded factor[2];
    int exponent[2], most = none, most_of_factors = none;
    for (int i = 0; i < 2; ++i) {
      factor[i] = decode(f[i]);
      exponent[i] = none;
      if (is_zero(f[i])) continue;
      const int above = exponent_above(f[i]);
      if (above > most_of_factors) most_of_factors = above;
      if (wide_bit_length(*sums[i]) != 0) y[i] = A::leading(*sums[i], &exponent[i]);
      if (exponent[i] > most) most = exponent[i];
    }
    A dividend{}, divisor{};
    for (int i = 0; i < 2; ++i) {
      if (is_zero(f[i])) continue;
      const int shift = factor[i].exponent - most_of_factors;
      if (shift < -500) return false;
      const double by =
          (factor[i].negative ? -1.0 : 1.0) * static_cast<double>(factor[i].mantissa) * power_of_two(shift);
      divisor = divisor.plus(A{by, 0, 0}.times(by));
      if (exponent[i] == none) continue;
      const A term = exponent[i] < most - 250 ? A{0, 0, 0x1p-249} : y[i].scaled(exponent[i] - most);
      dividend = dividend.plus(term.times(by));
    }
    const A quotient = dividend.over(divisor);
    if (!A::in_range(quotient.high)) return false;
    const int size = exponent_above(quotient.high) - 1;
    const A one = quotient.scaled(-size);  // from 1 to 2
    const bool decided = ziv_test({one.high, one.low}, one.error, &result);
    // The result is from 1 to 2. Multiplying it by a power of two loses nothing in the range of normal numbers.
    using F = FloatFormat<T>;
    const int scale = size + most - most_of_factors + LongAccumulator::min_exponent;
    const Decoded d = decode(result);
    result = round_to<T>(d.negative, d.mantissa << (64 - F::digits), false, d.exponent - (64 - F::digits) + scale);
    return decided && scale >= F::min_exponent + F::digits - 1 && scale < F::max_exponent + F::digits - 1;
  }

  /// Same contract as above for sum / d, a real sum over a finite number; neither is zero.
  ACCUBLAS_HD static bool quotient_by_leading(const Wide<LongAccumulator::limbs>& sum, T d, T& result) {
    int of_sum = 0;
    const int of_d = exponent_above(d);
    const A quotient = A::leading(sum, &of_sum).over(A{d, 0, 0}.scaled(-of_d));
    return rounds_to(quotient, of_sum + LongAccumulator::min_exponent - of_d, result);
  }

  /// Returns the canonical NaN. Unless an operand is NaN, too, it signals that the NaN was made.
  ACCUBLAS_HD static T nan_of(bool any_nan) {
    if (!any_nan) signal_exceptions(exceptions::invalid);
    return canonical_nan<T>();
  }
  /// Returns the quotient of a special number and a number; any_nan says whether an operand is NaN.
  ACCUBLAS_HD static T special_quotient(T special, T divisor, bool any_nan) {
    const T result = special / divisor;
    return is_nan(result) ? nan_of(any_nan || is_nan(divisor)) : result;
  }
  /// Returns the quotient of a finite number with this sign and a zero.
  ACCUBLAS_HD static T quotient_by_zero(T sign, T zero) {
    if (sign == 0) return nan_of(false);
    signal_exceptions(exceptions::division_by_zero);
    return sign / zero;
  }
  /// Returns a rounded quotient of finite numbers, and signals its overflow.
  ACCUBLAS_HD static T checked(T quotient) {
    if (!is_finite(quotient)) signal_exceptions(exceptions::overflow);
    return quotient;
  }

  /// Computes a part of the exact quotient, rounded.
  template <bool by_leading>
  ACCUBLAS_HD T quotient(const ExactSum<double> (&above)[parts], int part) const {
    T special[parts], sign[parts];
    bool any_special[parts];
    Wide<LongAccumulator::limbs> sum[parts];
    for (int i = 0; i < parts; ++i) {
      double value = 0;
      any_special[i] = above[i].special(value);
      special[i] = static_cast<T>(value);
      sum[i] = above[i].value();
      sign[i] = T(wide_negative(sum[i]) ? -1 : wide_bit_length(sum[i]) != 0);
    }
    if constexpr (is_complex<E>) {
      const T factor[2] = {pivot.re, part == 0 ? pivot.im : -pivot.im};  // of this part of y and of the other
      if (is_nan(pivot.re) || is_nan(pivot.im)) return canonical_nan<T>();
      if (!is_finite(pivot.re) || !is_finite(pivot.im))
        return any_special[0] || any_special[1] ? nan_of(above[0].any_nan() || above[1].any_nan()) : T(0);
      const bool zero = is_zero(pivot.re) && is_zero(pivot.im);
      if (zero)
        return any_special[part] ? special_quotient(special[part], pivot.re, above[part].any_nan())
                                 : quotient_by_zero(sign[part], pivot.re);
      T infinite = 0;
      bool is_infinite = false, nothing = true, any_nan = false;
      for (int i = 0; i < 2; ++i) {
        const int of = i == 0 ? part : 1 - part;
        if (is_zero(factor[i])) continue;
        if (any_special[of]) {
          infinite += special[of] * factor[i];
          is_infinite = true;
          any_nan |= above[of].any_nan();
        }
        nothing &= sign[of] == 0;
      }
      if (is_infinite) return is_nan(infinite) ? nan_of(any_nan) : infinite;
      T near = 0;
      if (nothing) return near;
      if (quotient_by_leading({&sum[part], &sum[1 - part]}, factor, near) && by_leading) return near;
      ComponentSum<double> y;
      for (int i = 0; i < 2; ++i) y.add(factor[i], sum[i == 0 ? part : 1 - part], LongAccumulator::min_exponent);
      const bool negative = y.sign() < 0;
      if (y.sign() == 0) return T(0);
      return checked(round_quotient<T>(negative, near, [&](int times, T a, T b, T c) {
        ComponentSum<double> left;
        for (int i = 0; i < 2; ++i) {
          const double f = factor[i], scale = (negative ? -1 : 1) * times;
          // Twice a factor may exceed the largest number, so the factor is added two times.
          for (int again = 0; again < times; ++again)
            left.add(f * (scale / times), sum[i == 0 ? part : 1 - part], LongAccumulator::min_exponent);
          const Decoded d = decode(f);
          const Uint128 square = static_cast<Uint128>(d.mantissa) * d.mantissa;
          const Wide<3> wide{{static_cast<std::uint64_t>(square), static_cast<std::uint64_t>(square >> 64), 0}};
          const T of_x[3] = {a, b, c};
          for (int v = 0; v < 3; ++v) left.add(-static_cast<double>(of_x[v]), wide, 2 * d.exponent);
        }
        return left.sign();
      }));
    } else {
      const T d = pivot;
      if (any_special[0]) return special_quotient(special[0], d, above[0].any_nan());
      if (is_nan(d)) return canonical_nan<T>();
      if (is_zero(d)) return quotient_by_zero(sign[0], d);
      if (sign[0] == 0) return T(0);
      const bool negative = (sign[0] < 0) != (d < 0);
      if (!is_finite(d)) return negative ? -T(0) : T(0);
      if constexpr (by_leading)
        if (T leading{}; quotient_by_leading(sum[0], d, leading)) return leading;
      const double size = absolute(d), near = above[0].nearest() / d;
      return checked(round_quotient<T>(negative, static_cast<T>(near), [&](int times, T a, T b, T c) {
        ComponentSum<double> left;
        left.add(sign[0] * times, sum[0], LongAccumulator::min_exponent);
        const T of_x[3] = {a, b, c};
        for (int v = 0; v < 3; ++v) left.add(-size, static_cast<double>(of_x[v]));
        return left.sign();
      }));
    }
  }
};

}  // namespace accublas
