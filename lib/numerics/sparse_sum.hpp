// The exact sum of numbers whose exponents may lie anywhere, rounded once to nearest even, in an accumulator of fixed
// length.
#pragma once

#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/limbs.hpp"

namespace accublas {

/// (-1)^negative magnitude 2^exponent with `bits` significant bits (0: a zero).
template <class Limb>
struct SparseTerm {
  const Limb* magnitude;
  int limbs;
  int bits;
  std::int64_t exponent;
  bool negative;

  ACCUBLAS_HD constexpr std::int64_t top() const { return exponent + bits; }  ///< abs < 2^top
};

/// Terms are added in the order of decreasing top(), with a bound on all that follow. The accumulator S is exact, in
/// two's complement, in units of 2^base. A call of add() returns true when the rounded result is known whatever
/// follows:
///   - what follows, below 2^rest, is below a quarter of S's last place, and S is no nearer than 2^rest to a midpoint
///     of two neighbouring numbers. (S near a power of two: the lower neighbour's midpoint is half a last place of that
///     binade away, that is 2^(top - p - 2).)
///   - S is nearer than that to a midpoint: the accumulator then holds S - midpoint, and only its sign is wanted from
///     there on. The sign is known when abs(S - midpoint) >= 2^rest.
/// Length: before a term with top() = h is added, S < 2^(h + p + 2 + q), q = log2 of the number of terms, or S would
/// have been decided; and all terms so far end at h - B or above, B the most bits of a term. So p + B + q + 3 bits do.
template <class Limb>
class SparseSum {
 public:
  static constexpr int bits = limb_bits<Limb>;
  static constexpr std::int64_t no_rest = INT64_MIN;

  /// Number of limbs of the accumulator, and of the scratch area, for at most 2^40 terms of at most `term_bits` bits.
  ACCUBLAS_HD static constexpr int capacity(int precision, int term_bits) {
    return (precision + term_bits + 64) / bits + 3;
  }

  /// `accumulator` and `scratch` have `capacity` limbs, `result` has room for p bits. No result is below 2^(least - 1),
  /// the least number.
  ACCUBLAS_HD SparseSum(int precision, std::int64_t least_exponent, Limb* accumulator, Limb* scratch, int capacity,
                        Limb* result)
      : precision_(precision), least_(least_exponent), a_(accumulator), scratch_(scratch), n_(capacity), x_(result) {}

  /// Adds a term; the sum of all that follow is below 2^rest in magnitude (no_rest: nothing follows).
  ACCUBLAS_HD bool add(const SparseTerm<Limb>& term, std::int64_t rest) {
    if (term.bits != 0) accumulate(term);
    return tie_ ? decide_side(rest) : decide(rest);
  }

  /// After add() has returned true: whether the sum is zero.
  ACCUBLAS_HD bool is_zero() const { return zero_; }
  ACCUBLAS_HD bool negative() const { return negative_; }
  /// The result is (-1)^negative X 2^(exponent - precision), X at `result`, 2^(p-1) <= X < 2^p, unless X = 0: an
  /// underflow.
  ACCUBLAS_HD bool underflow() const { return underflow_; }
  ACCUBLAS_HD std::int64_t exponent() const { return exponent_; }

 private:
  ACCUBLAS_HD static constexpr int limbs_of(int count) { return ceil_div(count, bits); }

