// Conversions of multiple-precision numbers: digits to residues (the same work whether the digits are an integer's
// 31-bit digits or what the Chinese remainder theorem makes of other residues), scaling by powers of two and signs,
// limbs to digits. Elements lie side by side in the vectors, a block of them at a time passes through all moduli.
//
// The digits times moduli multiplications of `combine` are nearly all of the work; each costs 2.5 operations: the
// product, an addition, and three quarters of a fold (mp_vector.hpp's DelayedSum).
#include <type_traits>

#include "lib/mp/kernels/mp_vector.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr int block_vectors = 4;                           ///< a block's planes are written 128 or 256 bytes at a time
constexpr int block = block_vectors * 2 * W;               ///< elements of a block
constexpr int tile = ACCUBLAS_VECTOR_BITS == 512 ? 4 : 2;  ///< moduli whose sums share the registers
static_assert(2 * block_vectors * sizeof(V) <= mp_room(1) * sizeof(std::uint64_t));
/// The number of elements of a plane that the simpler conversions process at a time. These are neighbouring cache
/// lines, because planes may begin a power of two apart, and caches hold few lines of many such planes.
constexpr int run = 256;

/// The shifts and signs of 2 W elements: an element is multiplied by 2^(near + 32 far), near < 32, and negated if its
/// sign says so.
struct Scaling {
  V near_even, near_odd, far_even, far_odd, negative;
  bool shifted, far, any_negative;
};

Scaling scaling(const std::uint8_t* shift, const std::uint8_t* negative, std::int64_t e, std::int64_t count) {
  const V s = bytes(shift, e, count), near = bit_and(s, splat32(31)), far = nonzero32(bit_and(s, splat32(32)));
  Scaling r;
  r.near_even = even(near);
  r.near_odd = odd(near);
  r.far_even = far;
  r.far_odd = odd(far);
  r.negative = nonzero32(bytes(negative, e, count));
  r.shifted = any(s);
  r.far = any(far);
  r.any_negative = any(r.negative);
  return r;
}

/// Multiplies v < 2^31 + 2^30 by 2^(near + 32 far); the result is in the same range. The factor 2^32 is r32 < 2^15, so
/// one fold makes room for the near shift again: (2^31 + 2^30) 2^31 < 2^63.
ACCUBLAS_INLINE V shifted(V v, V near, V far, bool any_far, const Modulus& q) {
  if (any_far) v = fold(mul(v, blend(splat(1), q.r32, far)), q);
  return fold_twice(left(v, near), q);
}

/// Reduces even and odd halves below 2^31 + 2^30 to residues and scales them.
ACCUBLAS_INLINE V scaled(V evens, V odds, const Scaling& s, const Modulus& q) {
  if (s.shifted) {
    evens = shifted(evens, s.near_even, s.far_even, s.far, q);
    odds = shifted(odds, s.near_odd, s.far_odd, s.far, q);
  }
  const V r = reduce_once(interleave(evens, odds), q);
  return s.any_negative ? negated(r, s.negative, q) : r;
}

/// The sums of 2 W elements for `tile` moduli: digits d[l step] (even halves, then odd ones), l < digits. Their upper
/// halves begin at bit `from`.
template <int from = 32>
ACCUBLAS_INLINE void weigh(const V* d, int digits, const std::uint32_t* const* weight, DelayedSum (*sums)[2]) {
  constexpr int step = 2 * block_vectors;
  for (int k = 0; k < tile; ++k)
    for (int half = 0; half < 2; ++half) sums[k][half] = {zero(), zero()};
  // `Count` digits make a part.
  const auto part = [&](int l, auto count) __attribute__((always_inline)) {
    V p[tile][2];
    for (int i = 0; i < count.value; ++i) {
      const V evens = held(d[(l + i) * step]), odds = held(d[(l + i) * step + 1]);
      for (int k = 0; k < tile; ++k) {
        const V w = splat32(weight[k][l + i]);
        p[k][0] = i == 0 ? mul(evens, w) : held(add(p[k][0], mul(evens, w)));
        p[k][1] = i == 0 ? mul(odds, w) : held(add(p[k][1], mul(odds, w)));
      }
    }
    for (int k = 0; k < tile; ++k)
      for (int half = 0; half < 2; ++half) add_part<from>(sums[k][half], p[k][half]);
  };
  int l = 0;
  for (; l + 4 <= digits; l += 4) part(l, std::integral_constant<int, 4>());
  switch (digits - l) {
    case 3:
      return part(l, std::integral_constant<int, 3>());
    case 2:
      return part(l, std::integral_constant<int, 2>());
    case 1:
      return part(l, std::integral_constant<int, 1>());
  }
}

