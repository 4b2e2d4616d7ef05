// RN(y / d) of exact sums (docs/modes.md, "TRSM"): an interval around the quotient decides nearly always. Otherwise y
// is compared with d times the numbers that y / d could be rounded to.
#pragma once

#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/eft.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/powers_of_two.hpp"
#include "lib/numerics/triple_sum.hpp"

namespace accublas {

/// A number known to lie within `error` of high + low, high = RN(high + low). The operations on numbers `in_range` add
/// their rounding errors to `error`, with room for the roundings of `error` itself.
struct Approximation {
  double high, low, error;

  ACCUBLAS_HD static Approximation of(const TripleSum& s) {
    const DoublePair x = two_sum(s.a2, s.a3), y = two_sum(s.a1, x.high), z = two_sum(y.low, x.low),
                     w = two_sum(y.high, z.high);
    const double low = w.low + z.low;
    const DoublePair sum = two_sum(w.high, low);
    return {sum.high, sum.low, (s.error + absolute(low) * 0x1p-52) * enlarged};
  }
  ACCUBLAS_HD Approximation times(double factor) const {
    const DoublePair p = two_product(high, factor);
    return joined(p.high, p.low, low * factor, error * absolute(factor));
  }
  ACCUBLAS_HD Approximation plus(const Approximation& o) const {
    const DoublePair s = two_sum(high, o.high);
    const double lows = low + o.low;
    return joined(s.high, s.low, lows, error + o.error + absolute(lows) * 0x1p-52);
  }
  /// Divides by d. d.error must be far below d.
  ACCUBLAS_HD Approximation over(const Approximation& d) const {
    const double first = high / d.high;
    const Approximation rest = plus(d.times(-first));
    const double second = rest.high / d.high;
    const DoublePair q = fast_two_sum(first, second);
    // The remainder of the dividend after `second`, and its rounding, which is below 2^-51 of it.
    const double left = absolute(rest.low) + rest.error + absolute(second) * (absolute(d.low) + d.error);
    return {q.high, q.low, ((left + underflow) / absolute(d.high) + absolute(second) * 0x1p-51) * enlarged};
  }
  ACCUBLAS_HD TripleSum sum() const { return {high, low, 0, error}; }

  /// Returns the approximation x with s = x 2^exponent, from the 106 leading bits of s; s is not zero.
  template <int L>
  ACCUBLAS_HD static Approximation leading(const Wide<L>& s, int* exponent) {
    const bool negative = wide_negative(s);
    const WideTop top = wide_top(wide_negate_if(s, negative));
    *exponent = top.shift + 127;
    const double sign = negative ? -1 : 1, first = sign * static_cast<double>(top.high >> 11),
                 second = sign * static_cast<double>((top.high & 0x7FF) << 42 | top.low >> 22);
    const DoublePair sum = fast_two_sum(first * 0x1p-52, second * 0x1p-105);
    return {sum.high, sum.low, 0x1p-105};
  }
  /// Returns this approximation times 2^exponent. `high` must stay above 2^-1000; other parts may underflow.
  ACCUBLAS_HD Approximation scaled(int exponent) const {
    const double first = power_of_two(exponent / 2), second = power_of_two(exponent - exponent / 2);
    const double lost = low != 0 || error != 0 ? underflow : 0;
    return {high * first * second, low * first * second, error * first * second + lost};
  }

  /// Sums and products of numbers in range are exact except for bits below 2^-1074, which `underflow` covers.
  ACCUBLAS_HD static bool in_range(double x) { return absolute(x) > 0x1p-200 && absolute(x) < 0x1p200; }
  static constexpr double underflow = 0x1p-1000;

 private:
  static constexpr double enlarged = 1 + 0x1p-40;