  ACCUBLAS_HD void accumulate(const SparseTerm<Limb>& term) {
    if (empty_) {
      for (int i = 0; i < n_; ++i) a_[i] = 0;
      base_ = term.exponent;
      empty_ = false;
    } else if (term.exponent < base_) {
      const std::int64_t down = ceil_div(base_ - term.exponent, bits);
      for (int i = n_ - 1; i >= 0; --i) a_[i] = i >= down ? a_[i - down] : 0;
      base_ -= down * bits;
    }
    // In a tie the accumulator counts in the direction of the magnitude.
    const bool subtract = term.negative != (tie_ && negative_);
    const int shift = static_cast<int>(term.exponent - base_), first = shift / bits,
              used = limbs_of(term.bits + shift % bits);
    Limb carry = 0;
    for (int i = first; i < n_; ++i) {
      const Limb t = i - first < used ? limbs_window(term.magnitude, term.limbs, i * bits - shift) : 0;
      if (i - first >= used && carry == 0) break;
      if (subtract) {
        const Limb d = static_cast<Limb>(a_[i] - t), e = static_cast<Limb>(d - carry);
        carry = static_cast<Limb>((a_[i] < t) | (d < carry));
        a_[i] = e;
      } else {
        const Limb s = static_cast<Limb>(a_[i] + t), e = static_cast<Limb>(s + carry);
        carry = static_cast<Limb>((s < t) | (e < carry));
        a_[i] = e;
      }
    }
  }

  /// Sets scratch = abs(S) and returns its number of bits. An accumulator that is zero becomes empty.
  ACCUBLAS_HD int magnitude(bool& negative) {
    if (empty_) return 0;
    negative = (a_[n_ - 1] >> (bits - 1)) != 0;
    for (int i = 0; i < n_; ++i) scratch_[i] = a_[i];
    if (negative) limbs_negate(scratch_, n_);
    const int length = limbs_bit_length(scratch_, n_);
    empty_ = length == 0;
    return length;
  }

  ACCUBLAS_HD bool decide(std::int64_t rest) {
    bool negative = false;
    const int length = magnitude(negative);
    if (length == 0) {
      zero_ = rest == no_rest;
      return zero_;
    }
    const std::int64_t top = base_ + length;
    if (rest != no_rest && rest > top - precision_ - 2) return false;
    negative_ = negative;
    // The exponent of the last place: the p-th bit, or that of the least number if S is below it.
    const std::int64_t last = top >= least_ ? top - precision_ : least_ - 1;
    unit_ = last;
    const std::int64_t cut64 = last - base_;
    if (cut64 <= 0) {  // no bit below the last place, and what follows is less than a quarter of it
      set(static_cast<int>(cut64), false);
      return true;
    }
    // S is below the least number by more than its own length, far below the midpoint.
    if (cut64 > length + 1) {
      zero_result();
      return true;
    }
    const int cut = static_cast<int>(cut64);
    const bool half = limbs_bit(scratch_, n_, cut - 1), more = limbs_any_below(scratch_, n_, cut - 1);
    if (rest == no_rest) {
      set(cut, half && (more || limbs_bit(scratch_, n_, cut)));
      return true;
    }
    // abs(S - midpoint) = abs(low - 2^(cut-1)) with low the bits below the cut, against 2^rest.
    const std::int64_t distance = rest - base_;
    if (!near_midpoint(cut, half, distance)) {
      set(cut, half);
      return true;
    }
    set(cut, false);
    tie_ = true;
    // The accumulator becomes low - 2^(cut-1), in the direction of the magnitude.
    for (int i = 0; i < n_; ++i) a_[i] = low_limb(i, cut - 1);
    if (!half) {
      // low - 2^(cut-1) with bit cut-1 of low clear: all bits from cut-1 on become ones.
      for (int i = (cut - 1) / bits; i < n_; ++i) {
        const int from = cut - 1 - i * bits;
        a_[i] |= from > 0 ? static_cast<Limb>(~Limb{0} << from) : static_cast<Limb>(~Limb{0});
      }
    }
    return false;
  }

  /// Limb i of the bits of scratch below `count`.
  ACCUBLAS_HD Limb low_limb(int i, int count) const {
    const int have = count - i * bits;
    if (have <= 0) return 0;
    return have >= bits ? scratch_[i] : static_cast<Limb>(scratch_[i] & ((Limb{1} << have) - 1));
  }

