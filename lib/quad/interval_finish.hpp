// Rounds alpha S + beta c where the exact sum S is known to lie in an interval, in integers of fixed size: what a
// thread of a GPU does for every element of a product. Elements that this does not decide are left to exact sums.
#pragma once

#include "lib/numerics/crt.hpp"
#include "lib/quad/finish.hpp"

namespace accublas::quad {

/// An integer that is not below x, 0 <= x < 2^(64 L - 64); 0 for 0.
template <int L>
ACCUBLAS_HD inline Wide<L> integer_above(double x) {
  const Decoded d = decode(x);
  Wide<L> r{};
  if (d.mantissa == 0) return r;
  r.limb[0] = d.exponent >= 0 ? d.mantissa : d.exponent > -64 ? (d.mantissa >> -d.exponent) + 1 : 1;
  return d.exponent > 0 ? wide_shift_left(r, d.exponent) : r;
}

/// Decides the bits that binary128 cuts off a number, whose leading 128 bits are `top` and the next 64, in units of
/// 2^unit, are `next`. `below`: other bits follow. The number errs by at most `error`. Returns false if numbers in this
/// interval round differently, else sets `sticky` for round_to_binary128().
ACCUBLAS_HD inline bool decide_cut_bits(Uint128 top, std::uint64_t next, bool below, int unit, double error,
                                        bool& sticky) {
  sticky = next != 0 || below;
  if (error == 0) return true;
  sticky = true;
  // The bits that are cut off must be farther from 0, from a half and from 1 than the error and what is below them.
  const double units = error * power_of_two(-unit);
  if (!(units < 0x1p70)) return false;
  constexpr Uint128 one = Uint128{1} << 79, half = one >> 1;
  const Uint128 rest = (top & 0x7FFF) << 64 | next, bound = static_cast<Uint128>(units) + 2;
  const Uint128 distance = rest > half ? rest - half : half - rest;
  return rest > bound && one - rest > bound && distance > bound;
}

/// Rounds numbers of an interval. The factors of a call: alpha S + beta c.
class IntervalFinish {
 public:
  /// Limbs of the window in which alpha S + beta c is formed: alpha S of a binary128 alpha has 454 bits.
  static constexpr int window_limbs = 8;
  using Window = Wide<window_limbs>;

  ACCUBLAS_HD IntervalFinish(const Number& alpha, const Number& beta, Format format)
      : alpha_(alpha), beta_(beta), format_(format), simple_(is_power_of_two(alpha) && beta.is_zero()) {
    if (simple_) {
      scale_ = alpha.part[0].exponent + trailing_zeros(alpha.part[0].mantissa);
      negative_ = alpha.part[0].negative;
    }
  }

  ACCUBLAS_HD bool needs_addend() const { return !beta_.is_zero(); }

  /// Rounds alpha S + beta c for an S with abs(S - s 2^exponent) <= error 2^exponent, abs(s) < 2^342. Returns false,
  /// with nothing written, if not all such S have one result, or if an operand is infinite or NaN. c is not used if
  /// beta is 0. Overflow is added to `raised`.
  ACCUBLAS_HD bool decide(const Wide<crt_limbs>& s, std::int64_t exponent, double error, const Number& c, Value* out,
                          unsigned& raised) const {
    if (!alpha_.finite() || !(error < 0x1p300)) return false;
    if (!beta_.is_zero() && !(beta_.finite() && c.finite())) return false;
    if (simple_) {
      const bool negative = wide_negative(s);
      return round(negative != negative_, wide_negate_if(s, negative), exponent + scale_, error, out, raised);
    }
    Sum sum;
    // Two rounds over the terms: the first one finds the window, the second one adds them there.
    for_terms(s, exponent, c, [&](const auto& m, std::int64_t e, bool) { sum.look(m, e); });
    sum.place();
    for_terms(s, exponent, c, [&](const auto& m, std::int64_t e, bool negative) { sum.add(m, e, negative); });
    double size = 0;
    for (int i = 0; i < alpha_.parts; ++i) {
      const std::int64_t up = alpha_.part[i].exponent + exponent - sum.base;
      // Below 2^-900 the error is less than the unit that `roundings` holds for it.
      if (up > -900)
        size += error * (static_cast<double>(alpha_.part[i].mantissa) * (1 + 0x1p-50)) *
                power_of_two(static_cast<int>(up < 900 ? up : 900));
    }
    const double all = (error == 0 ? 0 : size * (1 + 0x1p-50) + 1) + sum.cut;
    const bool negative = wide_negative(sum.window);
    return round(negative, wide_negate_if(sum.window, negative), sum.base, all, out, raised);
  }

  /// Rounds +-(m + e) 2^exponent for all abs(e) <= error; m has L limbs as an unsigned integer. Same contract as
  /// `decide`.
  template <int L>
  ACCUBLAS_HD bool round(bool negative, const Wide<L>& m, std::int64_t exponent, double error, Value* out,
                         unsigned& raised) const {
    if (error == 0) {
      *out = rounded(negative, m, exponent);
    } else {
      if (!(error < 0x1p400)) return false;
      const Wide<L> bound = integer_above<L>(error);
      const Wide<L> least = wide_sub(m, bound), most = wide_add(m, bound);
      if (wide_negative(least) || wide_bit_length(least) == 0) return false;
      *out = rounded(negative, least, exponent);
      const Value other = rounded(negative, most, exponent);
      if (!same(*out, other)) return false;
    }
    const bool overflow = format_ == Format::binary128 ? !is_finite(out->quad) : !is_finite(out->high);
    if (overflow) raised |= exceptions::overflow;
    return true;
  }

