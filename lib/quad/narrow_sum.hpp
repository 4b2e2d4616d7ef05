// Exact sums of products in integers of fixed size, which a thread of a GPU holds in registers, while the exponents of
// the terms lie close together. For host and device.
#pragma once

#include "lib/numerics/crt.hpp"
#include "lib/quad/finish.hpp"

namespace accublas::quad {

/// Where the terms of a sum lie: they are multiples of 2^base, and their parts begin at exponents up to `highest`.
struct TermRange {
  static constexpr int none = 0x3FFFFFFF;
  /// Bit of `flags` beside the classes of infinite and NaN terms: the sum is not formed, since its terms lie far apart.
  static constexpr unsigned wide = 16;

  int base = none, highest = -none;
  unsigned flags = 0;

  ACCUBLAS_HD bool empty() const { return highest < base; }
};

/// Writes a finite number as one integer, up to 2^128, times a power of two. Returns false for infinities, NaN, and
/// pairs of a wider span.
ACCUBLAS_HD inline bool as_integer(const Binary128& x, Decoded128& to) {
  to = decode128(x);
  return is_finite(x);
}
ACCUBLAS_HD inline bool as_integer(double x, Decoded128& to) {
  to = decode128(x);
  return is_finite(x);
}
ACCUBLAS_HD inline bool as_integer(double first, double second, Decoded128& to) {
  const Decoded128 a = decode128(first), b = decode128(second);
  if (!is_finite(first) || !is_finite(second)) return false;
  if (a.mantissa == 0 || b.mantissa == 0) {
    to = a.mantissa == 0 ? b : a;
    return true;
  }
  constexpr int most = 127 - 53;
  const bool first_is_higher = a.exponent >= b.exponent;
  const int up = first_is_higher ? a.exponent - b.exponent : b.exponent - a.exponent;
  if (up > most) return false;
  const Uint128 high = (first_is_higher ? a.mantissa : b.mantissa) << up,
                low = first_is_higher ? b.mantissa : a.mantissa;
  const bool of_high = first_is_higher ? a.negative : b.negative, of_low = first_is_higher ? b.negative : a.negative;
  const bool same = of_high == of_low, high_is_larger = same || high >= low;
  to.exponent = first_is_higher ? b.exponent : a.exponent;
  to.mantissa = same ? high + low : high_is_larger ? high - low : low - high;
  to.negative = high_is_larger ? of_high : of_low;
  return true;
}

/// The range of a term x y, or -x y with `negate`, with a factor that is no such integer: the term is infinite or NaN,
/// or makes its sum wide.
ACCUBLAS_HD inline TermRange range_of_term(const Number& x, const Number& y, bool negate = false) {
  TermRange range;
  if (!x.finite() || !y.finite()) {
    Number negated = y;
    negated.negative = y.negative != negate;
    TermClasses classes;
    classes.add(x, negated);
    range.flags = classes.bits();
    return range;
  }
  for (int i = 0; i < x.parts; ++i)
    for (int j = 0; j < y.parts; ++j) {
      const int exponent = x.part[i].exponent + y.part[j].exponent;
      range.flags = TermRange::wide;
      if (exponent < range.base) range.base = exponent;
      if (exponent > range.highest) range.highest = exponent;
    }
  return range;
}

/// The exact sum of terms x y whose exponents differ by up to `most_spread`, in units of 2^range.base.
struct NarrowSum {
  /// Products are below 2^256, and there are fewer than 2^38 of them: their sum is below 2^342, as
  /// IntervalFinish::decide asks for.
  static constexpr int most_spread = 48;

  TermRange range;
  Wide<crt_limbs> sum{};

  ACCUBLAS_HD bool is_wide() const { return (range.flags & TermRange::wide) != 0; }

