// This header is the one place where an exact inner product is combined with alpha, beta and c and is rounded, for
// every mode and engine. docs/modes.md, "Special values" and RN, defines the result.
//
// The functions signal the exceptions of their results (lib/base/exceptions.hpp).
//
// Method: alpha S and beta c are integers times powers of two. The leading 126 bits of their sum, with an error bound,
// decide nearly always; they are exact if no bit was lost. Otherwise the whole sum is formed in a wide integer.
#pragma once

#include "lib/base/exceptions.hpp"
#include "lib/numerics/result_exceptions.hpp"
#include "lib/numerics/rounding.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas {

/// RN(alpha S 2^exponent + beta c), exactly, for a finite S; alpha, beta and c are arbitrary (Inf, NaN). beta == 0: c
/// is ignored. abs(exponent) <= 2^28.
template <class T, int L>
ACCUBLAS_HD T finish(T alpha, const Wide<L>& s, int exponent, T beta, T c);

/// Computes RN(alpha S' 2^exponent + beta c) for a real number S' known to lie in [S - error, S + error], error >= 0
/// finite. Returns true, with the result in *out, if the whole interval rounds to one value (the sign of zero
/// included), and false if the interval does not decide. With error > 0 the function may also return false if only bits
/// 2^-120 below the leading ones would decide, or if error > 2^-9 abs(S). With error = 0 it always decides.
template <class T, int L>
ACCUBLAS_HD bool finish_within(T alpha, const Wide<L>& s, double error, int exponent, T beta, T c, T* out);

/// Same contract as `finish_within`, but signals nothing: the result may be discarded.
template <class T, int L>
ACCUBLAS_HD bool round_within(T alpha, const Wide<L>& s, double error, int exponent, T beta, T c, T* out);

/// RN(alpha (s + c) + beta y) for finite s and c (dot2's pair).
template <class T>
ACCUBLAS_HD T finish_pair(T alpha, double s, double c, T beta, T y);

/// alpha S + beta c for S = +Inf, -Inf or NaN. `made` says that no operand of a NaN S is NaN.
template <class T>
ACCUBLAS_HD T finish_special(T alpha, T s, T beta, T c, bool made = false);

/// The IEEE product beta c of a call with alpha = 0 or k = 0 (+0 where beta = 0), NaN canonical.
template <class T>
ACCUBLAS_HD T finish_scaled(T beta, T c);

/// Returns c for `finish`. *c is read only if beta is not zero; otherwise c may be a null pointer.
template <class T>
ACCUBLAS_HD T read_addend(T beta, const T* c) {
  return is_zero(beta) ? T(0) : *c;
}

// -------------------------------------------------------------------------------------------------------------------

