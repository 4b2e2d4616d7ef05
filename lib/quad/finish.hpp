// The last step of a product beyond double precision: alpha S + beta c is formed exactly and rounded once.
#pragma once

#include "lib/numerics/wide_sum.hpp"
#include "lib/quad/number.hpp"

namespace accublas::quad {

/// The class of a sum of terms x y, some of which may be infinite or NaN.
struct TermClasses {
  bool plus = false, minus = false, made_nan = false, any_nan = false;

  void add(const Number& x, const Number& y) {
    if (x.kind == Number::Kind::nan || y.kind == Number::Kind::nan) {
      any_nan = true;
    } else if (x.is_zero() || y.is_zero()) {
      made_nan = true;  // one of them is infinite
    } else {
      (x.negative != y.negative ? minus : plus) = true;
    }
  }
  bool special() const { return plus || minus || made_nan || any_nan; }
  /// +Inf, -Inf or NaN.
  double value() const {
    if (any_nan || made_nan || (plus && minus)) return canonical_nan<double>();
    return plus ? HUGE_VAL : -HUGE_VAL;
  }
};

/// The most bits of alpha S + beta c lie from 2^-49482 (a subnormal alpha times a product of subnormal numbers) to
/// 2^49152 times 2^62 terms; pairs have two parts, which adds a bit.
inline constexpr int combined_limbs = (49482 + 49152 + 64) / 64 + 3;

/// Rounds alpha S + beta c. Each thread has its own, which is large.
class Finish {
 public:
  Finish(const Number& alpha, const Number& beta, Format format);

  Format format() const { return format_; }
  /// Whether the result is S times +-a power of two, which is that of `scale`.
  bool simple() const { return simple_; }
  /// (-1)^negative 2^exponent.
  struct Scale {
    int exponent;
    bool negative;
  };
  Scale scale() const;

  /// RN(alpha S + beta c) for finite alpha, S, beta, c. `c` is not read if beta is 0. Signals nothing.
  Value round(const SignedLimbs& s, const Number& c);
  /// Same contract as `round`; signals the exceptions of the result.
  Value finish(const SignedLimbs& s, const Number& c);
  /// The result for any operands: S is finite unless `classes` says that it is not.
  Value finish(const SignedLimbs& s, const TermClasses& classes, const Number& c);
  /// The IEEE product beta c of a call with alpha = 0 or without terms; +0 if beta is 0.
  Value scaled(const Number& c);

  /// Signals the exceptions of a result of `round`.
  void signal_finite(const Value& result) const { signal(result, false, true); }
  /// Whether the result for a finite S and this c is that of `round`.
  bool finite(const Number& c) const { return alpha_.finite() && (beta_.is_zero() || (beta_.finite() && c.finite())); }

  /// Whether two results are equal, bit by bit.
  bool same(const Value& x, const Value& y) const;

  /// NaN or +-Inf.
  Value of(double special) const;

 private:
  struct Term {
    const std::uint64_t* limb;
    int count;
    std::int64_t exponent;
    bool negative;
  };
  Value rounded(const SignedLimbs& x);
  SignedLimbs add(const Term* terms, int count);
  void signal(const Value& result, bool any_nan, bool all_finite) const;

  Number alpha_, beta_;
  Format format_;
  bool simple_;
  std::uint64_t product_[2][WideSum::limbs + 4];
  std::uint64_t sum_[combined_limbs];
  std::uint64_t rest_[combined_limbs + 2];
};

}  // namespace accublas::quad