  /// Adds x y, or -x y with `negate`.
  ACCUBLAS_HD void add(const Decoded128& x, const Decoded128& y, bool negate = false) {
    if (x.mantissa == 0 || y.mantissa == 0) return;
    const int exponent = x.exponent + y.exponent;
    include(exponent, exponent);
    if (!is_wide()) add_product(x, y, exponent - range.base, negate);
  }
  /// Adds a term that has this range alone.
  ACCUBLAS_HD void add(const TermRange& term) {
    range.flags |= term.flags;
    if (!term.empty()) include(term.base, term.highest);
  }

  /// Adds another sum.
  ACCUBLAS_HD void merge(const NarrowSum& o) {
    range.flags |= o.range.flags;
    if (o.range.empty()) return;
    include(o.range.base, o.range.highest);
    if (!is_wide()) sum = wide_add(sum, shifted(o.sum, o.range.base - range.base));
  }

  /// The sum, whose magnitude is written to `limbs`.
  ACCUBLAS_HD SignedLimbs value(std::uint64_t (&limbs)[crt_limbs]) const {
    const bool negative = wide_negative(sum);
    const Wide<crt_limbs> magnitude = wide_negate_if(sum, negative);
    int count = 0;
    for (int i = 0; i < crt_limbs; ++i) {
      limbs[i] = magnitude.limb[i];
      if (limbs[i] != 0) count = i + 1;
    }
    return {limbs, count, range.empty() ? 0 : range.base, negative};
  }

 private:
  /// x 2^up, 0 <= up < 64.
  ACCUBLAS_HD static Wide<crt_limbs> shifted(const Wide<crt_limbs>& x, int up) {
    Wide<crt_limbs> r;
    ACCUBLAS_WORDS(crt_limbs)
    for (int i = 0; i < crt_limbs; ++i) r.limb[i] = x.limb[i] << up | (i > 0 ? x.limb[i - 1] >> 1 >> (63 - up) : 0);
    return r;
  }

  /// Widens the range to exponents low ... high.
  ACCUBLAS_HD void include(int low, int high) {
    const bool was_empty = range.empty();
    if (high > range.highest) range.highest = high;
    const int up = range.base - low;
    if (up > 0) range.base = low;
    if (range.highest - range.base > most_spread) range.flags |= TermRange::wide;
    if (up > 0 && !was_empty && !is_wide()) sum = shifted(sum, up);
  }

  ACCUBLAS_HD void add_product(const Decoded128& x, const Decoded128& y, int up, bool negate) {
    const std::uint64_t x0 = static_cast<std::uint64_t>(x.mantissa), x1 = static_cast<std::uint64_t>(x.mantissa >> 64),
                        y0 = static_cast<std::uint64_t>(y.mantissa), y1 = static_cast<std::uint64_t>(y.mantissa >> 64);
    const Uint128 low = static_cast<Uint128>(x0) * y0, first = static_cast<Uint128>(x0) * y1 + (low >> 64),
                  second = static_cast<Uint128>(x1) * y0 + static_cast<std::uint64_t>(first),
                  high = static_cast<Uint128>(x1) * y1 + (first >> 64) + (second >> 64);
    const std::uint64_t p[4] = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(second),
                                static_cast<std::uint64_t>(high), static_cast<std::uint64_t>(high >> 64)};
    const bool negative = (x.negative != y.negative) != negate;
    const std::uint64_t mask = negative ? ~std::uint64_t{0} : 0;
    std::uint64_t carry = negative;
    ACCUBLAS_WORDS(crt_limbs)
    for (int i = 0; i < crt_limbs; ++i) {
      const std::uint64_t word = (i < 4 ? p[i] << up : 0) | (i > 0 && i < 5 ? p[i - 1] >> 1 >> (63 - up) : 0);
      const Uint128 t = static_cast<Uint128>(sum.limb[i]) + (word ^ mask) + carry;
      sum.limb[i] = static_cast<std::uint64_t>(t);
      carry = static_cast<std::uint64_t>(t >> 64);
    }
  }
};

}  // namespace accublas::quad
