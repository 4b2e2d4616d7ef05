// Integers from residues with AVX-512 and NEON, 32 or 16 elements at a time: windows of 7 digits of 16 bits, from
// products of 16-bit numbers and the quotient by P in single precision. Only int8_reconstruct.cpp includes this
// file.
#pragma once

#include "lib/base/integers.hpp"
#include "lib/cpu/kernels/int8_kernels.hpp"
#include "lib/cpu/kernels/int8_vector.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr int top_digits = 7;

/// Vectors of 16 elements that go side by side: one register alone would wait for its chains of dependent sums, and
/// with NEON a vector is four.
constexpr int side_by_side = ACCUBLAS_VECTOR_BITS == 128 ? 1 : 2, elements = 16 * side_by_side;

/// All of these elements.
using Sums = Integers32[side_by_side];
using Residues = Pairs[side_by_side];

/// S = (h 2^48 + m + rest) 2^(16 low) in units of digit 0, lane by lane: h signed, 0 <= m < 2^48, 0 <= rest < 1. 8
/// elements to a register.
struct Leading {
  Integers64 h[2 * side_by_side], m[2 * side_by_side];
  Integers64 sticky[2 * side_by_side];  ///< 1 where rest > 0, if asked for
};

/// Residues of moduli 2 l and 2 l + 1, side by side.
ACCUBLAS_INLINE void load_pair(const Int8Reconstruction& t, const std::int8_t* at, int l, Residues& pair) {
  const std::int8_t* one = at + 2 * l * t.plane_stride;
  const std::int8_t* other = 2 * l + 1 < t.crt->count ? one + t.plane_stride : one;  // its weight is 0
  for (int g = 0; g < side_by_side; ++g) pair[g] = load_pairs(one + 16 * g, other + 16 * g);
}

/// -q modulo 2^16 in 32 bits, q the quotient of S by P from the three leading digits. They stand for S + q P up to
/// 2^-18 P; the roundings of single precision, on terms of at most 2^13, add 2^-8: S / P is farther than that from a
/// half (crt_margin).
ACCUBLAS_INLINE Pairs minus_quotient(const CrtTable& crt, Integers32 digit4, Integers32 digit5, Integers32 digit6) {
  Floats f = to_floats(digit6) * splat(crt.quotient[0]);
  f = fma(to_floats(digit5), splat(crt.quotient[1]), f);
  f = fma(to_floats(digit4), splat(crt.quotient[2]), f);
  return low_pairs(as_bits(splat(0x1.8p23f) - f));
}

/// Adds the carry to `Count` digits of sum_l r_l weight_l - q P from digit `first`, collects their bits and carries on.
template <int Count>
ACCUBLAS_INLINE void low_digits(const CrtTable& t, const Residues* pairs, int count, int first, const Residues& minus_q,
                                Sums& carry, Sums& bits) {
  Sums sum[Count];
  for (int d = 0; d < Count; ++d)
    for (int g = 0; g < side_by_side; ++g) sum[d][g] = Integers32{};
  for (int l = 0; l < count; ++l)
    for (int d = 0; d < Count; ++d)
      for (int g = 0; g < side_by_side; ++g)
        sum[d][g] = add_products(sum[d][g], pairs[l][g], splat_pair(&t.weight_digit[first + d][2 * l]));
  // The terms that depend on the digits above come last, so that the sums need not wait for them.
  for (int d = 0; d < Count; ++d)
    for (int g = 0; g < side_by_side; ++g)
      sum[d][g] =
          add_products(d == 0 ? sum[d][g] + carry[g] : sum[d][g], minus_q[g], splat_low(t.product_digit[first + d]));
  for (int d = 0; d < Count; ++d) {
    for (int g = 0; g < side_by_side; ++g) {
      if (d > 0) sum[d][g] = sum[d][g] + carry[g];
      bits[g] = bits[g] | sum[d][g];
      carry[g] = shifted_down<16>(sum[d][g]);
    }
  }
}

/// low_digits for all the `low` digits below the leading ones, from the lowest.
ACCUBLAS_INLINE void all_low_digits(const CrtTable& t, const Residues* pairs, int count, int low,
                                    const Residues& minus_q, Sums& carry, Sums& bits) {
  int d = 0;
  for (; d + 4 <= low; d += 4) low_digits<4>(t, pairs, count, d, minus_q, carry, bits);
  switch (low - d) {
    case 3:
      low_digits<3>(t, pairs, count, d, minus_q, carry, bits);
      break;
    case 2:
      low_digits<2>(t, pairs, count, d, minus_q, carry, bits);
      break;
    case 1:
      low_digits<1>(t, pairs, count, d, minus_q, carry, bits);
      break;
    default:
      break;
  }
}