  /// The usual case of a binary128 result, simple(): the leading 192 bits decide a normal number. Same contract as
  /// `decide`.
  template <int L>
  ACCUBLAS_HD bool decide_usual(const Wide<L>& s, std::int64_t exponent, double error, Binary128* out) const {
    const bool negative = wide_negative(s);
    const Wide<L> m = wide_negate_if(s, negative);
    const int length = wide_bit_length(m);
    if (length == 0) return false;
    // The top three limbs, shifted so that the leading bit is at the top.
    std::uint64_t w[4] = {};
    const int t = (length - 1) / 64;
    std::uint64_t below = 0;
    ACCUBLAS_WORDS(L)
    for (int i = 0; i < L; ++i) {
      if (i == t) w[3] = m.limb[i];
      if (i == t - 1) w[2] = m.limb[i];
      if (i == t - 2) w[1] = m.limb[i];
      if (i == t - 3) w[0] = m.limb[i];
      if (i < t - 3) below |= m.limb[i];
    }
    const int z = leading_zeros(w[3]);
    const auto window = [&](int i) { return w[i] << z | w[i - 1] >> 1 >> (63 - z); };
    const Uint128 top = static_cast<Uint128>(window(3)) << 64 | window(2);
    const std::uint64_t next = window(1);
    const int unit = length - 192;  // of `next`
    const std::int64_t at = exponent + scale_ + unit + 64;
    if (at < FloatFormat<Binary128>::min_exponent || at > FloatFormat<Binary128>::max_exponent - 20) return false;
    bool sticky = true;
    if (!decide_cut_bits(top, next, ((w[0] << z) | below) != 0, unit, error, sticky)) return false;
    *out = round_to_binary128(negative != negative_, top, sticky, at);
    return true;
  }

  ACCUBLAS_HD bool usual() const { return simple_ && format_ == Format::binary128; }
  ACCUBLAS_HD Format format() const { return format_; }

 private:
  /// The terms of a sum, of any limbs, as integers in units of 2^base.
  struct Sum {
    std::int64_t top = INT64_MIN, base = 0;
    Window window{};
    double cut = 0;  ///< terms whose bits below the base are cut off

    template <int L>
    ACCUBLAS_HD void look(const Wide<L>& m, std::int64_t e) {
      const int length = wide_bit_length(m);
      if (length > 0 && e + length > top) top = e + length;
    }
    /// There are at most six terms, and the sign.
    ACCUBLAS_HD void place() { base = top == INT64_MIN ? 0 : top + 4 - 64 * window_limbs; }
    template <int L>
    ACCUBLAS_HD void add(const Wide<L>& m, std::int64_t e, bool negative) {
      const int length = wide_bit_length(m);
      if (length == 0) return;
      const std::int64_t from = base - e;  // of the bits that stay
      if (from >= length) {
        cut += 1;
        return;
      }
      Window part{};
      limbs_extract(part.limb, window_limbs, m.limb, L, static_cast<int>(from));
      if (from > 0 && limbs_any_below(m.limb, L, static_cast<int>(from))) cut += 1;
      window = wide_add(window, wide_negate_if(part, negative));
    }
  };

  template <class Body>
  ACCUBLAS_HD void for_terms(const Wide<crt_limbs>& s, std::int64_t exponent, const Number& c, Body&& body) const {
    const bool s_negative = wide_negative(s);
    const Wide<crt_limbs> m = wide_negate_if(s, s_negative);
    for (int i = 0; i < alpha_.parts; ++i) {
      const Decoded128& part = alpha_.part[i];
      const std::uint64_t factor[2] = {static_cast<std::uint64_t>(part.mantissa),
                                       static_cast<std::uint64_t>(part.mantissa >> 64)};
      Wide<crt_limbs + 2> product{};
      limbs_multiply(product.limb, m.limb, crt_limbs, factor, 2);
      body(product, exponent + part.exponent, s_negative != part.negative);
    }
    if (beta_.is_zero()) return;
    for (int i = 0; i < beta_.parts; ++i)
      for (int j = 0; j < c.parts; ++j) {
        const PartProduct p(beta_.part[i], c.part[j]);
        Wide<4> product{};
        for (int l = 0; l < 4; ++l) product.limb[l] = p.limb[l];
        body(product, p.exponent, p.negative);
      }
  }

  template <int L>
  ACCUBLAS_HD Value rounded(bool negative, const Wide<L>& m, std::int64_t exponent) const {
    Value value;
    int count = L;
    while (count > 0 && m.limb[count - 1] == 0) --count;
    const SignedLimbs x{m.limb, count, exponent, negative};
    if (format_ == Format::binary128) {
      value.quad = round_to_binary128(x);
    } else if (format_ == Format::binary64) {
      value.high = round_to_binary64(x);
    } else {
      std::uint64_t rest[L + 2];
      round_to_pair(x, rest, &value.high, &value.low);
    }
    return value;
  }
  ACCUBLAS_HD bool same(const Value& x, const Value& y) const {
    if (format_ == Format::binary128) return to_bits(x.quad) == to_bits(y.quad);
    return to_bits(x.high) == to_bits(y.high) && (format_ == Format::binary64 || to_bits(x.low) == to_bits(y.low));
  }

  Number alpha_, beta_;
  Format format_;
  bool simple_, negative_ = false;
  int scale_ = 0;
};

}  // namespace accublas::quad
