// Rounded results from residues with AVX-512 and NEON, 32 elements at a time. A window of S (int8_windows.hpp) has its
// leading 111 bits as an integer pair, which is rounded once by a fused multiply-add. With alpha and beta c the result
// is a sum of doubles, which Ziv's test rounds.
#include "lib/cpu/kernels/int8_windows.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

/// 8 elements of Leading, from column `at` on: h 2^48 + m = head 2^48 + e, head being h rounded, abs(e) < 2^58.
struct Eight {
  std::int64_t at;
  Doubles head;
  Integers64 e, h, sticky;
  Mask zero;  ///< S = 0
};

/// 8 results, and those of them that are right; the others stay open.
struct Rounded {
  Doubles value;
  Mask done;
};

/// Returns the lanes with least <= x <= most.
ACCUBLAS_INLINE Mask within(Integers64 x, std::int64_t least, std::int64_t most) {
  return at_least(splat64(most - least), x - splat64(least));  // as unsigned numbers
}

/// All elements of a row, whose sums are S.
struct AllElements {
  const Int8Reconstruction& t;

  [[gnu::always_inline]] inline Mask lanes(std::int64_t at) const { return first_lanes(t.cols - at); }
  [[gnu::always_inline]] inline Mask add(const Unit&, std::int64_t, bool, Integers64&, Integers64&) const {
    return 0xFF;
  }
};

/// The open elements of a row, where alpha and beta are 1 or -1: their sums are S + (beta / alpha) c. If most bits of S
/// cancel, its leading bits do not decide alpha S + beta c.
template <class T>
struct OpenElements {
  const Int8Reconstruction& t;
  std::int64_t r;
  const T* c;

  [[gnu::always_inline]] inline Mask lanes(std::int64_t at) const { return load_flags(t.open + r * t.row_stride + at); }
  /// Adds the addends of 8 columns to h 2^48 + m, and returns where: an addend must be an integer. If it is not one in
  /// this window's unit, but may be one in the next, h is unchanged. Otherwise h is set so large that the element is
  /// not tried again. Windows behind the first one hold all of a sum, modulo 2^112.
  [[gnu::always_inline]] inline Mask add(const Unit& unit, std::int64_t at, bool first, Integers64& h,
                                         Integers64& m) const {
    constexpr std::int64_t one = 1, most_head = one << 62;
    constexpr int most_shift = 62 + 48 - 53;  // addends are below most_head too
    const Integers64 bits = as_bits(load(c + at)), word = splat64((one << 48) - 1);
    const Integers64 exponent = shifted(bits, splat64(-52)) & splat64(0x7FF),
                     size = (bits & splat64((one << 52) - 1)) | splat64(one << 52);
    const Mask minus = t.alpha == t.beta ? sign_bit(bits) : ~sign_bit(bits), normal = within(exponent, 1, 2046);
    const Integers64 mantissa = sub_where(minus, where(~minus, size), size);
    const Integers64 shift =
        exponent - load_64(t.col_exponent + at) - splat64(t.row_exponent[r] + unit.exponent + 1075);
    Mask whole = normal & within(shift, 0, first ? most_shift : 1 << 16);
    if (first) whole &= ~at_least(magnitude(h), splat64(most_head));
    const Mask waits = normal & sign_bit(shift) & ~at_least(magnitude(h), splat64(least_head / 2));
    const Integers64 sum = m + (shifted(mantissa, shift) & word);
    const Integers64 head = h + shifted(mantissa, shift - splat64(48)) + shifted(sum, splat64(-48));
    h = where(whole, head, where(waits, h, splat64(most_head)));
    m = where(whole, sum & word, m);
    return whole;
  }
};

