#include "lib/mp/cpu/finish.hpp"

#include <algorithm>

#include "lib/base/integers.hpp"
#include "lib/numerics/limbs.hpp"

namespace accublas::mp {

namespace {

using Accumulator = SparseSum<std::uint64_t>;

SparseTerm<std::uint64_t> term_of(const Extended& value) {
  return {value.limb, value.limbs, value.kind == Kind::finite ? value.bits : 0, value.exponent, value.negative};
}

constexpr std::uint64_t one = 1;

int ceil_log2(int n) {
  int q = 0;
  while ((1 << q) < n) ++q;
  return q;
}

}  // namespace

Extended extended(const std::uint64_t* limb, std::int32_t exponent, bool negative, const Format& format) {
  Extended value;
  value.negative = negative;
  if (is_special(exponent)) {
    value.kind = exponent == exponent_zero ? Kind::zero : exponent == exponent_infinity ? Kind::infinite : Kind::nan;
    return value;
  }
  value.kind = Kind::finite;
  value.limb = limb;
  value.limbs = ceil_div(format.precision, 64);
  value.bits = format.precision;
  value.exponent = static_cast<std::int64_t>(exponent) - format.precision;
  while (*value.limb == 0) {
    ++value.limb;
    --value.limbs;
    value.bits -= 64;
    value.exponent += 64;
  }
  if (value.limbs == 1 && (*value.limb & (*value.limb - 1)) == 0) {
    value.limb = &one;
    value.exponent += value.bits - 1;
    value.bits = 1;
  }
  return value;
}

Extended constant(int value) {
  Extended number;
  if (value == 0) return number;
  number.kind = Kind::finite;
  number.limb = &one;
  number.limbs = number.bits = 1;
  return number;
}

Finisher::Finisher(const Format& format, const Basis* product, const Extended& alpha, const Extended& beta)
    : format_(format),
      basis_(product),
      alpha_(alpha),
      beta_(beta),
      term_bits_(std::max(format.precision + (product ? 64 * product->limbs : 0), 2 * format.precision)),
      capacity_(Accumulator::capacity(format.precision, term_bits_)),
      accumulator_(capacity_),
      scratch_(capacity_),
      integer_(product ? product->limbs : 0),
      band_((product ? product->limbs : 0) + format.limbs / 2),
      scaled_(format.limbs) {}

/// Returns a finite product; `limb` has room for it.
Extended Finisher::times(const Extended& factor, const Extended& value, std::uint64_t* limb) const {
  Extended product = value;
  product.negative = factor.negative != value.negative;
  product.exponent = factor.exponent + value.exponent;
  if (factor.bits == 1) return product;
  limbs_multiply(limb, factor.limb, factor.limbs, value.limb, value.limbs);
  product.limb = limb;
  product.limbs = factor.limbs + value.limbs;
  product.bits = limbs_bit_length(limb, product.limbs);
  return product;
}

Extended Finisher::scaled_band(BandSums& bands, int g) {
  bands.integer(g, integer_.data());
  Extended value;
  value.limb = integer_.data();
  value.limbs = basis_->limbs;
  value.exponent = bands.exponent(g);
  value.negative = integer_[basis_->limbs - 1] >> 63 != 0;
  if (value.negative) limbs_negate(integer_.data(), basis_->limbs);
  value.bits = limbs_bit_length(integer_.data(), basis_->limbs);
  if (value.bits == 0) return value;
  value.kind = Kind::finite;
  value.limbs = ceil_div(value.bits, 64);
  return alpha_.kind == Kind::finite ? times(alpha_, value, band_.data()) : value;
}

/// Adds the terms term(0), term(1), ..., which have decreasing exponents (term.exponent(t) gives one without the value)
/// and at most term_bits_ bits each.
template <class Term>
Accumulator Finisher::sum(int count, Term&& term, std::uint64_t* result) {
  Accumulator sum(format_.precision, least_exponent, accumulator_.data(), scratch_.data(), capacity_, result);
  for (int t = 0; t < count; ++t) {
    std::int64_t rest =
        t + 1 == count ? Accumulator::no_rest : term.exponent(t + 1) + term_bits_ + ceil_log2(count - t - 1);
    if (sum.add(term_of(term.value(t)), rest)) break;
  }
  return sum;
}

void Finisher::special(Kind kind, bool negative, Rounded& result) const {
  std::fill_n(result.limb, format_.limbs / 2, 0);
  result.exponent = kind == Kind::zero ? exponent_zero : kind == Kind::infinite ? exponent_infinity : exponent_nan;
  result.negative = kind != Kind::nan && negative;
}

void Finisher::write(const Accumulator& sum, Rounded& result) const {
  if (sum.is_zero()) return special(Kind::zero, false, result);
  if (sum.underflow()) return special(Kind::zero, sum.negative(), result);
  if (sum.exponent() > greatest_exponent) return special(Kind::infinite, sum.negative(), result);
  result.exponent = static_cast<std::int32_t>(sum.exponent());
  result.negative = sum.negative();
}

namespace {

/// The terms of the sum: the bands of S times alpha, with beta c inserted by its exponent.
template <class Band>
struct Terms {
  int bands, extra_at;  ///< beta c comes before band `extra_at`; -1: there is none
  const Extended* extra;
  BandSums* source;
  Band& band;
  std::int64_t shift;  ///< exponent of alpha

