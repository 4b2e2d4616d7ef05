// A sum kept as three doubles and a bound of its error, and its rounding by Ziv's test.
#pragma once

#include "lib/numerics/eft.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas {

/// The exact value lies in [a1 + a2 + a3 - error, a1 + a2 + a3 + error] (the sum taken exactly). The parts need not be
/// normalised. If any part is not finite, nothing is known about the value.
struct TripleSum {
  double a1, a2, a3, error;
};

ACCUBLAS_HD inline double absolute(double x) { return x < 0 ? -x : x; }

/// Adds `other` to the sum.
ACCUBLAS_HD inline void triple_add(TripleSum& sum, const TripleSum& other) {
  const DoublePair first = two_sum(sum.a1, other.a1), second = two_sum(sum.a2, other.a2),
                   third = two_sum(second.high, first.low);
  const DoublePair rest = two_sum(second.low, third.low), tail = two_sum(other.a3, rest.high),
                   a3 = two_sum(sum.a3, tail.high);
  // The three roundings add to the error; if they lose nothing, an exact sum stays exact.
  const double rounding = absolute(rest.low) + absolute(tail.low) + absolute(a3.low);
  sum = {first.high, third.high, a3.high, (sum.error + other.error + rounding) * (1 + 0x1p-50)};
}

ACCUBLAS_HD inline bool triple_known(const TripleSum& s) {
  return is_finite(s.a1) && is_finite(s.a2) && is_finite(s.a3) && is_finite(s.error);
}

namespace detail {

/// Rounds the sum for alpha = 1, beta = 0 in floating point. Returns true if both ends of the interval round to *out.
template <class T>
ACCUBLAS_HD bool round_triple(const TripleSum& s, T* out) {
  const DoublePair x = two_sum(s.a2, s.a3), y = two_sum(s.a1, x.high), z = two_sum(y.low, x.low),
                   w = two_sum(y.high, z.high);
  // The sum is w.high + w.low + z.low. Rounding is monotonic, so the ends only need to be outside.
  double error = (s.error + absolute(z.low)) * (1 + 0x1p-50) + absolute(w.low) * 0x1p-51;
  if (sizeof(T) != sizeof(double)) error += absolute(w.high) * 0x1p-51;  // for the rounding to double on the way
  const double low = add_rn(w.high, add_rn(w.low, -error)), high = add_rn(w.high, add_rn(w.low, error));
  const T a = static_cast<T>(low), b = static_cast<T>(high);
  if (to_bits(a) != to_bits(b) || is_zero(a) || !is_finite(a)) return false;
  *out = a;
  return true;
}

/// Returns v 2^-unit as an integer. *lost is set if bits below it were dropped; the magnitude is then too small by less
/// than 1.
template <int L>
ACCUBLAS_HD Wide<L> wide_from_double(double v, int unit, bool* lost) {
  const Decoded d = decode(v);
  const int shift = d.exponent - unit;
  Wide<L> r = wide_zero<L>();
  if (shift >= 0) {
    r = wide_shift_left(wide_from<L>(static_cast<std::int64_t>(d.mantissa)), d.mantissa != 0 ? shift : 0);
  } else {
    const std::uint64_t kept = shift > -64 ? d.mantissa >> -shift : 0;
    *lost = d.mantissa != 0 && (shift <= -64 || kept << -shift != d.mantissa);
    r.limb[0] = kept;
  }
  return wide_negate_if(r, d.negative);
}

}  // namespace detail

/// Same contract as `finish_triple`, but signals nothing: the result may be discarded.
template <class T>
ACCUBLAS_HD bool round_within(T alpha, const TripleSum& s, int exponent, T beta, T c, T* out) {
  if (exponent == 0 && alpha == T(1) && !detail::has_addend(beta) && detail::round_triple(s, out)) return true;
  // The parts become three integers of at most 53 + 130 bits; bits below them are lost.
  const double parts[] = {s.a1, s.a2, s.a3};
  int top = FloatFormat<double>::min_exponent;
  for (double part : parts) {
    const Decoded d = decode(part);
    if (d.mantissa != 0 && d.exponent > top) top = d.exponent;
  }
  // An error is at most 2^103 units, which may be a good part of the sum's last place.
  const Decoded width = decode(s.error);
  const int unit = width.mantissa != 0 && width.exponent - 50 > top - 130 ? width.exponent - 50 : top - 130;
  Wide<3> sum = wide_zero<3>();
  Uint128 error = 0;
  for (double part : parts) {
    bool lost = false;
    sum = wide_add(sum, detail::wide_from_double<3>(part, unit, &lost));
    error += lost;
  }
  if (s.error != 0) {
    Uint128 scaled;
    if (!detail::round_up_scaled(s.error, -unit, &scaled)) return false;
    error += scaled;
  }
  return round_within(alpha, sum, static_cast<double>(error) * (1 + 0x1p-50), unit + exponent, beta, c, out);
}

/// Computes RN(alpha sum 2^exponent + beta c). Returns true, and signals the result's exceptions, if the interval
/// decides it; s must be known.
template <class T>
ACCUBLAS_HD bool finish_triple(T alpha, const TripleSum& s, int exponent, T beta, T c, T* out) {
  const bool decided = round_within(alpha, s, exponent, beta, c, out);
  if (decided) signal_exceptions(detail::exceptions_of(*out, alpha, beta, c));
  return decided;
}

}  // namespace accublas