  /// Returns whether abs(low - 2^(cut-1)) < 2^distance. If the bit cut-1 is set, the difference is the cut-1 bits below
  /// it, otherwise their two's complement. The bits from `distance` on must then be all zero, or all one (a difference
  /// of exactly 2^distance is not near).
  ACCUBLAS_HD bool near_midpoint(int cut, bool half, std::int64_t distance) const {
    const int below = cut - 1;
    if (distance <= 0) return half && !any_between(0, below);  // S is a multiple of 2^base: nearer than one is equal
    if (distance >= below) return true;
    const int from = static_cast<int>(distance);
    return half ? !any_between(from, below) : all_between(from, below) && limbs_any_below(scratch_, n_, from);
  }
  ACCUBLAS_HD bool any_between(int from, int to) const {
    for (int i = from; i < to;) {
      const Limb w = limbs_window(scratch_, n_, i);
      const int have = to - i < bits ? to - i : bits;
      if ((have < bits ? static_cast<Limb>(w << (bits - have)) : w) != 0) return true;
      i += have;
    }
    return false;
  }
  ACCUBLAS_HD bool all_between(int from, int to) const {
    for (int i = from; i < to;) {
      const Limb w = static_cast<Limb>(~limbs_window(scratch_, n_, i));
      const int have = to - i < bits ? to - i : bits;
      if ((have < bits ? static_cast<Limb>(w << (bits - have)) : w) != 0) return false;
      i += have;
    }
    return true;
  }

  ACCUBLAS_HD bool decide_side(std::int64_t rest) {
    bool below = false;
    const int length = magnitude(below);
    if (rest != no_rest && (length == 0 || base_ + length - 1 < rest)) return false;
    const bool up = length == 0 ? even_up_ : !below;
    if (up) increment();
    return true;
  }

  /// result = floor(scratch / 2^cut) normalised to p bits, plus one last place with `up`.
  ACCUBLAS_HD void set(int cut, bool up) {
    const int words = limbs_of(precision_);
    limbs_extract(x_, words, scratch_, n_, cut);
    even_up_ = (x_[0] & 1) != 0;
    normalise(words);
    if (up) increment();
  }

  ACCUBLAS_HD void normalise(int words) {
    const int have = limbs_bit_length(x_, words);
    underflow_ = have == 0;
    exponent_ = unit_ + have;
    if (have == 0 || have == precision_) return;
    shift_up(words, precision_ - have);
  }

  ACCUBLAS_HD void shift_up(int words, int by) {
    const int whole = by / bits, rest = by % bits;
    for (int i = words - 1; i >= 0; --i) {
      const Limb high = i - whole >= 0 ? x_[i - whole] : 0, low = i - whole - 1 >= 0 ? x_[i - whole - 1] : 0;
      x_[i] = rest == 0 ? high : static_cast<Limb>(high << rest | low >> (bits - rest));
    }
  }

  /// Adds one last place. Only a full p-bit X, or an underflow to zero, is ever incremented.
  ACCUBLAS_HD void increment() {
    const int words = limbs_of(precision_);
    if (underflow_) {  // half of the least number or more: the least number
      for (int i = 0; i < words; ++i) x_[i] = 0;
      exponent_ = least_;
      underflow_ = false;
    } else {
      limbs_add_limb(x_, words, 0, Limb{1});
      const bool carried = precision_ % bits == 0 ? limbs_zero(x_, words) : limbs_bit(x_, words, precision_);
      if (!carried) return;
      for (int i = 0; i < words; ++i) x_[i] = 0;
      ++exponent_;
    }
    x_[(precision_ - 1) / bits] = Limb{1} << ((precision_ - 1) % bits);
  }

  ACCUBLAS_HD void zero_result() {
    const int words = limbs_of(precision_);
    for (int i = 0; i < words; ++i) x_[i] = 0;
    underflow_ = true;
  }

  int precision_;
  std::int64_t least_;
  Limb* a_;
  Limb* scratch_;
  int n_;
  Limb* x_;
  std::int64_t base_ = 0, unit_ = 0, exponent_ = 0;
  bool empty_ = true, tie_ = false, zero_ = false, negative_ = false, even_up_ = false, underflow_ = false;
};

}  // namespace accublas