/// Calls round(Unit, Eight), which returns Rounded, for elements of row r. Stores the values that are done, marks the
/// others in t.open, and returns how many these are. An element that is too small for a window is rounded in the next
/// one.
template <class T, bool Sticky, class Elements, class Round>
ACCUBLAS_INLINE std::int64_t round_row(const Int8Reconstruction& t, const Windows& windows, std::int64_t r, T* out,
                                       const Elements& of_row, Round&& round) {
  std::int64_t open = 0;
  for (std::int64_t c = 0; c < t.cols; c += elements) {
    const std::int8_t* const planes = t.planes + r * t.row_stride + c;
    Residues minus_q;
    Mask left[2 * side_by_side] = {}, small[2 * side_by_side] = {};
    bool any_small = false;
    const auto round_window = [&](const Unit& unit, const Leading& x, bool first) __attribute__((always_inline)) {
      any_small = false;
      for (int i = 0; i < 2 * side_by_side; ++i) {
        const std::int64_t at = c + 8 * i;
        if (at >= t.cols) break;
        if (!first && small[i] == 0) continue;
        Integers64 h = x.h[i], m = x.m[i];
        const Mask added = of_row.add(unit, at, first, h, m);
        const Doubles head = to_doubles(h);
        const Integers64 e = ((h - nearest_integers(head)) << 48) + m;
        const Mask zero = is_zero(h | m | x.sticky[i]);
        T* const to = out + r * t.out_stride + at;
        const Rounded y = round(unit, Eight{at, head, e, h, x.sticky[i], zero});
        if (first) left[i] = small[i] = of_row.lanes(at);
        const Mask done = small[i] & added & y.done;
        store_where(done, to, y.value);
        left[i] &= ~done;
        small[i] &= left[i] & ~at_least(magnitude(h), splat64(least_head));
        any_small |= small[i] != 0;
      }
    };
    round_window(windows.unit[0], digits_from<Sticky, true>(t, planes, windows.unit[0].low, minus_q), true);
    for (int w = 1; __builtin_expect(any_small, 0) && w < windows.count; ++w)
      round_window(windows.unit[w], digits_from<Sticky, false>(t, planes, windows.unit[w].low, minus_q), false);
    for (int i = 0; i < 2 * side_by_side && c + 8 * i < t.cols; ++i) {
      store_flags(t.open + r * t.row_stride + c + 8 * i, left[i]);
      open += lanes_in(left[i]);
    }
  }
  return open;
}

/// Half the width of the interval that holds the exact sum, in units of S.
ACCUBLAS_INLINE Doubles interval(const Int8Reconstruction& t, std::int64_t r, std::int64_t at) {
  return fma(splat(t.row_drop[r]), load(t.col_error + at), load(t.col_drop + at) * splat(t.row_error[r]));
}

/// head + (e + rest) 2^-48 rounded to a double; for Single to odd, so that a second rounding to single precision is
/// right. The low 6 bits of e only say whether anything stands there: e has at most 59 bits, so the rest is a double;
/// and where abs(head) >= 2^13 the last bit of the result is 2^8 units of e or more, so what they say is all that
/// matters.
template <bool Single>
ACCUBLAS_INLINE Doubles round_pair(Doubles head, Integers64 e) {
  const Integers64 low = splat64(63), one = splat64(1);
  const Integers64 kept = without(e, low);
  const Doubles tail = to_doubles(where(any_bit(e, low), kept | splat64(64), kept)) * splat(0x1p-48);
  const Doubles r = head + tail;
  if (!Single) return r;
  const Doubles lost = tail - (r - head);  // exact: abs(head) > abs(tail)
  const Integers64 bits = as_bits(r);
  const Mask inexact = differing(as_bits(lost) << 1, Integers64{});
  const Mask even = no_bit_where(inexact, bits, one);
  const Mask opposite = sign_bit(bits ^ as_bits(lost));
  return as_double(sub_where(even & opposite, add_where(even & ~opposite, bits, one), one));
}

/// The sign bit of a double.
ACCUBLAS_INLINE Integers64 sign_of(bool negative) {
  return splat64(negative ? static_cast<std::int64_t>(0x8000000000000000u) : 0);
}
/// x 2^shift with the sign bit flipped by `sign`, for a normal result; zero stays +0.
ACCUBLAS_INLINE Doubles scale(Doubles x, Integers64 shift, Integers64 sign) {
  return as_double(where(differing(x, zero()), (as_bits(x) + (shift << 52)) ^ sign));
}

/// Elements that round to one value, of 8.
template <class T>
ACCUBLAS_INLINE Mask same(Doubles x, Doubles y) {
  if (sizeof(T) == 8) return equal(as_bits(x), as_bits(y));
  return equal(to_single(x), to_single(y));
}