/// Arranges the digits of a block of elements as `weigh` reads them: vector u of digit l and its odd half are at [2 (l
/// block_vectors + u)]. Returns how many vectors there are of the `left` elements.
int load_block(const std::uint32_t* digit, std::int64_t stride, int digits, std::int64_t left, V* to) {
  const int vectors = static_cast<int>(left < block ? (left + 2 * W - 1) / (2 * W) : block_vectors);
  for (int l = 0; l < digits; ++l)
    for (int u = 0; u < vectors; ++u) {
      V* pair = to + 2 * (l * block_vectors + u);
      pair[0] = load_up_to(digit + l * stride + u * 2 * W, left - u * 2 * W);
      pair[1] = odd(pair[0]);
    }
  return vectors;
}

/// Where the upper halves of the sums of `combine` begin, so that the sum of a number of them stays below 2^32, and
/// what else the sum of their products takes to get below 2^31 + 2^30. With 2^from = 2^(from-31) gap modulo m the sum
/// is congruent to lower + 2^(from-31) gap upper, and
///   one part        from 32   gap < 2^14   below 2^47           one fold
///   15 parts        from 36   gap < 2^12   below 2^49           one fold
///   137 parts, all  from 40   gap < 2^14   below 2^55           two folds, the first of which leaves 2^38
enum class Sum { one_part, short_sum, any };
constexpr int upper_from(Sum sum) { return sum == Sum::one_part ? 32 : sum == Sum::short_sum ? 36 : 40; }

Sum sum_of(const MpCombine& c) {
  if (c.digits <= 4) return Sum::one_part;
  std::uint32_t least = ~0u;
  for (int k = 0; k < c.count; ++k) least = c.moduli[k].m < least ? c.moduli[k].m : least;
  return c.digits <= 60 && least > (1u << 31) - (1u << 12) ? Sum::short_sum : Sum::any;
}

/// Returns a number congruent to the sum and below 2^31 + 2^30.
template <Sum kind>
ACCUBLAS_INLINE V folded(const DelayedSum& s, const Modulus& q) {
  const V v = fold(sub(s.sum, left<upper_from(kind) - 31>(mul(s.upper, q.m))), q);
  return kind == Sum::any ? fold(v, q) : v;
}

template <Sum kind>
void combine_sums(const MpCombine& c) {
  V* const digit = reinterpret_cast<V*>(c.room);
  for (std::int64_t e = 0; e < c.elements; e += block) {
    const int vectors = load_block(c.digit + e, c.digit_stride, c.digits, c.elements - e, digit);
    Scaling scale[block_vectors];
    for (int u = 0; u < vectors; ++u) {
      const std::int64_t at = e + u * 2 * W;
      scale[u] = scaling(c.shift, c.negative, at, c.elements - at);
    }
    for (int k = 0; k < c.count; k += tile) {
      const int moduli = c.count - k < tile ? c.count - k : tile;
      const std::uint32_t* weight[tile];
      Modulus q[tile];
      for (int i = 0; i < tile; ++i) {  // the first modulus again in place of those that do not exist
        const int at = k + (i < moduli ? i : 0);
        weight[i] = c.weight + at * c.weight_stride;
        q[i] = broadcast(c.moduli[at]);
      }
      for (int u = 0; u < vectors; ++u) {
        DelayedSum sums[tile][2];
        weigh<upper_from(kind)>(digit + 2 * u, c.digits, weight, sums);
        V result[tile];
        for (int i = 0; i < tile; ++i)
          result[i] = scaled(folded<kind>(sums[i][0], q[i]), folded<kind>(sums[i][1], q[i]), scale[u], q[i]);
        const std::int64_t at = e + u * 2 * W;
        for (int i = 0; i < tile; ++i)
          if (i < moduli) store_up_to(c.out + (k + i) * c.out_stride + at, c.elements - at, result[i]);
      }
    }
  }
}

