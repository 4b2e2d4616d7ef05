// Entries to residues, exponents and sums with AVX-512 and NEON: 32 values at a time, in the order of the bytes that
// they become.
#include "lib/cpu/kernels/int8_kernels.hpp"
#include "lib/cpu/kernels/int8_vector.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

void transpose(const double* src, std::int64_t stride, std::int64_t k, double* dst, std::int64_t ld) {
  for (std::int64_t p = 0; p < k; p += 8) {
    for (int r = 0; r < int8_panel; r += 8) {
      Doubles x[8], y[8];
      for (int i = 0; i < 8; ++i) x[i] = load(src + (p + i) * stride + r);
      for (int i = 0; i < 8; i += 2) {
        y[i] = even_lanes(x[i], x[i + 1]);
        y[i + 1] = odd_lanes(x[i], x[i + 1]);
      }
      for (int i = 0; i < 2; ++i) {  // rows i, i + 2, i + 4, i + 6 are in the pairs of y[i], y[i + 2], ...
        const Doubles a = even_pairs(y[i], y[i + 2]), b = odd_pairs(y[i], y[i + 2]);
        const Doubles c = even_pairs(y[i + 4], y[i + 6]), d = odd_pairs(y[i + 4], y[i + 6]);
        double* to = dst + (r + i) * ld + p;
        store(to, lower_halves(a, c));
        store(to + 2 * ld, lower_halves(b, d));
        store(to + 4 * ld, upper_halves(a, c));
        store(to + 6 * ld, upper_halves(b, d));
      }
    }
  }
}

void scan(const double* x, std::int64_t n, Int8Scan& s, std::uint64_t* nonzero_bits) {
  const Integers64 magnitude_bits = splat64(0x7FFFFFFFFFFFFFFF), fraction = splat64(0xFFFFFFFFFFFFF);
  const Integers64 one = splat64(1);
  Integers64 largest = {};
  Doubles last = splat(0x1p1023);
  for (std::int64_t p = 0; p < n; p += 64) {
    std::uint64_t word = 0;
    for (int i = 0; i < 8; ++i) {
      const Integers64 b = load_bits(x + p + 8 * i) & magnitude_bits;
      largest = larger(largest, b);
      const Mask any = nonzero(b);
      // x without its last bit; where the fraction is zero that bit is x itself.
      const Integers64 rest = where(any_bit(b, fraction), b & (b - one));
      last = where(any, smaller(last, as_double(b) - as_double(rest)), last);
      word |= static_cast<std::uint64_t>(any) << (8 * i);
    }
    if (nonzero_bits) nonzero_bits[p / 64] = word;
  }
  const std::uint64_t m = lane_max(largest);
  if (m > s.largest) s.largest = m;
  const double l = lane_min(last);
  if (l < s.last_bit) s.last_bit = l;
}

void sums(const double* x, std::int64_t n, const double* scale, Int8Sums& s) {
  const Doubles s1 = splat(scale[0]), s2 = splat(scale[1]);
  Doubles lambda[4], squares[4];
  for (int i = 0; i < 4; ++i) lambda[i] = squares[i] = zero();
  for (std::int64_t p = 0; p < n; p += 32) {
    for (int i = 0; i < 4; ++i) {
      const Doubles v = magnitude(load(x + p + 8 * i));
      Doubles c = ceiling(v * s1 * s2);
      // The product of a nonzero entry may have underflown to zero; its ceiling is 1.
      c = where(nonzero(as_bits(v)), larger(c, splat(1.0)), c);
      lambda[i] = lambda[i] + c;
      squares[i] = fma(c, c, squares[i]);
    }
  }
  s.lambda += lane_sum((lambda[0] + lambda[1]) + (lambda[2] + lambda[3]));
  s.squares += lane_sum((squares[0] + squares[1]) + (squares[2] + squares[3]));
}

/// Values and scales of 32 entries in the order of their bytes: 32 terms of one row, or 4 terms of 8 rows.
ACCUBLAS_INLINE Doubles load_values(const Int8Conversion& c, std::int64_t row, std::int64_t p, int i,
                                    std::int64_t offset = 0) {
  if (!c.panel) return load(c.x + offset + row * c.ld + p + 8 * i);
  const double* at = c.x + offset + (row + 2 * i) * c.ld + p;
  return load_halves(at, at + c.ld);
}

ACCUBLAS_INLINE Doubles load_scale(const Int8Conversion& c, std::int64_t row, int i, int factor) {
  if (!c.panel) return splat(c.scale[2 * row + factor]);
  const double* at = c.scale + 2 * (row + 2 * i) + factor;
  return splat_halves(at[0], at[2]);
}