  bool is_extra(int t) const { return t == extra_at; }
  int index(int t) const { return extra_at >= 0 && t > extra_at ? t - 1 : t; }
  std::int64_t exponent(int t) const { return is_extra(t) ? extra->exponent : source->exponent(index(t)) + shift; }
  Extended value(int t) { return is_extra(t) ? *extra : band(index(t)); }
};

}  // namespace

int Finisher::sign(BandSums& bands) {
  const auto band = [&](int g) { return scaled_band(bands, g); };
  Terms<decltype(band)> terms{bands.count(), -1, nullptr, &bands, band, 0};
  if (bands.count() == 0) return 0;
  const Accumulator total = sum(bands.count(), terms, scaled_.data());
  return total.is_zero() ? 0 : total.negative() ? -1 : 1;
}

void Finisher::combine(const Sum& s, const Extended& c, Rounded& result) {
  // The kinds of the two terms come first, then the kind of their sum.
  Kind first = s.kind;
  bool first_negative = s.negative != alpha_.negative;
  if (s.kind == Kind::nan || alpha_.kind == Kind::nan) {
    first = Kind::nan;
  } else if (alpha_.kind == Kind::infinite && s.kind == Kind::finite) {
    const int sign = this->sign(*s.bands);
    first = sign == 0 ? Kind::nan : Kind::infinite;
    first_negative = (sign < 0) != alpha_.negative;
  }
  Kind second = Kind::zero;
  const bool second_negative = beta_.negative != c.negative;
  if (beta_.kind != Kind::zero) {
    if (beta_.kind == Kind::nan || c.kind == Kind::nan) {
      second = Kind::nan;
    } else if (beta_.kind == Kind::infinite || c.kind == Kind::infinite) {
      second = beta_.kind == Kind::zero || c.kind == Kind::zero ? Kind::nan : Kind::infinite;
    } else {
      second = c.kind;
    }
  }
  if (first == Kind::nan || second == Kind::nan) return special(Kind::nan, false, result);
  if (first == Kind::infinite && second == Kind::infinite)
    return special(first_negative == second_negative ? Kind::infinite : Kind::nan, first_negative, result);
  if (first == Kind::infinite) return special(Kind::infinite, first_negative, result);
  if (second == Kind::infinite) return special(Kind::infinite, second_negative, result);

  Extended extra;
  const bool has_extra = second == Kind::finite;
  if (has_extra) extra = times(beta_, c, scaled_.data());
  const int bands = s.bands->count();
  const auto band = [&](int g) { return scaled_band(*s.bands, g); };
  Terms<decltype(band)> terms{bands, -1, &extra, s.bands, band, alpha_.exponent};
  if (has_extra) {
    terms.extra_at = 0;
    while (terms.extra_at < bands && s.bands->exponent(terms.extra_at) + alpha_.exponent > extra.exponent)
      ++terms.extra_at;
  }
  const int count = bands + has_extra;
  if (count == 0) return special(Kind::zero, false, result);
  write(sum(count, terms, result.limb), result);
}

void Finisher::scale(const Extended& c, Rounded& result) {
  if (beta_.kind == Kind::zero) return special(Kind::zero, false, result);
  const bool negative = beta_.negative != c.negative;
  if (beta_.kind == Kind::nan || c.kind == Kind::nan) return special(Kind::nan, false, result);
  if (beta_.kind == Kind::infinite || c.kind == Kind::infinite)
    return special(c.kind == Kind::zero ? Kind::nan : Kind::infinite, negative, result);
  if (c.kind == Kind::zero) return special(Kind::zero, negative, result);
  const Extended product = times(beta_, c, scaled_.data());
  Accumulator sum(format_.precision, least_exponent, accumulator_.data(), scratch_.data(), capacity_, result.limb);
  sum.add(term_of(product), Accumulator::no_rest);
  write(sum, result);
}

}  // namespace accublas::mp