void combine(const MpCombine& c) {
  switch (sum_of(c)) {
    case Sum::one_part:
      return combine_sums<Sum::one_part>(c);
    case Sum::short_sum:
      return combine_sums<Sum::short_sum>(c);
    case Sum::any:
      return combine_sums<Sum::any>(c);
  }
}

/// The integers of W elements while their columns of 31 bits arrive, lowest first.
struct Columns {
  V upper, carry;  ///< what the last column leaves: its upper half, worth 2 of the next one's units, and a carry
  V digit;         ///< the last one
  V limb;          ///< of 64 bits, filled from below
};

ACCUBLAS_INLINE void add_column(Columns& c, const DelayedSum& sum) {
  const V lower = sub(sum.sum, left<32>(sum.upper)), value = add(add(lower, add(c.upper, c.upper)), c.carry);
  c.upper = sum.upper;
  c.carry = right<31>(value);
  c.digit = bit_and(value, splat(0x7FFFFFFF));
}

/// Stores limb `l` of the elements e, e + 2, ... in the lanes, for the elements below c.elements.
ACCUBLAS_INLINE void store_limb(const MpIntegers& c, std::int64_t e, int l, V limb) {
  alignas(64) std::uint64_t lane[W];
  store(lane, limb);
  for (int i = 0; i < W && e + 2 * i < c.elements; ++i) c.integer[(e + 2 * i) * c.limbs + l] = lane[i];
}

void integers(const MpIntegers& c) {
  V* const digit = reinterpret_cast<V*>(c.room);
  for (std::int64_t e = 0; e < c.elements; e += block) {
    const int vectors = load_block(c.digit + e, c.digit_stride, c.digits, c.elements - e, digit);
    Columns state[block_vectors][2];
    for (int u = 0; u < vectors; ++u) state[u][0] = state[u][1] = {zero(), zero(), zero(), zero()};
    for (int l = 0; l < c.columns; l += tile) {
      const int columns = c.columns - l < tile ? c.columns - l : tile;
      const std::uint32_t* weight[tile];
      for (int i = 0; i < tile; ++i) weight[i] = c.weight + (l + (i < columns ? i : 0)) * c.weight_stride;
      for (int u = 0; u < vectors; ++u) {
        DelayedSum sums[tile][2];
        weigh(digit + 2 * u, c.digits, weight, sums);
        for (int i = 0; i < columns; ++i)
          for (int half = 0; half < 2; ++half) {
            Columns& to = state[u][half];
            const int bit = 31 * (l + i) % 64;
            add_column(to, sums[i][half]);
            to.limb = bit_or(to.limb, left(to.digit, splat(bit)));
            if (bit < 33) continue;
            store_limb(c, e + u * 2 * W + half, 31 * (l + i) / 64, to.limb);
            to.limb = right(to.digit, splat(64 - bit));
          }
      }
    }
    // From here on all bits are the sign, the upper bit of the last digit.
    const int end = 31 * c.columns;
    for (int u = 0; u < vectors; ++u)
      for (int half = 0; half < 2; ++half) {
        const Columns& last = state[u][half];
        const V sign = sub(zero(), right<30>(last.digit));
        V limb = bit_or(last.limb, left(sign, splat(end % 64)));
        for (int l = end / 64; l < c.limbs; ++l, limb = sign) store_limb(c, e + u * 2 * W + half, l, limb);
      }
  }
}