/// Where the bytes of 32 entries go.
ACCUBLAS_INLINE std::uint8_t* target(const Int8Conversion& c, std::int64_t row, std::int64_t p) {
  return c.panel ? c.out + p / 4 * 128 + 4 * row : c.out + row * c.row_stride + p;
}

/// Calls body(row, p) for every 32 entries of the group, in the order of the bytes.
template <class Body>
ACCUBLAS_INLINE void for_each_32(const Int8Conversion& c, Body&& body) {
  if (c.panel) {
    for (std::int64_t p = 0; p < c.k; p += 4)
      for (std::int64_t row = 0; row < int8_panel; row += 8) body(row, p);
  } else {
    for (std::int64_t row = 0; row < int8_panel; ++row)
      for (std::int64_t p = 0; p < c.k; p += 32) body(row, p);
  }
}

void certificate(const Int8Conversion& c) {
  for_each_32(
      c, [&](std::int64_t row, std::int64_t p) __attribute__((always_inline)) {
        std::uint8_t* to = target(c, row, p);
        for (int i = 0; i < 4; ++i) {
          const Doubles v = magnitude(load_values(c, row, p, i)) * load_scale(c, row, i, 0);
          store_bytes(to + 8 * i, truncated_integers(v * load_scale(c, row, i, 1)));
        }
      });
}

/// 1.5 2^52: a double of magnitude below 2^51 added to it is rounded to an integer, which stands in the low bits.
constexpr double magic = 0x1.8p52;

constexpr double next_limb = power_of_two(int8_limb_bits);

/// limb[i] = limb_i of a', from the top: each is what the upper ones leave, rounded to an integer.
template <int Limbs>
ACCUBLAS_INLINE void take_apart(const Int8Conversion& c, std::int64_t row, std::int64_t p, Doubles (*limb)[4]) {
  for (int i = 0; i < 4; ++i) {
    if (c.limb_stride != 0) {
      for (int s = 0; s < Limbs; ++s) limb[s][i] = load_values(c, row, p, i, s * c.limb_stride);
      continue;
    }
    Doubles rest = load_values(c, row, p, i) * load_scale(c, row, i, 0) * load_scale(c, row, i, 1);
    for (int s = Limbs - 1; s >= 0; --s) {
      limb[s][i] = nearest(rest);
      rest = (rest - limb[s][i]) * splat(next_limb);
    }
  }
}

/// a' = sum_i limb_i 2^(42 i) modulo p: v = sum_i limb_i (2^(42 i) mod p) is exact, the quotient q = v / p rounded
/// comes from one fused multiply-add, and v - p q fits a byte, so 16-bit arithmetic suffices for it. abs(v) <= 2^53, so
/// the rounding of 1/p moves v / p by less than 1 / p and abs(v - p q) <= p / 2 + 1; for p = 255, where that would be
/// 128.5, the rounding error of 1/p is 8 times smaller.
template <int Limbs>
void residues_of(const Int8Conversion& c) {
  for_each_32(
      c, [&](std::int64_t row, std::int64_t p) __attribute__((always_inline)) {
        Doubles limb[Limbs][4];
        Words16 low[Limbs];
        take_apart<Limbs>(c, row, p, limb);
        for (int s = 0; s < Limbs; ++s) {
          Integers64 integers[4];
          for (int i = 0; i < 4; ++i) integers[i] = nearest_integers(limb[s][i]);
          low[s] = low_words(integers);
        }
        std::uint8_t* to = target(c, row, p);
        for (int l = 0; l < c.moduli; ++l) {
          const Int8Modulus& m = int8_moduli[l];
          const Doubles inverse = splat(m.inverse);
          Integers64 q[4];
          for (int i = 0; i < 4; ++i) {
            Doubles v = limb[0][i];
            for (int s = 1; s < Limbs; ++s) v = fma(limb[s][i], splat(m.limb[s]), v);
            q[i] = as_bits(fma(v, inverse, splat(magic)));
          }
          Words16 v = low[0];
          for (int s = 1; s < Limbs; ++s) v = v + low[s] * splat16(m.limb16[s]);
          const Words16 modulus = splat16(static_cast<std::int16_t>(m.p));
          Words16 r = v - low_words(q) * modulus;
          if (!c.panel) r = smaller(r, r + modulus);  // unsigned: -1 is large
          store_bytes(to + l * c.plane_stride, r);
        }
      });
}

void residues(const Int8Conversion& c) {
  switch (c.limbs) {
    case 1:
      return residues_of<1>(c);
    case 2:
      return residues_of<2>(c);
    case 3:
      return residues_of<3>(c);
    default:
      return residues_of<4>(c);
  }
}

}  // namespace

const Int8ConvertKernels& int8_convert() {
  static const Int8ConvertKernels table = {transpose, scan, sums, certificate, residues};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
