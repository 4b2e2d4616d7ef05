// Converts digits to residues with AVX-512 IFMA, which adds the lower or upper 52 bits of a product of 52-bit numbers
// to a sum. Residues are read off fractions: X mod m is m times the fraction of X / m.
//
// With digits of 52 bits, d_j of X and w_j of 1 / m behind the point, the fraction of d_j 2^(52 j) / m in units of
// 2^-52 is lower(d_j w_j) + upper(d_j w_j+1) modulo 2^52, up to two units. This takes two operations, and none of them
// reduces anything, because the next product takes sums modulo 2^52. The fraction for P, the product of three moduli,
// needs 93 of 104 bits: four operations serve three moduli, and three more operations for each modulus make the
// fraction of X / m_k = (X / P) (P / m_k) of it. A product of five moduli with 156 bits would have no bit to spare for
// the error of the sum. Longer products gain nothing, since their second step grows.
#include "lib/base/integers.hpp"
#include "lib/mp/kernels/mp_vector.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr int group = 3;               ///< moduli of a product P < 2^93
constexpr int most_single_digits = 5;  ///< from which on products of moduli are less work
constexpr int most_vectors = 2;        ///< of 2 W elements in a block

/// This amount is added to sums of at most `mp_most_wide_digits` terms, each of which is up to two units too small. The
/// sums are then above the fraction, and by no more than this amount. A residue is m times a fraction of 52 bits, P
/// times one of 104 (with one unit of 2^-52 more for the second step, below), rounded down. It is exact while these
/// errors are below 1.
constexpr std::uint64_t above = 2 * mp_most_wide_digits;
static_assert(above < (1u << 10) && 93 + 10 < 104 && 31 + 10 < 52);

ACCUBLAS_INLINE V add_lower(V sum, V a, V b) { return _mm512_madd52lo_epu64(sum, a, b); }
ACCUBLAS_INLINE V add_upper(V sum, V a, V b) { return _mm512_madd52hi_epu64(sum, a, b); }
/// a - b in the lanes of the mask, and b in the other lanes.
ACCUBLAS_INLINE V subtracted(V a, V b, __mmask8 mask) { return _mm512_mask_sub_epi64(b, mask, a, b); }
ACCUBLAS_INLINE V right_signed_52(V a) { return _mm512_srai_epi64(a, 52); }
ACCUBLAS_INLINE __mmask8 nonzero(V a) { return _mm512_test_epi64_mask(a, a); }

/// Elements of a block: even and odd halves of its vectors.
template <int Vectors>
struct Block {
  V (*digit)[2 * Vectors];  ///< with anything above bit 52
  __mmask8 negative[2 * Vectors];
};
static_assert(2 * most_vectors * sizeof(V) * mp_most_wide_digits <= mp_room(272) * sizeof(std::uint64_t) &&
              2 * most_vectors * sizeof(V) <= mp_room(1) * sizeof(std::uint64_t));

/// The digit of 52 bits from bit 52 j on, of 2 W elements, its even and odd halves at to[0] and to[1].
ACCUBLAS_INLINE void wide_digit(const MpCombineWide& c, std::int64_t e, int j, V* to) {
  const int l = 52 * j / 31, bit = 52 * j % 31;  // digits l, l + 1 and l + 2 have its bits
  V evens = zero(), odds = zero();
  for (int i = 0; i < 3; ++i) {
    const int at = l + i - c.low;
    if (at < 0 || at >= c.digits) continue;
    const V d = load_up_to(c.digit + at * c.digit_stride + e, c.elements - e);
    const V by = splat(static_cast<std::uint64_t>(i == 0 ? bit : 31 * i - bit));
    evens = bit_or(evens, i == 0 ? right(even(d), by) : left(even(d), by));
    odds = bit_or(odds, i == 0 ? right(odd(d), by) : left(odd(d), by));
  }
  to[0] = evens;
  to[1] = odds;
}

template <int Vectors>
ACCUBLAS_INLINE void load_block(const MpCombineWide& c, std::int64_t e, int first, int end, Block<Vectors>& to) {
  for (int u = 0; u < Vectors; ++u) {
    const std::int64_t at = e + u * 2 * W;
    for (int j = first; j < end; ++j) wide_digit(c, at, j, to.digit[j] + 2 * u);
    const V negative = bytes(c.negative, at, c.elements - at);
    to.negative[2 * u] = nonzero(even(negative));
    to.negative[2 * u + 1] = nonzero(odd(negative));
  }
}

/// Writes residues of modulus k, computed from fractions in units of 2^-52 that are not too small, to their
/// destination.
template <int Vectors>
ACCUBLAS_INLINE void write(const MpCombineWide& c, std::int64_t e, int k, const V* fraction) {
  if (k < c.from || k >= c.to) return;
  const V m = splat(c.moduli[k].m);
  for (int u = 0; u < Vectors; ++u) {
    const std::int64_t at = e + u * 2 * W;
    store_up_to(c.out + (k - c.from) * c.out_stride + at, c.elements - at,
                interleave(add_upper(zero(), fraction[2 * u], m), add_upper(zero(), fraction[2 * u + 1], m)));
  }
}