void scale(const MpScale& s) {
  for (std::int64_t e = 0; e < s.elements; e += run) {
    Scaling by[run / (2 * W)];
    const std::int64_t end = s.elements - e < run ? s.elements : e + run;
    bool any_shift = false;
    for (std::int64_t at = e; at < end; at += 2 * W) {
      Scaling& here = by[(at - e) / (2 * W)];
      here = scaling(s.shift, s.negative, at, s.elements - at);
      any_shift |= here.shifted;
    }
    for (int k = 0; k < s.count; ++k) {
      const Modulus q = broadcast(s.moduli[k]);
      const std::uint32_t* in = s.in + k * s.in_stride;
      std::uint32_t* out = s.out + k * s.out_stride;
      for (std::int64_t at = e; at < end; at += 2 * W) {
        const Scaling& here = by[(at - e) / (2 * W)];
        const V r = load_up_to(in + at, end - at);
        store_up_to(out + at, end - at, any_shift ? scaled(even(r), odd(r), here, q) : negated(r, here.negative, q));
      }
    }
  }
}

/// These convert v < 2^52 to a double, and back, rounded to nearest.
ACCUBLAS_INLINE D to_double(V v) {
  return sub(as_double(bit_or(v, as_bits(splat_double(0x1p52)))), splat_double(0x1p52));
}
ACCUBLAS_INLINE V to_integer(D d) { return even(as_bits(add(d, splat_double(0x1p52)))); }

void crt_digits(const MpCrtDigits& c) {
  constexpr int vectors = run / (2 * W);
  for (std::int64_t e = 0; e < c.elements; e += run) {
    D evens[vectors], odds[vectors];
    const std::int64_t end = c.elements - e < run ? c.elements : e + run;
    for (int u = 0; u < vectors; ++u) evens[u] = odds[u] = splat_double(0);
    for (int k = 0; k < c.count; ++k) {
      const V w = splat32(c.inverse[k].w), guess = splat32(c.inverse[k].quotient), m = splat32(c.moduli[k].m);
      const D reciprocal = splat_double(c.reciprocal[k]);
      for (std::int64_t at = e; at < end; at += 2 * W) {
        // Shoup's product: the quotient is exact or one too small.
        const V r = load_up_to(c.residue + k * c.residue_stride + at, end - at);
        const V quotient = halves(right<32>(mul(r, guess)), mul(odd(r), guess));
        const V rest = sub32(mul32(r, w), mul32(quotient, m)), digit = min32(rest, sub32(rest, m));
        store_up_to(c.digit + k * c.digit_stride + at, end - at, digit);
        const std::int64_t u = (at - e) / (2 * W);
        evens[u] = fma(to_double(even(digit)), reciprocal, evens[u]);
        odds[u] = fma(to_double(odd(digit)), reciprocal, odds[u]);
      }
    }
    for (std::int64_t at = e; at < end; at += 2 * W) {
      const std::int64_t u = (at - e) / (2 * W);
      store_up_to(c.digit + c.count * c.digit_stride + at, end - at,
                  interleave(to_integer(evens[u]), to_integer(odds[u])));
    }
  }
}

/// Sets limb[l][i] to limb l of element i for the 8 limbs (the first ones, then zeros) of `elements` <= 8 elements,
/// which are `stride` apart.
ACCUBLAS_INLINE void transpose(const std::uint32_t* in, std::int64_t stride, std::int64_t elements, FirstOfEight first,
                               Eight* limb) {
  Eight row[8], two[8];
  for (int i = 0; i < 8; ++i) row[i] = i < elements ? load_eight(in + i * stride, first) : no_eight();
  for (int i = 0; i < 8; i += 2) {
    two[i] = low_pairs(row[i], row[i + 1]);
    two[i + 1] = high_pairs(row[i], row[i + 1]);
  }
  for (int i = 0; i < 8; i += 4)
    for (int h = 0; h < 2; ++h) {
      row[i + 2 * h] = low_fours(two[i + h], two[i + 2 + h]);
      row[i + 2 * h + 1] = high_fours(two[i + h], two[i + 2 + h]);
    }
  for (int l = 0; l < 4; ++l) {
    limb[l] = lower_halves(row[l], row[l + 4]);
    limb[l + 4] = upper_halves(row[l], row[l + 4]);
  }
}