/// Returns RN(S 2^...) of 8 elements of row r. An interval decides an element if both of its ends round to one value.
template <class T, bool Interval, bool Sticky>
ACCUBLAS_INLINE Rounded round_sum(const Int8Reconstruction& t, const Unit& unit, Integers64 sign, std::int64_t r,
                                  const Eight& x) {
  constexpr bool single = sizeof(T) == 4;
  constexpr int normal_min = single ? -126 : -1022, normal_max = single ? 127 : 1023;
  const std::int64_t h_exponent = std::int64_t{t.row_exponent[r]} + unit.exponent + 48;  // h has 48 bits more than m
  // Digits that were not computed are worth at most 2^12.3 units of m; one more for the truncation of the error.
  const Doubles unknown = splat(!Sticky && unit.low > 0 ? 0x1p13 : 1.0);
  const Integers64 shift = load_64(t.col_exponent + x.at) + splat64(h_exponent);
  const Mask large = at_least(magnitude(x.h), splat64(least_head));
  // Large results are between 2^(shift + 13) and 2^(shift + 64).
  Mask done = large & within(shift, normal_min - 13, normal_max - 64);
  Doubles result;
  if (Interval) {
    Doubles error = interval(t, r, x.at);
    const Mask none = equal(error, zero()) & (Sticky || unit.low == 0 ? 0xFF : 0);
    error = fma(error, splat(unit.per_unit * (1 + 0x1p-40)), unknown);
    done &= below(error, splat(0x1p56));
    const Integers64 bound = where(~none & done, nearest_integers(error));
    const Doubles least = round_pair<single>(x.head, (x.e - bound) | x.sticky);
    result = round_pair<single>(x.head, (x.e + bound) | x.sticky);
    if (!single) done &= same<T>(least, result);
    result = scale(result, shift, sign);
    if (single) done &= same<T>(scale(least, shift, sign), result);
    done |= x.zero & none;
  } else {
    result = scale(round_pair<single>(x.head, x.e | x.sticky), shift, sign);
    done |= x.zero;
  }
  return {result, done};
}

template <class T, bool Interval, bool Sticky>
std::int64_t reconstruct(const Int8Reconstruction& t, T* out) {
  const Windows windows(*t.crt);
  const Integers64 sign = sign_of(t.negative);
  std::int64_t open = 0;
  for (std::int64_t r = 0; r < t.rows; ++r)
    open += round_row<T, Sticky>(
        t, windows, r, out, AllElements{t}, [&](const Unit& unit, const Eight& x) __attribute__((always_inline)) {
          return round_sum<T, Interval, Sticky>(t, unit, sign, r, x);
        });
  return open;
}

/// high + low = a + b exactly.
ACCUBLAS_INLINE void two_sum(Doubles a, Doubles b, Doubles& high, Doubles& low) {
  high = a + b;
  const Doubles t = high - a;
  low = (a - (high - t)) + (b - t);
}

/// alpha and beta in registers.
struct Factors {
  Doubles alpha, beta;
};

/// high + low + tail up to `error`.
struct Product {
  Doubles high, low, tail, error;
};

/// alpha S, for S = (head 2^48 + e) unit up to `error` units.
ACCUBLAS_INLINE Product alpha_sum(Doubles alpha, const Eight& x, Doubles unit, Doubles error) {
  const Doubles head = x.head * splat(0x1p48) * unit, tail = to_doubles(x.e) * unit;
  const Doubles p = alpha * head;
  return {p, fms(alpha, head, p), alpha * tail, error * unit * magnitude(alpha)};
}

/// RN(p + q), q + q_low being beta c exactly: five doubles with four roundings, and the error of p. Done where both
/// ends of the interval round to one value.
template <class T>
ACCUBLAS_INLINE Rounded round_parts(const Product& p, Doubles q, Doubles q_low) {
  Doubles sum, sum_low;
  two_sum(p.high, q, sum, sum_low);
  const Doubles rest = sum_low + (p.tail + (p.low + q_low));
  // Three roundings on the way to `rest`, and one where the error is added, each of at most 2^-52 size.
  const Doubles size = (magnitude(p.tail) + magnitude(p.low)) + (magnitude(q_low) + magnitude(sum_low));
  Doubles error = fma(size, splat(0x1p-49), p.error * splat(1 + 0x1p-40));
  // For the rounding to double on the way to float.
  if (sizeof(T) == 4) error = fma(magnitude(sum), splat(0x1p-51), error);
  const Doubles least = sum + (rest - error), result = sum + (rest + error);
  Mask done = same<T>(least, result);
  // An underflow to zero has the sign of the exact result, and an overflow signals its exception: both stay open.
  if (sizeof(T) == 4)
    done &= at_least(magnitude(result), splat(0x1p-149)) & at_least(splat(0x1.fffffep+127), magnitude(result));
  return {result, done};
}

