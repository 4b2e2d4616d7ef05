// Entries to residues, exponents and sums with AVX-512: 32 values at a time, in the order of the bytes that they
// become.
#include "lib/cpu/kernels/int8_intrinsics.hpp"
#include "lib/cpu/kernels/int8_kernels.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

#define ACCUBLAS_INLINE inline __attribute__((always_inline))

void transpose(const double* src, std::int64_t stride, std::int64_t k, double* dst, std::int64_t ld) {
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  for (std::int64_t p = 0; p < k; p += 8) {
    for (int r = 0; r < int8_panel; r += 8) {
      __m512d x[8], y[8];
      for (int i = 0; i < 8; ++i) x[i] = _mm512_loadu_pd(src + (p + i) * stride + r);
      for (int i = 0; i < 8; i += 2) {
        y[i] = _mm512_unpacklo_pd(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_pd(x[i], x[i + 1]);
      }
      for (int i = 0; i < 2; ++i) {  // rows i, i + 2, i + 4, i + 6 are in the 128-bit lanes of y[i], y[i + 2], ...
        const __m512d a = _mm512_permutex2var_pd(y[i], low, y[i + 2]), b = _mm512_permutex2var_pd(y[i], high, y[i + 2]);
        const __m512d c = _mm512_permutex2var_pd(y[i + 4], low, y[i + 6]),
                      d = _mm512_permutex2var_pd(y[i + 4], high, y[i + 6]);
        double* to = dst + (r + i) * ld + p;
        _mm512_storeu_pd(to, _mm512_shuffle_f64x2(a, c, 0x44));
        _mm512_storeu_pd(to + 2 * ld, _mm512_shuffle_f64x2(b, d, 0x44));
        _mm512_storeu_pd(to + 4 * ld, _mm512_shuffle_f64x2(a, c, 0xEE));
        _mm512_storeu_pd(to + 6 * ld, _mm512_shuffle_f64x2(b, d, 0xEE));
      }
    }
  }
}

void scan(const double* x, std::int64_t n, Int8Scan& s, std::uint64_t* nonzero) {
  const __m512i magnitude = _mm512_set1_epi64(0x7FFFFFFFFFFFFFFF), fraction = _mm512_set1_epi64(0xFFFFFFFFFFFFF);
  const __m512i one = _mm512_set1_epi64(1);
  __m512i largest = _mm512_setzero_si512();
  __m512d last = _mm512_set1_pd(0x1p1023);
  for (std::int64_t p = 0; p < n; p += 64) {
    std::uint64_t word = 0;
    for (int i = 0; i < 8; ++i) {
      const __m512i b = _mm512_and_si512(_mm512_loadu_si512(x + p + 8 * i), magnitude);
      largest = _mm512_max_epu64(largest, b);
      const __mmask8 any = _mm512_test_epi64_mask(b, b);
      // x without its last bit; where the fraction is zero that bit is x itself.
      const __m512i rest = _mm512_maskz_and_epi64(_mm512_test_epi64_mask(b, fraction), b, _mm512_sub_epi64(b, one));
      last = _mm512_mask_min_pd(last, any, last, _mm512_sub_pd(_mm512_castsi512_pd(b), _mm512_castsi512_pd(rest)));
      word |= static_cast<std::uint64_t>(any) << (8 * i);
    }
    if (nonzero) nonzero[p / 64] = word;
  }
  const std::uint64_t m = _mm512_reduce_max_epu64(largest);
  if (m > s.largest) s.largest = m;
  const double l = _mm512_reduce_min_pd(last);
  if (l < s.last_bit) s.last_bit = l;
}

void sums(const double* x, std::int64_t n, const double* scale, Int8Sums& s) {
  const __m512d s1 = _mm512_set1_pd(scale[0]), s2 = _mm512_set1_pd(scale[1]);
  __m512d lambda[4], squares[4];
  for (int i = 0; i < 4; ++i) lambda[i] = squares[i] = _mm512_setzero_pd();
  for (std::int64_t p = 0; p < n; p += 32) {
    for (int i = 0; i < 4; ++i) {
      const __m512d v = _mm512_abs_pd(_mm512_loadu_pd(x + p + 8 * i));
      __m512d c = _mm512_mul_pd(_mm512_mul_pd(v, s1), s2);
      c = _mm512_roundscale_pd(c, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
      // The product of a nonzero entry may have underflown to zero; its ceiling is 1.
      const __mmask8 any = _mm512_test_epi64_mask(_mm512_castpd_si512(v), _mm512_castpd_si512(v));
      c = _mm512_mask_max_pd(c, any, c, _mm512_set1_pd(1));
      lambda[i] = _mm512_add_pd(lambda[i], c);
      squares[i] = _mm512_fmadd_pd(c, c, squares[i]);
    }
  }
  s.lambda +=
      _mm512_reduce_add_pd(_mm512_add_pd(_mm512_add_pd(lambda[0], lambda[1]), _mm512_add_pd(lambda[2], lambda[3])));
  s.squares +=
      _mm512_reduce_add_pd(_mm512_add_pd(_mm512_add_pd(squares[0], squares[1]), _mm512_add_pd(squares[2], squares[3])));
}

/// Values and scales of 32 entries in the order of their bytes: 32 terms of one row, or 4 terms of 8 rows.
ACCUBLAS_INLINE __m512d load_values(const Int8Conversion& c, std::int64_t row, std::int64_t p, int i) {
  if (!c.panel) return _mm512_loadu_pd(c.x + row * c.ld + p + 8 * i);
  const double* at = c.x + (row + 2 * i) * c.ld + p;
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(at)), _mm256_loadu_pd(at + c.ld), 1);
}