/// Copies eight columns at a time. It prefetches the cache lines of the next ones, because the hardware does not
/// prefetch at strides this long.
void rows(const MpRows& r) {
  constexpr std::int64_t ahead = 32;
  const FirstOfEight all = first_of_eight(8);
  for (std::int64_t j = 0; j < r.columns; j += 8) {
    const std::int64_t count = r.columns - j < 8 ? r.columns - j : 8;
    for (std::int64_t c = j + ahead; c < j + ahead + 8 && c < r.columns; ++c)
      for (std::int64_t i = 0; i < r.rows; i += mp_padding) __builtin_prefetch(r.a + c * r.ld + i, 0, 2);
    for (std::int64_t i = 0; i < r.rows; i += 8) {
      Eight row[8];
      transpose(r.a + j * r.ld + i, r.ld, count, all, row);
      for (int l = 0; l < 8; ++l) store_eight(r.out + (i + l) * r.out_stride + j, row[l]);
    }
  }
}

/// Splits eight elements at a time at every instruction set; reading them takes most of the time.
void split(const MpSplit& s) {
  alignas(32) Eight limb[mp::max_moduli + 9];
  for (std::int64_t e = 0; e < s.elements; e += 8) {
    const std::int64_t count = s.elements - e < 8 ? s.elements - e : 8;
    const std::uint32_t* in = s.limb + e * s.limb_stride;
    for (int l = 0; l < s.limbs; l += 8) {
      const FirstOfEight mask = first_of_eight(s.limbs - l);
      if (count == 8)
        transpose(in + l, s.limb_stride, 8, mask, limb + l);
      else
        transpose(in + l, s.limb_stride, count, mask, limb + l);
    }
    limb[s.limbs] = no_eight();
    for (int k = 0; k < s.digits; ++k) {
      const int at = 31 * k / 32, bit = 31 * k % 32;
      const Eight digit = window_31(limb[at], limb[at < s.limbs ? at + 1 : at], bit);
      std::uint32_t* out = s.digit + k * s.digit_stride + e;
      if (count == 8)
        store_eight(out, digit);
      else
        store_eight(out, first_of_eight(count), digit);
    }
  }
}

void shift(const MpShift& s) {
  const V mask = splat32(0x7FFFFFFF);
  for (std::int64_t e = 0; e < s.elements; e += 2 * W) {
    const std::int64_t left = s.elements - e;
    const V by = bytes(s.shift, e, left), one = greater32(by, splat32(30)), two = greater32(by, splat32(61));
    const V near = sub32(by, add32(bit_and(one, splat32(31)), bit_and(two, splat32(31)))),
            back = sub32(splat32(31), near);
    V digit = zero(), last = zero(), before = zero();  // the last digit, and the last two shifted by `near`
    for (int l = 0; l < s.digits + 3; ++l) {
      const V next = l < s.digits ? load_up_to(s.digit + l * s.digit_stride + e, left) : zero();
      const V shifted = bit_and(bit_or(left32(next, near), right32(digit, back)), mask);
      store_up_to(s.out + l * s.out_stride + e, left, blend(blend(shifted, last, one), before, two));
      before = last;
      last = shifted;
      digit = next;
    }
  }
}

}  // namespace

void mp_combine(const MpCombine& c) { combine(c); }
void mp_scale(const MpScale& s) { scale(s); }
void mp_crt_digits(const MpCrtDigits& c) { crt_digits(c); }
void mp_integers(const MpIntegers& c) { integers(c); }
void mp_split(const MpSplit& s) { split(s); }
void mp_rows(const MpRows& r) { rows(r); }
void mp_shift(const MpShift& s) { shift(s); }

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