/// Returns RN(alpha S + beta c) of 8 elements of row r, where c is in `out`. alpha and beta are within 2^+-200.
/// Elements whose unit of S or whose c is not within 2^+-700 stay open, so that no part over- or underflows.
template <class T, bool Interval, bool Sticky>
ACCUBLAS_INLINE Rounded round_combination(const Int8Reconstruction& t, const Unit& unit, const Factors& by,
                                          std::int64_t r, const T* c, const Eight& x) {
  const Integers64 m_exponent = load_64(t.col_exponent + x.at) + splat64(t.row_exponent[r] + unit.exponent);
  Mask done = within(m_exponent, -700, 700 - 112);
  // Units of m: digits that were not computed, and the low bits of m that a double lacks.
  const Doubles unknown = splat(!Sticky && unit.low > 0 ? 0x1.02p13 : 0x1p7);
  const Integers64 biased = where(done, m_exponent) + splat64(1023);
  Doubles error = unknown;
  Mask none = Sticky || unit.low == 0 ? 0xFF : 0;
  if (Interval) {
    const Doubles dropped = interval(t, r, x.at);
    none &= equal(dropped, zero());
    error = fma(dropped, splat(unit.per_unit * (1 + 0x1p-40)), unknown);
  }
  const Product p = alpha_sum(by.alpha, x, as_double(biased << 52), error);
  Doubles q = zero(), q_low = zero();
  if (t.beta != 0) {
    const Doubles addend = load(c + x.at), size = magnitude(addend);
    done &= (at_least(size, splat(0x1p-700)) & at_least(splat(0x1p700), size)) | equal(size, zero());
    q = by.beta * addend;
    q_low = fms(by.beta, addend, q);
  }
  Rounded y = round_parts<T>(p, q, q_low);
  y.done &= done;
  // An exact S = 0 leaves beta c; an exact zero is +0.
  none &= x.zero;
  if (t.beta == 0) {
    y.done |= none;
    y.value = where(none, zero(), y.value);
  }
  return y;
}

template <class T, bool Interval, bool Sticky>
std::int64_t combine(const Int8Reconstruction& t, T* out) {
  const Windows windows(*t.crt);
  const Factors by = {splat(t.alpha), splat(t.beta)};
  const bool whole = __builtin_fabs(t.alpha) == 1 && __builtin_fabs(t.beta) == 1;
  const Integers64 sign = sign_of(t.alpha < 0);
  std::int64_t open = 0;
  for (std::int64_t r = 0; r < t.rows; ++r) {
    T* const c = out + r * t.out_stride;
    std::int64_t left = round_row<T, Sticky>(
        t, windows, r, out, AllElements{t}, [&](const Unit& unit, const Eight& x) __attribute__((always_inline)) {
          return round_combination<T, Interval, Sticky>(t, unit, by, r, c, x);
        });
    if (whole && left > 0)
      left = round_row<T, Sticky>(
          t, windows, r, out,
          OpenElements<T>{t, r, c}, [&](const Unit& unit, const Eight& x) __attribute__((always_inline)) {
            return round_sum<T, Interval, Sticky>(t, unit, sign, r, x);
          });
    open += left;
  }
  return open;
}

template <class T>
std::int64_t reconstruct_any(const Int8Reconstruction& t, T* out) {
  if (t.combine) {
    if (!t.row_error) return combine<T, false, true>(t, out);
    return t.decide_ties ? combine<T, true, true>(t, out) : combine<T, true, false>(t, out);
  }
  if (!t.row_error) return reconstruct<T, false, true>(t, out);
  return t.decide_ties ? reconstruct<T, true, true>(t, out) : reconstruct<T, true, false>(t, out);
}