/// Computes the residues of moduli k .. k + Moduli - 1, one by one.
template <int Vectors, int Moduli>
ACCUBLAS_INLINE void single_moduli(const MpCombineWide& c, std::int64_t e, int first, int end,
                                   const Block<Vectors>& block, int k) {
  V sum[Moduli][2 * Vectors];
  for (int i = 0; i < Moduli; ++i)
    for (int half = 0; half < 2 * Vectors; ++half) sum[i][half] = splat(above);
  const std::uint64_t* weight = c.reciprocals.single + k * c.reciprocals.stride;
  for (int j = first; j < end; ++j)
    for (int i = 0; i < Moduli; ++i) {
      const std::uint64_t* at = weight + i * c.reciprocals.stride + j;
      const V w = held(splat(at[0])), next = held(splat(at[1]));
      for (int half = 0; half < 2 * Vectors; ++half) {
        sum[i][half] = add_lower(sum[i][half], block.digit[j][half], w);
        sum[i][half] = add_upper(sum[i][half], block.digit[j][half], next);
      }
    }
  // The sum is t - s + above with the fraction t and 0 <= s < above. For -t it exceeds the fraction by as much as for
  // t.
  for (int i = 0; i < Moduli; ++i) {
    for (int half = 0; half < 2 * Vectors; ++half)
      sum[i][half] = subtracted(splat(above + 1), sum[i][half], block.negative[half]);
    write<Vectors>(c, e, k + i, sum[i]);
  }
}

/// Computes the residues of the moduli of products h .. h + Products - 1.
template <int Vectors, int Products>
ACCUBLAS_INLINE void triples(const MpCombineWide& c, std::int64_t e, int first, int end, const Block<Vectors>& block,
                             int h) {
  V upper[Products][2 * Vectors], lower[Products][2 * Vectors];  // of units 2^-52 and 2^-104
  for (int i = 0; i < Products; ++i)
    for (int half = 0; half < 2 * Vectors; ++half) upper[i][half] = zero(), lower[i][half] = splat(above);
  const std::uint64_t* weight = c.reciprocals.triple + h * c.reciprocals.stride;
  for (int j = first; j < end; ++j)
    for (int i = 0; i < Products; ++i) {
      const std::uint64_t* at = weight + i * c.reciprocals.stride + j;
      const V w0 = held(splat(at[0])), w1 = held(splat(at[1])), w2 = held(splat(at[2]));
      for (int half = 0; half < 2 * Vectors; ++half) {
        const V d = block.digit[j][half];
        upper[i][half] = add_lower(upper[i][half], d, w0);
        lower[i][half] = add_lower(lower[i][half], d, w1);
        upper[i][half] = add_upper(upper[i][half], d, w1);
        lower[i][half] = add_upper(lower[i][half], d, w2);
      }
    }
  for (int i = 0; i < Products; ++i) {
    for (int half = 0; half < 2 * Vectors; ++half) {
      lower[i][half] = subtracted(splat(above + 1), lower[i][half], block.negative[half]);
      upper[i][half] = add(subtracted(zero(), upper[i][half], block.negative[half]), right_signed_52(lower[i][half]));
    }
    // (upper 2^-52 + lower 2^-104) (q1 2^52 + q0), of which the integers and less than one unit are left out.
    for (int k = group * (h + i); k < group * (h + i + 1); ++k) {
      if (k < c.from || k >= c.to) continue;
      const V q0 = splat(c.reciprocals.cofactor[k]), q1 = splat(c.reciprocals.cofactor[k] >> 52);
      V fraction[2 * Vectors];
      for (int half = 0; half < 2 * Vectors; ++half)
        fraction[half] =
            add_upper(add_lower(add_lower(splat(1), upper[i][half], q0), lower[i][half], q1), lower[i][half], q0);
      write<Vectors>(c, e, k, fraction);
    }
  }
}

template <int Vectors>
void combine_block(const MpCombineWide c, std::int64_t e) {
  const int first = 31 * c.low / 52, end = mp_wide_digits(c.low + c.digits);
  Block<Vectors> block;
  block.digit = reinterpret_cast<V(*)[2 * Vectors]>(c.room);
  load_block(c, e, first, end, block);
  // Two products, or four moduli, hide the latency of four cycles.
  if (end - first <= most_single_digits) {
    int k = c.from;
    for (; k + 4 <= c.to; k += 4) single_moduli<Vectors, 4>(c, e, first, end, block, k);
    for (; k < c.to; ++k) single_moduli<Vectors, 1>(c, e, first, end, block, k);
    return;
  }
  int h = c.from / group;
  const int products = ceil_div(c.to, group);
  for (; h + 2 <= products; h += 2) triples<Vectors, 2>(c, e, first, end, block, h);
  for (; h < products; ++h) triples<Vectors, 1>(c, e, first, end, block, h);
}

void combine_wide(const MpCombineWide& c) {
  constexpr std::int64_t whole = most_vectors * 2 * W;
  std::int64_t e = 0;
  for (; c.elements - e > 2 * W; e += whole) combine_block<most_vectors>(c, e);
  if (e < c.elements) combine_block<1>(c, e);
}

}  // namespace

void mp_combine_wide(const MpCombineWide& c) { combine_wide(c); }

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
