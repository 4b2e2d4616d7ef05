#include "lib/quad/finish.hpp"

#include <algorithm>

#include "lib/base/exceptions.hpp"

namespace accublas::quad {

namespace {

/// The product of two parts, of up to four limbs.
struct PartProduct {
  std::uint64_t limb[4];
  int count;
  std::int64_t exponent;
  bool negative;

  PartProduct() = default;
  PartProduct(const Decoded128& x, const Decoded128& y)
      : exponent(std::int64_t{x.exponent} + y.exponent), negative(x.negative != y.negative) {
    const std::uint64_t a[2] = {static_cast<std::uint64_t>(x.mantissa), static_cast<std::uint64_t>(x.mantissa >> 64)},
                        b[2] = {static_cast<std::uint64_t>(y.mantissa), static_cast<std::uint64_t>(y.mantissa >> 64)};
    limbs_multiply(limb, a, 2, b, 2);
    count = 4;
    while (count > 0 && limb[count - 1] == 0) --count;
  }
};

bool is_power_of_two(const Number& x) {
  return x.finite() && x.parts == 1 && (x.part[0].mantissa & (x.part[0].mantissa - 1)) == 0;
}

int trailing_zeros(Uint128 x) {
  const std::uint64_t low = static_cast<std::uint64_t>(x);
  return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(x >> 64));
}

}  // namespace

Finish::Finish(const Number& alpha, const Number& beta, Format format)
    : alpha_(alpha), beta_(beta), format_(format), simple_(is_power_of_two(alpha) && beta.is_zero()) {}

Finish::Scale Finish::scale() const {
  const Decoded128& part = alpha_.part[0];
  return {part.exponent + trailing_zeros(part.mantissa), part.negative};
}

Value Finish::rounded(const SignedLimbs& x) {
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
SignedLimbs Finish::add(const Term* terms, int count) {
  std::int64_t base = INT64_MAX, top = INT64_MIN;
  for (int t = 0; t < count; ++t) {
    base = std::min(base, terms[t].exponent);
    top = std::max(top, terms[t].exponent + 64 * terms[t].count);
  }
  const int n = static_cast<int>((top - base) / 64) + 2;
  std::fill_n(sum_, n, std::uint64_t{0});
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

Value Finish::round(const SignedLimbs& s, const Number& c) {
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
      PartProduct& p = added[2 * i + j] = PartProduct(beta_.part[i], c.part[j]);
      terms[count++] = {p.limb, p.count, p.exponent, p.negative};
    }
  }
  if (count == 0) return {};
  if (count == 1) return rounded({terms[0].limb, terms[0].count, terms[0].exponent, terms[0].negative});
  return rounded(add(terms, count));
}

void Finish::signal(const Value& result, bool any_nan, bool all_finite) const {
  const bool quad = format_ == Format::binary128;
  if (quad ? is_finite(result.quad) : is_finite(result.high)) return;
  const bool nan = quad ? is_nan(result.quad) : is_nan(result.high);
  if (nan)
    signal_exceptions(any_nan ? exceptions::none : exceptions::invalid);
  else
    signal_exceptions(all_finite ? exceptions::overflow : exceptions::none);
}

Value Finish::finish(const SignedLimbs& s, const Number& c) {
  const Value value = round(s, c);
  signal(value, false, true);
  return value;
}

Value Finish::of(double special) const {
  Value value;
  value.high = special;
  const Uint128 sign = special < 0 ? FloatFormat<Binary128>::sign : Uint128{0};
  value.quad =
      is_nan(special) ? canonical_nan<Binary128>() : from_bits<Binary128>(sign | FloatFormat<Binary128>::infinity);
  return value;
}

Value Finish::finish(const SignedLimbs& s, const TermClasses& classes, const Number& c) {
  const bool has_addend = !beta_.is_zero();
  const bool s_finite = !classes.special(), c_finite = !has_addend || (beta_.finite() && c.finite());
  if (s_finite && alpha_.finite() && c_finite) return finish(s, c);
  // IEEE arithmetic on the infinite and NaN terms alone.
  const double of_s = s_finite ? (s.is_zero() ? 0.0 : s.negative ? -1.0 : 1.0) : classes.value();
  const double product = s_finite && alpha_.finite() ? 0 : alpha_.representative() * of_s;
  const double addend = c_finite ? 0 : beta_.representative() * c.representative();
  const Value value = of(canonical(product + addend));
  using Kind = Number::Kind;
  signal(value,
         classes.any_nan || alpha_.kind == Kind::nan || beta_.kind == Kind::nan || (has_addend && c.kind == Kind::nan),
         false);
  return value;
}

Value Finish::scaled(const Number& c) {
  if (beta_.is_zero()) return {};
  if (!beta_.finite() || !c.finite()) {
    const Value value = of(canonical(beta_.representative() * c.representative()));
    signal(value, beta_.kind == Number::Kind::nan || c.kind == Number::Kind::nan, false);
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

bool Finish::same(const Value& x, const Value& y) const {
  if (format_ == Format::binary128) return to_bits(x.quad) == to_bits(y.quad);
  return to_bits(x.high) == to_bits(y.high) && (format_ == Format::binary64 || to_bits(x.low) == to_bits(y.low));
}

}  // namespace accublas::quad