std::int64_t to_double(const Int8Reconstruction& t, double* out) { return reconstruct_any(t, out); }
std::int64_t to_float(const Int8Reconstruction& t, float* out) { return reconstruct_any(t, out); }

/// sum_l r_l weight_l of `Count` digits from digit `first`.
template <int Count>
ACCUBLAS_INLINE void digit_sums(const CrtTable& crt, const Residues* pairs, int count, int first, Sums* sums) {
  for (int d = 0; d < Count; ++d)
    for (int g = 0; g < side_by_side; ++g) sums[d][g] = Integers32{};
  for (int l = 0; l < count; ++l)
    for (int d = 0; d < Count; ++d)
      for (int g = 0; g < side_by_side; ++g)
        sums[d][g] = add_products(sums[d][g], pairs[l][g], splat_pair(&crt.weight_digit[first + d][2 * l]));
}

/// Takes four digits at a time from the lowest: the carries of their sums make a word of 64 bits.
void to_integers(const Int8Integers& t) {
  const CrtTable& crt = *t.crt;
  const int count = ceil_div(crt.count, 2);
  Int8Reconstruction planes{};
  planes.crt = t.crt;
  planes.plane_stride = t.plane_stride;
  for (std::int64_t c = 0; c < t.cols; c += elements) {
    Residues pairs[ceil_div(max_moduli, 2)];
    for (int l = 0; l < count; ++l) load_pair(planes, t.planes + c, l, pairs[l]);
    Sums s[4];
    digit_sums<3>(crt, pairs, count, crt.digits - 3, s);
    Residues minus_q;
    for (int g = 0; g < side_by_side; ++g) minus_q[g] = minus_quotient(crt, s[0][g], s[1][g], s[2][g]);
    Sums carry;
    for (int g = 0; g < side_by_side; ++g) carry[g] = Integers32{};
    for (int l = 0; l < t.limbs; ++l) {
      const int first = 4 * l;
      if (first + 4 <= CrtTable::max_digits)
        digit_sums<4>(crt, pairs, count, first, s);  // digits beyond the last one are zero
      else
        for (int d = 0; d < 4; ++d)
          for (int g = 0; g < side_by_side; ++g) s[d][g] = Integers32{};
      for (int d = 0; d < 4; ++d) {
        if (first + 4 > CrtTable::max_digits && first + d < crt.digits) {
          Sums one[1];
          digit_sums<1>(crt, pairs, count, first + d, one);
          for (int g = 0; g < side_by_side; ++g) s[d][g] = one[0][g];
        }
        const int product = first + d < crt.digits ? crt.product_digit[first + d] : 0;
        for (int g = 0; g < side_by_side; ++g) {
          s[d][g] = add_products(s[d][g] + carry[g], minus_q[g], splat_low(product));
          carry[g] = shifted_down<16>(s[d][g]);
        }
      }
      for (int g = 0; g < side_by_side; ++g) {
        const Integers64x2 words = integers_joined(words_joined(s[0][g], s[1][g]), words_joined(s[2][g], s[3][g]));
        double* const to = reinterpret_cast<double*>(t.out + l * t.out_stride + c + 16 * g);
        store(to, as_double(words.first));
        store(to + 8, as_double(words.second));
      }
    }
  }
}

std::int64_t certify(const Int8Certificate& t, std::uint8_t* accepted) {
  const Doubles factor = splat(t.factor), lambda = splat(t.lambda), least = splat(t.least);
  std::int64_t count = 0;
  for (std::int64_t c = 0; c < t.n; c += 8) {
    const Doubles excess = factor * load_doubles(t.sums + c) - (lambda + load(t.mu + c));
    unsigned mask = static_cast<unsigned>(at_least(excess, least));
    if (t.n - c < 8) mask &= (1u << (t.n - c)) - 1;
    if (accepted) accepted[c / 8] = static_cast<std::uint8_t>(mask);
    count += __builtin_popcount(mask);
  }
  return count;
}

}  // namespace

const Int8ReconstructKernels& int8_reconstruct() {
  static const Int8ReconstructKernels table = {certify, to_double, to_float, to_integers};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