namespace detail {

/// Returns whether beta c is a term at all.
template <class T>
ACCUBLAS_HD bool has_addend(T beta) {
  return !is_zero(beta);
}

/// Returns the exceptions of `result` = RN(alpha S + beta c) for a finite S.
template <class T>
ACCUBLAS_HD unsigned exceptions_of(T result, T alpha, T beta, T c) {
  OperandKinds operands;
  operands.add(alpha);
  if (has_addend(beta)) {
    operands.add(beta);
    operands.add(c);
  }
  return operands.exceptions_of(result);
}

/// An exact zero is +0.
template <class T>
ACCUBLAS_HD T exact_zero() {
  return T(0);
}

/// An unknown number in +-[value - error, value + error] 2^exponent.
struct Interval {
  Uint128 value, error;
  int exponent;
  bool negative;
};

/// An upper bound of x 2^shift as an integer, x >= 0; false if it is 2^120 or more.
ACCUBLAS_HD inline bool round_up_scaled(double x, int shift, Uint128* out) {
  const Decoded d = decode(x);
  *out = 0;
  if (d.mantissa == 0) return true;
  const int e = d.exponent + shift;
  if (e > 120 - 53) return false;
  *out = e >= 0 ? static_cast<Uint128>(d.mantissa) << e : (e > -64 ? d.mantissa >> -e : 0) + Uint128{1};
  return true;
}

/// Returns v 2^-shift rounded down, shift >= 0; *lost is set if a nonzero bit is dropped.
ACCUBLAS_HD inline Uint128 shift_down(Uint128 v, int shift, bool* lost) {
  if (shift >= 128) {
    *lost |= v != 0;
    return 0;
  }
  const Uint128 r = v >> shift;
  *lost |= r << shift != v;
  return r;
}

/// RN(value 2^exponent) for value > 0.
template <class T>
ACCUBLAS_HD T round_integer(bool negative, Uint128 value, int exponent) {
  std::uint64_t high = static_cast<std::uint64_t>(value >> 64), low = static_cast<std::uint64_t>(value);
  if (high == 0) {
    high = low;
    low = 0;
    exponent -= 64;
  }
  const int z = leading_zeros(high);
  if (z != 0) {
    high = high << z | low >> (64 - z);
    low <<= z;
  }
  return round_to<T>(negative, high, low != 0, exponent + 64 - z);
}

/// Sets *out to RN of every number between low 2^exponent and high 2^exponent, 0 < low <= high. Returns false if these
/// numbers round to more than one value.
template <class T>
ACCUBLAS_HD bool round_between(bool negative, Uint128 low, Uint128 high, int exponent, T* out) {
  const std::uint64_t top = static_cast<std::uint64_t>(low >> 64);
  if (top >> 1 != 0) {
    const int z = leading_zeros(top);
    const Uint128 l = low << z;
    if ((low ^ high) >> (64 - z) == 0 &&
        static_cast<std::uint64_t>(l) != 0) {  // the same 64 leading bits, and more below
      *out = round_to<T>(negative, static_cast<std::uint64_t>(l >> 64), true, exponent + 64 - z);
      return true;
    }
  }
  *out = round_integer<T>(negative, low, exponent);
  return to_bits(*out) == to_bits(round_integer<T>(negative, high, exponent));
}

/// Rounds the sum of two intervals with values of at most 128 bits. Returns false if the interval does not decide.
template <class T>
ACCUBLAS_HD bool round_sum(const Interval& x, const Interval& y, T* out) {
  // Two bits of headroom for the sum. A term without value and error must not choose the exponent.
  const bool has_x = x.value != 0 || x.error != 0, has_y = y.value != 0;
  if (!has_x && !has_y) {
    *out = exact_zero<T>();
    return true;
  }
  const int exponent = (!has_y                    ? x.exponent
                        : !has_x                  ? y.exponent
                        : x.exponent > y.exponent ? x.exponent
                                                  : y.exponent) +
                       2;
  Uint128 error = 0, a = 0, b = 0;
  if (has_x) {
    bool lost = false;
    a = shift_down(x.value, exponent - x.exponent, &lost);
    error = shift_down(x.error, exponent - x.exponent, &lost);
    error += 2 * lost;
  }
  if (has_y) {
    bool lost = false;
    b = shift_down(y.value, exponent - y.exponent, &lost);
    error += lost;
  }
  Uint128 value = 0;
  bool negative = x.negative;
  if (x.negative == y.negative) {
    value = a + b;
  } else if (a >= b) {
    value = a - b;
  } else {
    value = b - a;
    negative = y.negative;
  }
  if (error == 0) {
    *out = value == 0 ? exact_zero<T>() : round_integer<T>(negative, value, exponent);
    return true;
  }
  if (value <= error) return false;
  return round_between(negative, value - error, value + error, exponent, out);
}

/// The result if an operand is Inf or NaN and S is finite with the sign `s` (-1, 0, 1): IEEE arithmetic on the infinite
/// and NaN terms only.
template <class T>
ACCUBLAS_HD T finish_nonfinite(T alpha, T s, T beta, T c) {
  const T product = is_finite(alpha) ? T(0) : alpha * s;
  const T addend = !has_addend(beta) || (is_finite(beta) && is_finite(c)) ? T(0) : beta * c;
  return canonical(product + addend);
}

/// alpha S 2^exponent + beta c in full: S = (negative ? -1 : 1) magnitude, all finite.
template <class T, int L>
ACCUBLAS_HD ACCUBLAS_NOINLINE T finish_full(Decoded alpha, const Wide<L>& magnitude, bool negative, int exponent,
                                            Decoded beta, Decoded c) {
  // 64 L + 53 bits, 106 bits, 2 bits that keep a distant term apart, a carry and a sign: L + 3 limbs hold them.
  constexpr int N = L + 3;
  struct Term {
    Wide<N> value;
    int exponent, top;
    bool negative;
  };
  Term x{}, y{};
  for (int i = 0; i < L; ++i) x.value.limb[i] = magnitude.limb[i];
  x.value = wide_mul(x.value, alpha.mantissa);
  x.exponent = exponent + alpha.exponent;
  x.negative = negative != alpha.negative;
  const Uint128 product = static_cast<Uint128>(beta.mantissa) * c.mantissa;
  y.value.limb[0] = static_cast<std::uint64_t>(product);
  y.value.limb[1] = static_cast<std::uint64_t>(product >> 64);
  y.exponent = beta.exponent + c.exponent;
  y.negative = beta.negative != c.negative;

  const int length_x = wide_bit_length(x.value), length_y = wide_bit_length(y.value);
  x.top = x.exponent + length_x;
  y.top = y.exponent + length_y;
  if (length_x == 0 || (length_y != 0 && y.top > x.top)) {
    const Term t = x;
    x = y;
    y = t;
  }
  // x is the larger term. Every point where RN changes is a multiple of 4 units of `base` next to x, or x itself, so a
  // y below one unit acts like one unit of its sign.
  int base = (x.exponent < x.top - 64 ? x.exponent : x.top - 64) - 2;
  const bool any_y = wide_bit_length(y.value) != 0;
  if (any_y && y.top <= base) {
    y.value = wide_from<N>(1);
    y.exponent = base;
  } else if (any_y && y.exponent < base) {
    base = y.exponent;
  }
  x.value = wide_shift_left(x.value, x.exponent - base);
  if (any_y) y.value = wide_shift_left(y.value, y.exponent - base);
  Wide<N> sum = wide_add(wide_negate_if(x.value, x.negative), wide_negate_if(y.value, y.negative));
  const bool sum_negative = wide_negative(sum);
  sum = wide_negate_if(sum, sum_negative);
  const WideTop top = wide_top(sum);
  if (top.high == 0) return exact_zero<T>();
  return round_to<T>(sum_negative, top.high, top.low != 0 || top.lost, base + top.shift + 64);
}

}  // namespace detail

