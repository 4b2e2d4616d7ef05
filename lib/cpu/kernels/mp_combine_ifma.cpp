// Digits to residues with AVX-512 IFMA, which adds the lower or upper 52 bits of a product of 52-bit numbers to a sum.
// Digits of 52 bits in place of 31 are 0.6 times as many, and each costs two operations a modulus where one of 31 bits
// costs two and a half (mp_convert.cpp): half of the work. Making them, and sums with two halves of 52 bits, take more.
// On a Sapphire Rapids the combination runs 1.0, 1.2, 1.45, 1.7 and 1.9 times as fast with 7, 14, 28, 55 and 133 digits
// of 31 bits.
#include "lib/cpu/kernels/mp_vector.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr int tile = 4;     ///< moduli whose sums share the registers: 16 sums hide the latency of four cycles
constexpr int vectors = 2;  ///< of 2 W elements in a block
constexpr int elements = vectors * 2 * W;

ACCUBLAS_INLINE V add_lower(V sum, V a, V b) { return _mm512_madd52lo_epu64(sum, a, b); }
ACCUBLAS_INLINE V add_upper(V sum, V a, V b) { return _mm512_madd52hi_epu64(sum, a, b); }

/// The digit of 52 bits from bit 52 j on, of 2 W elements, its even and odd halves at to[0] and to[1].
ACCUBLAS_INLINE void wide_digit(const MpCombineWide& c, std::int64_t e, int j, V* to) {
  const int l = 52 * j / 31, bit = 52 * j % 31;  // digits l, l + 1 and l + 2 have its bits
  const V mask = splat((std::uint64_t{1} << 52) - 1);
  V evens = zero(), odds = zero();
  for (int i = 0; i < 3; ++i) {
    const int at = l + i - c.low;
    if (at < 0 || at >= c.digits) continue;
    const V d = load_up_to(c.digit + at * c.digit_stride + e, c.elements - e);
    const V by = splat(static_cast<std::uint64_t>(i == 0 ? bit : 31 * i - bit));
    evens = bit_or(evens, i == 0 ? right(even(d), by) : left(even(d), by));
    odds = bit_or(odds, i == 0 ? right(odd(d), by) : left(odd(d), by));
  }
  to[0] = bit_and(evens, mask);
  to[1] = bit_and(odds, mask);
}

/// lower + 2^52 upper for sums of at most 2^8 products: upper < 2^39 folds to 32 bits before it meets 2^52 mod m, and
/// their sum stays below 2^60 + 2^62.1.
ACCUBLAS_INLINE V folded(V lower, V upper, V weight_52, const Modulus& q) {
  return fold_twice(add(mul(fold(upper, q), weight_52), lower), q);
}

void combine_wide(const MpCombineWide& c) {
  alignas(64) V digit[mp_most_wide_digits][vectors][2];
  const int first = 31 * c.low / 52, end = mp_wide_digits(c.low + c.digits);
  for (std::int64_t e = 0; e < c.elements; e += elements) {
    const int used = c.elements - e > 2 * W ? vectors : 1;
    V negative[vectors];
    for (int u = 0; u < used; ++u) {
      const std::int64_t at = e + u * 2 * W;
      for (int j = first; j < end; ++j) wide_digit(c, at, j, digit[j][u]);
      negative[u] = nonzero32(bytes(c.negative, at, c.elements - at));
    }
    for (int k = 0; k < c.count; k += tile) {
      const int moduli = c.count - k < tile ? c.count - k : tile;
      const std::uint64_t* weight[tile];
      for (int i = 0; i < tile; ++i)  // the first one again in place of those that are not there
        weight[i] = c.weight + (k + (i < moduli ? i : 0)) * c.weight_stride;
      for (int u = 0; u < used; ++u) {
        V lower[tile][2], upper[tile][2];
        for (int i = 0; i < tile; ++i)
          for (int half = 0; half < 2; ++half) lower[i][half] = upper[i][half] = zero();
        for (int j = first; j < end; ++j)
          for (int i = 0; i < tile; ++i) {
            const V w = held(splat(weight[i][j]));
            for (int half = 0; half < 2; ++half) {
              lower[i][half] = add_lower(lower[i][half], digit[j][u][half], w);
              upper[i][half] = add_upper(upper[i][half], digit[j][u][half], w);
            }
          }
        const std::int64_t at = e + u * 2 * W;
        for (int i = 0; i < tile; ++i) {
          const Modulus q = broadcast(c.moduli[k + (i < moduli ? i : 0)]);
          const V w = splat(weight[i][1]);
          const V r = reduce_once(
              interleave(folded(lower[i][0], upper[i][0], w, q), folded(lower[i][1], upper[i][1], w, q)), q);
          if (i < moduli) store_up_to(c.out + (k + i) * c.out_stride + at, c.elements - at, negated(r, negative[u], q));
        }
      }
    }
  }
}

}  // namespace

void mp_combine_wide(const MpCombineWide& c) { combine_wide(c); }

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
