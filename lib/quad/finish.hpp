// The last step of a product beyond double precision: alpha S + beta c is formed exactly and rounded once. For host and
// device; device code signals no exceptions, but returns them.
#pragma once

#include "lib/base/exceptions.hpp"
#include "lib/numerics/rounding.hpp"
#include "lib/numerics/wide_sum.hpp"
#include "lib/quad/number.hpp"

namespace accublas::quad {

/// The class of a sum of terms x y, some of which may be infinite or NaN.
struct TermClasses {
  bool plus = false, minus = false, made_nan = false, any_nan = false;

  ACCUBLAS_HD void add(const Number& x, const Number& y) {
    if (x.kind == Number::Kind::nan || y.kind == Number::Kind::nan) {
      any_nan = true;
    } else if (x.is_zero() || y.is_zero()) {
      made_nan = true;  // one of them is infinite
    } else {
      (x.negative != y.negative ? minus : plus) = true;
    }
  }
  ACCUBLAS_HD bool special() const { return plus || minus || made_nan || any_nan; }
  /// The classes as bits of an integer, and back.
  static constexpr unsigned all_bits = 15;
  ACCUBLAS_HD unsigned bits() const {
    return (plus ? 1u : 0) | (minus ? 2u : 0) | (made_nan ? 4u : 0) | (any_nan ? 8u : 0);
  }
  ACCUBLAS_HD static TermClasses of_bits(unsigned bits) {
    TermClasses classes;
    classes.plus = (bits & 1) != 0;
    classes.minus = (bits & 2) != 0;
    classes.made_nan = (bits & 4) != 0;
    classes.any_nan = (bits & 8) != 0;
    return classes;
  }
  /// +Inf, -Inf or NaN.
  ACCUBLAS_HD double value() const {
    if (any_nan || made_nan || (plus && minus)) return canonical_nan<double>();
    return plus ? HUGE_VAL : -HUGE_VAL;
  }
};

/// The most bits of alpha S + beta c lie from 2^-49482 (a subnormal alpha times a product of subnormal numbers) to
/// 2^49152 times 2^62 terms; pairs have two parts, which adds a bit. The first and the last limb of S may be partly
/// used.
inline constexpr int combined_limbs = (49482 + 49152 + 64) / 64 + 5;

/// The product of two parts, of up to four limbs.
struct PartProduct {
  std::uint64_t limb[4];
  int count;
  std::int64_t exponent;
  bool negative;

  PartProduct() = default;
  ACCUBLAS_HD PartProduct(const Decoded128& x, const Decoded128& y)
      : exponent(std::int64_t{x.exponent} + y.exponent), negative(x.negative != y.negative) {
    const std::uint64_t a[2] = {static_cast<std::uint64_t>(x.mantissa), static_cast<std::uint64_t>(x.mantissa >> 64)},
                        b[2] = {static_cast<std::uint64_t>(y.mantissa), static_cast<std::uint64_t>(y.mantissa >> 64)};
    limbs_multiply(limb, a, 2, b, 2);
    count = 4;
    while (count > 0 && limb[count - 1] == 0) --count;
  }
};

ACCUBLAS_HD inline bool is_power_of_two(const Number& x) {
  return x.finite() && x.parts == 1 && (x.part[0].mantissa & (x.part[0].mantissa - 1)) == 0;
}

/// Rounds alpha S + beta c. Each thread has its own, which is large.
class Finish {
 public:
  ACCUBLAS_HD Finish(const Number& alpha, const Number& beta, Format format);

  ACCUBLAS_HD Format format() const { return format_; }
  /// Whether the result is S times +-a power of two, which is that of `scale`.
  ACCUBLAS_HD bool simple() const { return simple_; }
  /// (-1)^negative 2^exponent.
  struct Scale {
    int exponent;
    bool negative;
  };
  ACCUBLAS_HD Scale scale() const;

  /// RN(alpha S + beta c) for finite alpha, S, beta, c. `c` is not read if beta is 0. Signals nothing.
  ACCUBLAS_HD Value round(const SignedLimbs& s, const Number& c);
  /// Same contract as `round`; signals the exceptions of the result.
  ACCUBLAS_HD Value finish(const SignedLimbs& s, const Number& c);
  /// The result for any operands: S is finite unless `classes` says that it is not.
  ACCUBLAS_HD Value finish(const SignedLimbs& s, const TermClasses& classes, const Number& c) {
    unsigned raised = exceptions::none;
    const Value value = finish(s, classes, c, raised);
    signal_exceptions(raised);
    return value;
  }
  /// Same result; the exceptions are added to `raised` and not signalled.
  ACCUBLAS_HD Value finish(const SignedLimbs& s, const TermClasses& classes, const Number& c, unsigned& raised);
  /// The IEEE product beta c of a call with alpha = 0 or without terms; +0 if beta is 0.
  ACCUBLAS_HD Value scaled(const Number& c);