template <class T, int L>
ACCUBLAS_HD bool round_within(T alpha, const Wide<L>& s, double error, int exponent, T beta, T c, T* out) {
  const bool addend = detail::has_addend(beta);
  const bool negative = wide_negative(s);
  const Wide<L> magnitude = wide_negate_if(s, negative);
  const WideTop top = wide_top(magnitude);
  if (!is_finite(alpha) || (addend && !(is_finite(beta) && is_finite(c)))) {
    detail::Interval bound{};
    if (!is_finite(alpha) && error > 0) {  // the sign of S decides
      const Uint128 value = static_cast<Uint128>(top.high) << 64 | top.low;
      if (!detail::round_up_scaled(error, -top.shift, &bound.error) || value <= bound.error + 1) return false;
    }
    *out = detail::finish_nonfinite(alpha, T(top.high == 0 ? 0 : negative ? -1 : 1), beta, c);
    return true;
  }
  Decoded a = decode(alpha);
  if (a.mantissa == 0) error = 0;
  const int za = a.mantissa == 0 ? 0 : leading_zeros(a.mantissa);
  const std::uint64_t factor = a.mantissa << za;
  const int factor_exponent = a.exponent - za;
  const bool product_negative = negative != a.negative;

  if (!addend && error == 0 && factor == std::uint64_t{1} << 63) {  // alpha = +-2^e: nothing to compute
    *out = top.high == 0 ? detail::exact_zero<T>()
                         : round_to<T>(product_negative, top.high, (top.low != 0) | top.lost,
                                       exponent + top.shift + 64 + factor_exponent + 63);
    return true;
  }
  if (!addend && factor == std::uint64_t{1} << 63 && top.high != 0) {
    const Uint128 value = static_cast<Uint128>(top.high) << 64 | top.low;
    Uint128 bound;
    if (!detail::round_up_scaled(error, -top.shift, &bound) || ++bound >= value) return false;
    if (bound <= ~value) {  // otherwise the general way below, which has headroom
      return detail::round_between(product_negative, value - bound, value + bound,
                                   exponent + top.shift + factor_exponent + 63, out);
    }
  }

  // x = alpha S takes 128 bits of S, and 128 bits of its product with alpha. A lost bit is below 2 units; the error of
  // S is scaled by factor 2^-64 < 1.
  detail::Interval x{0, 0, 0, product_negative}, y{0, 0, 0, false};
  if (top.high != 0 && factor != 0) {
    const Uint128 low = static_cast<Uint128>(top.low) * factor;
    const Uint128 high = static_cast<Uint128>(top.high) * factor + static_cast<std::uint64_t>(low >> 64);
    x.value = high;
    x.exponent = exponent + top.shift + factor_exponent + 64;
    if (!detail::round_up_scaled(error, -top.shift, &x.error)) return false;
    x.error += 2 * (top.lost || static_cast<std::uint64_t>(low) != 0);
  } else if (error > 0) {
    const Decoded d = decode(error);
    x.error = d.mantissa;
    x.exponent = exponent + d.exponent + factor_exponent + 64;
  }
  Decoded b{}, d{};
  if (addend) {
    b = decode(beta);
    d = decode(c);
    const Uint128 product = static_cast<Uint128>(b.mantissa) * d.mantissa;
    if (product != 0) {
      const std::uint64_t high = static_cast<std::uint64_t>(product >> 64);
      const int z = high != 0 ? leading_zeros(high) : 64 + leading_zeros(static_cast<std::uint64_t>(product));
      y = {product << z, 0, b.exponent + d.exponent - z, b.negative != d.negative};
    }
  }
  if (detail::round_sum(x, y, out)) return true;
  if (error > 0) return false;
  *out = detail::finish_full<T>(a, magnitude, negative, exponent, b, d);
  return true;
}