ACCUBLAS_INLINE __m512d load_scale(const Int8Conversion& c, std::int64_t row, int i, int factor) {
  if (!c.panel) return _mm512_set1_pd(c.scale[2 * row + factor]);
  const double* at = c.scale + 2 * (row + 2 * i) + factor;
  return _mm512_insertf64x4(_mm512_set1_pd(at[0]), _mm256_set1_pd(at[2]), 1);
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
          const __m512d v = _mm512_mul_pd(_mm512_abs_pd(load_values(c, row, p, i)), load_scale(c, row, i, 0));
          const __m512i b = _mm512_cvttpd_epi64(_mm512_mul_pd(v, load_scale(c, row, i, 1)));
          _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 8 * i), _mm512_cvtepi64_epi8(b));
        }
      });
}

/// The low 16 bits of 32 lanes of 64 bits, in order.
ACCUBLAS_INLINE __m512i low_words(__m512i a, __m512i b, __m512i c, __m512i d) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i ab = _mm512_permutex2var_epi32(a, even, b), cd = _mm512_permutex2var_epi32(c, even, d);
  const __m512i words = _mm512_set_epi16(62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28, 26, 24,
                                         22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  return _mm512_permutex2var_epi16(ab, words, cd);
}

/// 1.5 2^52: a double of magnitude below 2^51 added to it is rounded to an integer, which stands in the low bits.
constexpr double magic = 0x1.8p52;

/// a' = sum_i limb_i 2^(42 i) modulo p: v = sum_i limb_i (2^(42 i) mod p) is exact, the quotient q = v / p rounded
/// comes from one fused multiply-add, and v - p q fits a byte, so 16-bit arithmetic suffices for it. abs(v) <= 2^53, so
/// the rounding of 1/p moves v / p by less than 1 / p and abs(v - p q) <= p / 2 + 1; for p = 255, where that would be
/// 128.5, the rounding error of 1/p is 8 times smaller.
template <int Limbs>
void residues_of(const Int8Conversion& c) {
  for_each_32(
      c, [&](std::int64_t row, std::int64_t p) __attribute__((always_inline)) {
        __m512d limb[Limbs][4];
        __m512i low[Limbs];
        for (int i = 0; i < 4; ++i) {
          __m512d rest = _mm512_mul_pd(_mm512_mul_pd(load_values(c, row, p, i), load_scale(c, row, i, 0)),
                                       load_scale(c, row, i, 1));
          for (int s = Limbs - 1; s >= 0; --s) {
            limb[s][i] = _mm512_roundscale_pd(rest, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
            rest = _mm512_mul_pd(_mm512_sub_pd(rest, limb[s][i]), _mm512_set1_pd(0x1p42));
          }
        }
        for (int s = 0; s < Limbs; ++s)
          low[s] = low_words(_mm512_cvtpd_epi64(limb[s][0]), _mm512_cvtpd_epi64(limb[s][1]),
                             _mm512_cvtpd_epi64(limb[s][2]), _mm512_cvtpd_epi64(limb[s][3]));
        std::uint8_t* to = target(c, row, p);
        for (int l = 0; l < c.moduli; ++l) {
          const Int8Modulus& m = int8_moduli[l];
          const __m512d inverse = _mm512_set1_pd(m.inverse);
          __m512i q[4];
          for (int i = 0; i < 4; ++i) {
            __m512d v = limb[0][i];
            for (int s = 1; s < Limbs; ++s) v = _mm512_fmadd_pd(limb[s][i], _mm512_set1_pd(m.limb[s]), v);
            q[i] = _mm512_castpd_si512(_mm512_fmadd_pd(v, inverse, _mm512_set1_pd(magic)));
          }
          __m512i v = low[0];
          for (int s = 1; s < Limbs; ++s)
            v = _mm512_add_epi16(v, _mm512_mullo_epi16(low[s], _mm512_set1_epi16(m.limb16[s])));
          const __m512i modulus = _mm512_set1_epi16(static_cast<short>(m.p));
          __m512i r = _mm512_sub_epi16(v, _mm512_mullo_epi16(low_words(q[0], q[1], q[2], q[3]), modulus));
          if (!c.panel) r = _mm512_min_epu16(r, _mm512_add_epi16(r, modulus));
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + l * c.plane_stride), _mm512_cvtepi16_epi8(r));
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
