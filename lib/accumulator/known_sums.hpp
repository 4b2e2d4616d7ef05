// The sums of an accumulator as its final rounding needs them, one by one: special, exact, or known up to an error.
#pragma once

#include "lib/accumulator/accumulator.hpp"
#include "lib/base/exceptions.hpp"
#include "lib/cpu/int8/int8_portable.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/escalation.hpp"

namespace accublas {

/// An infinite or NaN sum.
template <class T>
struct SpecialSum {
  T value;
  bool made;  ///< the sum may be NaN, but no operand is
};
template <class T>
SpecialSum<T> special_of(std::uint8_t classes) {
  constexpr std::uint8_t both = term_plus | term_minus;
  if ((classes & (operand_nan | term_made_nan)) != 0 || (classes & both) == both)
    return {canonical_nan<T>(), (classes & operand_nan) == 0};
  const T infinity = from_bits<T>(FloatFormat<T>::infinity);
  return {(classes & term_plus) != 0 ? infinity : -infinity, false};
}

/// A sum: special, exact, or within `error` of a number.
template <class T>
struct KnownSum {
  bool special = false;
  SpecialSum<T> value{};
  const LongAccumulator* exact = nullptr;
  Wide<crt_limbs> near{};  ///< the sum, in units of 2^exponent, is at most `error` away
  double error = 0;
  int exponent = 0;
};

/// Returns whether the parts of the results are rounded, and listed if they are undecided, each on its own: numbers are
/// real, or the factors are, and the numbers of C are in the order of the sums.
template <class E>
bool rounds_parts_alone(const E& alpha, const E& beta, const Matrix<E>& c, Index m) {
  if constexpr (is_complex<E>)
    return alpha.im == 0 && beta.im == 0 && (c.row_stride == 1 || m == 1);
  else
    return true;
}

/// Returns the least integer that is not below x >= 0.
inline Wide<crt_limbs> ceiling(double x) {
  const Decoded d = decode(x);
  if (d.exponent >= 0) return wide_shift_left(wide_from<crt_limbs>(static_cast<std::int64_t>(d.mantissa)), d.exponent);
  const std::uint64_t whole = d.exponent > -64 ? d.mantissa >> -d.exponent : 0;
  return wide_from<crt_limbs>(static_cast<std::int64_t>(whole + (d.mantissa != 0)));
}

/// One component (real or imaginary part) of alpha S + beta c. Index 0 of the arrays is for this component of S and c,
/// and index 1 for the other one.
template <class T>
struct Component {
  T alpha[2], beta[2], c[2];
  const KnownSum<T>* sum[2];

  Component(const Complex<T>& a, const KnownSum<T>* sums, const Complex<T>& b, const Complex<T>& z, bool imaginary)
      : alpha{a.re, imaginary ? a.im : -a.im},
        beta{b.re, imaginary ? b.im : -b.im},
        c{imaginary ? z.im : z.re, imaginary ? z.re : z.im},
        sum{&sums[imaginary], &sums[!imaginary]} {}

  bool exact() const { return !(uses(0) && sum[0]->error > 0) && !(uses(1) && sum[1]->error > 0); }

  /// Returns false if the errors leave the component undecided.
  bool round(T* out) const {
    if (!uses(1) && is_zero(beta[1])) return round_real(out);
    if (exact()) {
      *out = bound(false);
      return true;
    }
    T high{};
    const unsigned raised = collect_exceptions([&] {
      *out = bound(false);
      high = bound(true);
    });
    if (to_bits(*out) != to_bits(high)) return false;
    signal_exceptions(raised);
    return true;
  }

 private:
  bool uses(int h) const { return !is_zero(alpha[h]); }

  bool round_real(T* out) const {
    const KnownSum<T>& s = *sum[0];
    if (s.special) {
      *out = finish_special(alpha[0], s.value.value, beta[0], c[0], s.value.made);
    } else if (s.exact) {
      *out = finish(alpha[0], *s.exact, beta[0], c[0]);
    } else {
      return finish_within(alpha[0], s.near, s.error, s.exponent, beta[0], c[0], out);
    }
    return true;
  }

  /// Rounds the lower or the upper end of the interval.
  T bound(bool upper) const {
    ComponentSum<T> total;
    for (int h = 0; h < 2; ++h) {
      if (!uses(h)) continue;
      const KnownSum<T>& s = *sum[h];
      if (s.special) {
        total.add_special(alpha[h], s.value.value, s.value.made);
      } else if (s.exact) {
        total.add(alpha[h], s.exact->value(), LongAccumulator::min_exponent);
      } else {
        const Wide<crt_limbs> end = wide_negate_if(ceiling(s.error), upper != (alpha[h] > 0));
        total.add(alpha[h], wide_add(s.near, end), s.exponent);
      }
    }
    total.add(beta[0], static_cast<double>(c[0]));
    total.add(beta[1], static_cast<double>(c[1]));
    return total.round();
  }
};

/// Returns what is known of a sum, whose residues are given.
template <class T>
KnownSum<T> known_sum(const Accumulator& sums, Index row, Index col, const std::int8_t* residues) {
  KnownSum<T> s;
  if (const std::uint8_t of = sums.classes_of(row, col); of != 0) {
    s.special = true;
    s.value = special_of<T>(of);
  } else if ((s.exact = sums.exact_sum(row, col)) == nullptr) {
    s.near = crt_reconstruct<crt_limbs>(cpu::int8_crt_table(sums.moduli), residues, 1);
    const std::size_t r = static_cast<std::size_t>(row), i = static_cast<std::size_t>(col);
    s.exponent = -sums.b.scale[r] - sums.a.scale[i];
    if (sums.rounds())
      s.error =
          element_error({double(sums.b.dropped[r]), sums.b.error[r]}, {double(sums.a.dropped[i]), sums.a.error[i]});
  }
  return s;
}

}  // namespace accublas