template <class T, int L>
ACCUBLAS_HD bool finish_within(T alpha, const Wide<L>& s, double error, int exponent, T beta, T c, T* out) {
  const bool decided = round_within(alpha, s, error, exponent, beta, c, out);
  if (decided) signal_exceptions(detail::exceptions_of(*out, alpha, beta, c));
  return decided;
}

template <class T, int L>
ACCUBLAS_HD T finish(T alpha, const Wide<L>& s, int exponent, T beta, T c) {
  T out{};
  finish_within(alpha, s, 0.0, exponent, beta, c, &out);
  return out;
}

namespace detail {

/// s + c as one integer of L limbs, times alpha, plus beta y.
template <int L, class T>
ACCUBLAS_HD T finish_pair_wide(T alpha, const Decoded& s, const Decoded& c, T beta, T y) {
  const int exponent = s.exponent < c.exponent ? s.exponent : c.exponent;
  const Wide<L> a = wide_shift_left(wide_from<L>(static_cast<std::int64_t>(s.mantissa)), s.exponent - exponent);
  const Wide<L> b = wide_shift_left(wide_from<L>(static_cast<std::int64_t>(c.mantissa)), c.exponent - exponent);
  return finish(alpha, wide_add(wide_negate_if(a, s.negative), wide_negate_if(b, c.negative)), exponent, beta, y);
}

}  // namespace detail

template <class T>
ACCUBLAS_HD T finish_pair(T alpha, double s, double c, T beta, T y) {
  Decoded ds = decode(s), dc = decode(c);
  if (ds.mantissa == 0) ds.exponent = dc.exponent;
  if (dc.mantissa == 0) dc.exponent = ds.exponent;
  const int gap = ds.exponent > dc.exponent ? ds.exponent - dc.exponent : dc.exponent - ds.exponent;
  // The integer needs 53 bits, the gap, a carry and a sign; the largest gap of finite doubles is 2045.
  if (gap <= 73) return detail::finish_pair_wide<2>(alpha, ds, dc, beta, y);
  if (gap <= 137) return detail::finish_pair_wide<3>(alpha, ds, dc, beta, y);
  return detail::finish_pair_wide<33>(alpha, ds, dc, beta, y);
}

template <class T>
ACCUBLAS_HD T finish_special(T alpha, T s, T beta, T c, bool made) {
  const T product = alpha * s;
  // A finite beta c, even one that would overflow as an IEEE product, does not move an infinity.
  const T addend = !detail::has_addend(beta) || (is_finite(beta) && is_finite(c)) ? T(0) : beta * c;
  const T result = canonical(product + addend);
  if (is_nan(result) && (made || !is_nan(s))) signal_exceptions(detail::exceptions_of(result, alpha, beta, c));
  return result;
}

template <class T>
ACCUBLAS_HD T finish_scaled(T beta, T c) {
  if (is_zero(beta)) return T(0);
  const T result = canonical(beta * c);
  signal_exceptions(detail::exceptions_of(result, T(1), beta, c));
  return result;
}

}  // namespace accublas