  ACCUBLAS_HD static Approximation joined(double high, double below, double more, double error) {
    const double low = below + more;
    const DoublePair s = two_sum(high, low);
    return {s.high, s.low, (error + (absolute(low) + absolute(more)) * 0x1p-52) * enlarged};
  }
};

/// Sets e to the exponent of the larger of two numbers. Returns false if one is at most 2^-190 of the other but not
/// zero.
ACCUBLAS_HD inline bool common_exponent(double first, double second, int& e) {
  const int a = exponent_of(first), b = exponent_of(second), least = a < b ? a : b;
  e = a > b ? a : b;
  return e != no_exponent && e <= greatest_exponent && (least == no_exponent || e - least < 190);
}

/// Rounds a quotient times 2^exponent that lies near a number halfway between two results, or on it, by the sign of
/// the numerator less the product of that number and the divisor. So it decides ties, and quotients that differ from
/// ties by terms far below the quotient's error. The quotient is numerator 2^-scale / divisor, for a divisor of a
/// magnitude between 1/2 and 1; `near` is an approximation of it. Returns false if it lies elsewhere, or if the
/// numerator's error does not tell the side.
template <class T>
ACCUBLAS_HD ACCUBLAS_NOINLINE bool round_near_half(TripleSum numerator, int scale, double divisor, TripleSum near,
                                                   int exponent, T& result) {
  using F = FloatFormat<T>;
  const double size = absolute(near.a1), rest = near.a1 < 0 ? -near.a2 : near.a2;
  const int least = exponent_of(size) + exponent - F::digits,
            unit = (least > F::min_exponent ? least : F::min_exponent) - exponent;  // 2^unit separates two results
  if (unit > 2 || exponent > F::max_exponent + F::digits - 4) return false;
  const double whole = static_cast<double>(static_cast<std::int64_t>(scaled_by(size, -unit))),
               more = (scaled_by(size, -unit) - whole) + scaled_by(rest, -unit), lower = more < 0 ? whole - 1 : whole;
  if (absolute(more - (lower - whole) - 0.5) >= 0.25) return false;
  // The products are multiples of 2^-54 before they are scaled.
  const int back = unit + scale;
  if (back < -1000 || scale > 1000) return false;
  const DoublePair below = two_product(lower, absolute(divisor));
  const double sign = (near.a1 < 0) != (divisor < 0) ? -1 : 1;  // of the numerator
  TripleSum beyond{sign * numerator.a1, sign * numerator.a2, sign * numerator.a3, numerator.error};
  triple_add(beyond, {-scaled_by(below.high, back), -scaled_by(below.low, back), 0, 0});
  triple_add(beyond, {-scaled_by(absolute(divisor), back - 1), 0, 0, 0});
  const Approximation side = Approximation::of(beyond);
  const bool tie = side.high == 0 && side.low == 0 && side.error == 0;
  if (!tie && !(absolute(side.high) > 2 * (absolute(side.low) + side.error))) return false;
  const bool up = tie ? static_cast<std::int64_t>(lower) % 2 != 0 : side.high > 0;
  result = static_cast<T>(scaled_by(near.a1 < 0 ? -(lower + up) : lower + up, unit + exponent));
  return true;
}

/// RN(y / d) for y != 0 and d > 0, known only through `sign`: sign(factor, a, b, c) returns exactly the sign of factor
/// abs(y) - d (a + b + c), for finite numbers a, b, c >= 0 of type T and a factor of 1 or 2. `guess` may be any number;
/// a closer guess needs fewer comparisons.
template <class T, class Sign>
ACCUBLAS_HD T round_quotient(bool negative, T guess, Sign&& sign) {
  using F = FloatFormat<T>;
  using Bits = typename F::Bits;
  // The search finds, by its bits, the largest number that is not above the magnitude of the quotient. Bits are ordered
  // as the numbers are.
  const auto reaches = [&](Bits bits) { return sign(1, from_bits<T>(bits), T(0), T(0)) >= 0; };
  constexpr Bits most = F::infinity - 1;
  Bits low = 0, above = F::infinity;  // reaches(low), and not `above` where that is finite
  if (!is_nan(guess)) {
    const Bits near = to_bits(guess) & ~F::sign;
    for (Bits bits : {near > 2 ? near - 2 : 0, near < most - 2 ? near + 2 : most}) {
      if (reaches(bits))
        low = bits > low ? bits : low;
      else
        above = bits < above ? bits : above;
    }
  }
  while (above - low > 1) {
    const Bits middle = low + (above - low) / 2;
    (reaches(middle) ? low : above) = middle;
  }
  // Above the largest finite number, the power of two that would follow takes the role of the next number. It is passed
  // as twice its half.
  const T one = from_bits<T>(low);
  constexpr T half_of_next = from_bits<T>(static_cast<Bits>(F::infinity - (Bits{1} << (F::digits - 1))));
  const int side = low < most ? sign(2, one, from_bits<T>(low + 1), T(0)) : sign(2, one, half_of_next, half_of_next);
  const Bits result = side > 0 || (side == 0 && (low & 1) != 0) ? low + 1 : low;
  return from_bits<T>(result | (negative ? F::sign : 0));
}

}  // namespace accublas