/// Windows have 7 digits. The first one has the leading digits, and each other one begins 3 digits below the one
/// before, down to the lowest digits. All bits of an element with abs(h) < 2^14 in a window are in the next one or
/// below it.
constexpr int window_step = 3, most_windows = 6;
constexpr std::int64_t least_head = 1 << 14;

/// Computes the digits low .. low + 6 of all elements. They are the leading ones (`First`, which sets minus_q), or they
/// hold all of S. abs of every digit's sum is below 49 128 2^15 + 2^12 2^15 < 2^28.
template <bool Sticky, bool First>
ACCUBLAS_INLINE Leading digits_from(const Int8Reconstruction& t, const std::int8_t* at, int low, Residues& minus_q) {
  const CrtTable& crt = *t.crt;
  const int pairs_count = ceil_div(crt.count, 2);
  const Integers32 word = splat32(0xFFFF);
  Residues pairs[ceil_div(max_moduli, 2)];
  Sums s[top_digits];
  for (int d = 0; d < top_digits; ++d)
    for (int g = 0; g < side_by_side; ++g) s[d][g] = Integers32{};
  for (int l = 0; l < pairs_count; ++l) {
    Residues pair;
    load_pair(t, at, l, pair);
    for (int g = 0; Sticky && g < side_by_side; ++g) pairs[l][g] = pair[g];
    for (int d = 0; d < top_digits; ++d)
      for (int g = 0; g < side_by_side; ++g)
        s[d][g] = add_products(s[d][g], pair[g], splat_pair(&crt.weight_digit[low + d][2 * l]));
  }
  for (int g = 0; g < side_by_side; ++g) {
    if (First) minus_q[g] = minus_quotient(crt, s[4][g], s[5][g], s[6][g]);
    for (int d = 0; d < top_digits; ++d)
      s[d][g] = add_products(s[d][g], minus_q[g], splat_low(crt.product_digit[low + d]));
  }

  Sums carry, bits;
  for (int g = 0; g < side_by_side; ++g) carry[g] = bits[g] = Integers32{};
  if (Sticky) all_low_digits(crt, pairs, pairs_count, low, minus_q, carry, bits);
  Leading r;
  for (int g = 0; g < side_by_side; ++g) {
    s[0][g] = s[0][g] + carry[g];
    const Integers64x2 sticky = widened(where(any_bit(bits[g], word), splat32(1)));
    for (int d = 1; d < top_digits; ++d) s[d][g] = s[d][g] + shifted_down<16>(s[d - 1][g]);
    const Integers64x2 m = integers_joined(words_joined(s[0][g], s[1][g]), s[2][g] & word);
    const Integers64x2 h = integers_joined(words_joined(s[3][g], s[4][g]), words_joined(s[5][g], s[6][g]));
    r.h[2 * g] = h.first;
    r.h[2 * g + 1] = h.second;
    r.m[2 * g] = m.first;
    r.m[2 * g + 1] = m.second;
    r.sticky[2 * g] = sticky.first;
    r.sticky[2 * g + 1] = sticky.second;
  }
  return r;
}

/// The unit of m in a window: digits below it, its exponent, and how many there are in a unit of S (for errors).
struct Unit {
  int low, exponent;
  double per_unit;
  Unit() = default;
  Unit(const CrtTable& crt, int digits_below) : low(digits_below), exponent(crt.unit_exponent + 16 * low), per_unit(1) {
    for (int i = 0; i < exponent; ++i) per_unit /= 2;
    for (int i = 0; i > exponent; --i) per_unit *= 2;
  }
};
/// The units of the windows, the leading one first.
struct Windows {
  int count = 0;
  Unit unit[most_windows];
  explicit Windows(const CrtTable& crt) {
    for (int low = crt.digits - top_digits;; low = low < window_step ? 0 : low - window_step) {
      unit[count++] = Unit(crt, low);
      if (low == 0) break;
    }
  }
};
static_assert(ceil_div(CrtTable::max_digits - top_digits, window_step) + 1 <= most_windows);

}  // namespace
}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