  /// Signals the exceptions of a result of `round`.
  ACCUBLAS_HD void signal_finite(const Value& result) const { signal_exceptions(exceptions_of(result, false, true)); }
  /// Whether the result for a finite S and this c is that of `round`.
  ACCUBLAS_HD bool finite(const Number& c) const {
    return alpha_.finite() && (beta_.is_zero() || (beta_.finite() && c.finite()));
  }

  /// Returns the exceptions of a result; any_nan: an operand is NaN; all_finite: all operands are finite.
  ACCUBLAS_HD unsigned exceptions_of(const Value& result, bool any_nan, bool all_finite) const;

  /// Whether two results are equal, bit by bit.
  ACCUBLAS_HD bool same(const Value& x, const Value& y) const;

  /// NaN or +-Inf.
  ACCUBLAS_HD Value of(double special) const;

 private:
  struct Term {
    const std::uint64_t* limb;
    int count;
    std::int64_t exponent;
    bool negative;
  };
  ACCUBLAS_HD Value rounded(const SignedLimbs& x);
  ACCUBLAS_HD SignedLimbs add(const Term* terms, int count);

  Number alpha_, beta_;
  Format format_;
  bool simple_;
  std::uint64_t product_[2][WideSum::limbs + 4];
  std::uint64_t sum_[combined_limbs];
  std::uint64_t rest_[combined_limbs + 2];
};

ACCUBLAS_HD inline Finish::Finish(const Number& alpha, const Number& beta, Format format)
    : alpha_(alpha), beta_(beta), format_(format), simple_(is_power_of_two(alpha) && beta.is_zero()) {}

ACCUBLAS_HD inline Finish::Scale Finish::scale() const {
  const Decoded128& part = alpha_.part[0];
  return {part.exponent + trailing_zeros(part.mantissa), part.negative};
}

ACCUBLAS_HD inline Value Finish::rounded(const SignedLimbs& x) {
  Value value;
  if (format_ == Format::binary128)
    value.quad = round_to_binary128(x);
  else if (format_ == Format::binary64)
    value.high = round_to_binary64(x);
  else
    round_to_pair(x, rest_, &value.high, &value.low);
  return value;
}

/// Adds the terms in two's complement, in units of the lowest exponent.
ACCUBLAS_HD inline SignedLimbs Finish::add(const Term* terms, int count) {
  std::int64_t base = INT64_MAX, top = INT64_MIN;
  for (int t = 0; t < count; ++t) {
    const std::int64_t end = terms[t].exponent + 64 * terms[t].count;
    if (terms[t].exponent < base) base = terms[t].exponent;
    if (end > top) top = end;
  }
  const int n = static_cast<int>((top - base) / 64) + 2;
  for (int i = 0; i < n; ++i) sum_[i] = 0;
  for (int t = 0; t < count; ++t) {
    const Term& term = terms[t];
    const int shift = static_cast<int>(term.exponent - base), first = shift / 64;
    std::uint64_t carry = 0;
    for (int i = first; i < n; ++i) {
      if (i - first > term.count && carry == 0) break;
      const std::uint64_t w = limbs_window(term.limb, term.count, 64 * i - shift), old = sum_[i];
      if (term.negative) {
        const std::uint64_t d = old - w;
        sum_[i] = d - carry;
        carry = (old < w) | (d < carry);
      } else {
        const std::uint64_t d = old + w;
        sum_[i] = d + carry;
        carry = (d < w) | (sum_[i] < carry);
      }
    }
  }
  const bool negative = (sum_[n - 1] >> 63) != 0;
  if (negative) limbs_negate(sum_, n);
  int used = n;
  while (used > 0 && sum_[used - 1] == 0) --used;
  return {sum_, used, base, negative};
}

ACCUBLAS_HD inline Value Finish::round(const SignedLimbs& s, const Number& c) {
  if (simple_) {
    const Scale by = scale();
    return rounded({s.limb, s.count, s.exponent + by.exponent, s.negative != by.negative});
  }
  Term terms[6];
  int count = 0;
  for (int i = 0; i < alpha_.parts && !s.is_zero(); ++i) {
    const Decoded128& part = alpha_.part[i];
    const std::uint64_t factor[2] = {static_cast<std::uint64_t>(part.mantissa),
                                     static_cast<std::uint64_t>(part.mantissa >> 64)};
    limbs_multiply(product_[i], s.limb, s.count, factor, 2);
    int used = s.count + 2;
    while (product_[i][used - 1] == 0) --used;
    terms[count++] = {product_[i], used, s.exponent + part.exponent, s.negative != part.negative};
  }
  PartProduct added[4];
  for (int i = 0; i < beta_.parts; ++i) {
    for (int j = 0; j < c.parts; ++j) {
      added[2 * i + j] = PartProduct(beta_.part[i], c.part[j]);
      const PartProduct& p = added[2 * i + j];
      terms[count++] = {p.limb, p.count, p.exponent, p.negative};
    }
  }
  if (count == 0) return {};
  if (count == 1) return rounded({terms[0].limb, terms[0].count, terms[0].exponent, terms[0].negative});
  return rounded(add(terms, count));
}

ACCUBLAS_HD inline unsigned Finish::exceptions_of(const Value& result, bool any_nan, bool all_finite) const {
  const bool quad = format_ == Format::binary128;
  if (quad ? is_finite(result.quad) : is_finite(result.high)) return exceptions::none;
  const bool nan = quad ? is_nan(result.quad) : is_nan(result.high);
  if (nan) return any_nan ? exceptions::none : exceptions::invalid;
  return all_finite ? exceptions::overflow : exceptions::none;
}

ACCUBLAS_HD inline Value Finish::finish(const SignedLimbs& s, const Number& c) {
  const Value value = round(s, c);
  signal_finite(value);
  return value;
}

ACCUBLAS_HD inline Value Finish::of(double special) const {
  Value value;
  value.high = special;
  const Uint128 sign = special < 0 ? FloatFormat<Binary128>::sign : Uint128{0};
  value.quad =
      is_nan(special) ? canonical_nan<Binary128>() : from_bits<Binary128>(sign | FloatFormat<Binary128>::infinity);
  return value;
}

ACCUBLAS_HD inline Value Finish::finish(const SignedLimbs& s, const TermClasses& classes, const Number& c,
                                        unsigned& raised) {
  const bool has_addend = !beta_.is_zero();
  const bool s_finite = !classes.special(), c_finite = !has_addend || (beta_.finite() && c.finite());
  if (s_finite && alpha_.finite() && c_finite) {
    const Value value = round(s, c);
    raised |= exceptions_of(value, false, true);
    return value;
  }
  // IEEE arithmetic on the infinite and NaN terms alone.
  const double of_s = s_finite ? (s.is_zero() ? 0.0 : s.negative ? -1.0 : 1.0) : classes.value();
  const double product = s_finite && alpha_.finite() ? 0 : alpha_.representative() * of_s;
  const double addend = c_finite ? 0 : beta_.representative() * c.representative();
  const Value value = of(canonical(product + addend));
  using Kind = Number::Kind;
  const bool any_nan =
      classes.any_nan || alpha_.kind == Kind::nan || beta_.kind == Kind::nan || (has_addend && c.kind == Kind::nan);
  raised |= exceptions_of(value, any_nan, false);
  return value;
}

ACCUBLAS_HD inline Value Finish::scaled(const Number& c) {
  if (beta_.is_zero()) return {};
  if (!beta_.finite() || !c.finite()) {
    const Value value = of(canonical(beta_.representative() * c.representative()));
    signal_exceptions(exceptions_of(value, beta_.kind == Number::Kind::nan || c.kind == Number::Kind::nan, false));
    return value;
  }
  if (!c.is_zero()) return finish({nullptr, 0, 0, false}, c);
  Value value;
  if (beta_.negative != c.negative) {
    value.high = -0.0;
    value.quad = from_bits<Binary128>(FloatFormat<Binary128>::sign);
  }
  return value;
}

ACCUBLAS_HD inline bool Finish::same(const Value& x, const Value& y) const {
  if (format_ == Format::binary128) return to_bits(x.quad) == to_bits(y.quad);
  return to_bits(x.high) == to_bits(y.high) && (format_ == Format::binary64 || to_bits(x.low) == to_bits(y.low));
}

}  // namespace accublas::quad
