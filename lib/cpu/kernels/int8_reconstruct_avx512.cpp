// Residues to rounded results with AVX-512, 32 elements at a time: digits of 16 bits from products of 16-bit numbers,
// the quotient by P in single precision, then the leading 111 bits of S as an integer pair, rounded once by a fused
// multiply-add; with alpha and beta c, as a sum of doubles by Ziv's test.
#include "lib/base/integers.hpp"
#include "lib/cpu/kernels/int8_intrinsics.hpp"
#include "lib/cpu/kernels/int8_kernels.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

#define ACCUBLAS_INLINE inline __attribute__((always_inline))

constexpr int top_digits = 7;

/// Registers of 16 elements that go side by side: one alone would wait for its chains of dependent sums.
constexpr int side_by_side = 2, elements = 16 * side_by_side;

/// sum + the two 16-bit products of every 32-bit lane.
ACCUBLAS_INLINE __m512i add_products(__m512i sum, __m512i x, __m512i y) {
#if ACCUBLAS_ISA_LEVEL >= 3
  return _mm512_dpwssd_epi32(sum, x, y);
#else
  return _mm512_add_epi32(sum, _mm512_madd_epi16(x, y));
#endif
}

ACCUBLAS_INLINE __m512i broadcast_pair(const std::int16_t* at) {
  int pair;
  __builtin_memcpy(&pair, at, sizeof pair);
  return _mm512_set1_epi32(pair);
}

/// S = (h 2^48 + m + rest) 2^(16 (digits - 7)) in units of digit 0, lane by lane: h signed, 0 <= m < 2^48,
/// 0 <= rest < 1. 8 elements to a register.
struct Leading {
  __m512i h[2 * side_by_side], m[2 * side_by_side];
  __m512i sticky[2 * side_by_side];  ///< 1 where rest > 0, if asked for
};

/// Adds the carry to `Count` digits of sum_l r_l weight_l - q P from digit `first`, collects their bits and carries on.
template <int Count>
ACCUBLAS_INLINE void low_digits(const CrtTable& t, const __m512i (*pairs)[side_by_side], int count, int first,
                                const __m512i* minus_q, __m512i* carry, __m512i* bits) {
  __m512i sum[Count][side_by_side];
  for (int d = 0; d < Count; ++d)
    for (int g = 0; g < side_by_side; ++g) sum[d][g] = _mm512_setzero_si512();
  for (int l = 0; l < count; ++l)
    for (int d = 0; d < Count; ++d)
      for (int g = 0; g < side_by_side; ++g)
        sum[d][g] = add_products(sum[d][g], pairs[l][g], broadcast_pair(&t.weight_digit[first + d][2 * l]));
  // What comes from the digits above comes last, so that the sums need not wait for it.
  for (int d = 0; d < Count; ++d)
    for (int g = 0; g < side_by_side; ++g)
      sum[d][g] = add_products(d == 0 ? _mm512_add_epi32(sum[d][g], carry[g]) : sum[d][g], minus_q[g],
                               _mm512_set1_epi32(static_cast<std::uint16_t>(t.product_digit[first + d])));
  for (int d = 0; d < Count; ++d) {
    for (int g = 0; g < side_by_side; ++g) {
      if (d > 0) sum[d][g] = _mm512_add_epi32(sum[d][g], carry[g]);
      bits[g] = _mm512_or_si512(bits[g], sum[d][g]);
      carry[g] = _mm512_srai_epi32(sum[d][g], 16);
    }
  }
}

/// Of 32 elements. abs of every digit's sum is below 49 128 2^15 + 2^12 2^15 < 2^28.
template <bool Sticky>
ACCUBLAS_INLINE Leading leading(const Int8Reconstruction& t, const std::int8_t* at) {
  const CrtTable& crt = *t.crt;
  const int pairs_count = ceil_div(crt.count, 2), low = crt.digits - top_digits;
  const __m512i word = _mm512_set1_epi32(0xFFFF), zero = _mm512_setzero_si512();
  __m512i pairs[ceil_div(max_moduli, 2)][side_by_side];
  __m512i s[top_digits][side_by_side], minus_q[side_by_side];
  for (int d = 0; d < top_digits; ++d)
    for (int g = 0; g < side_by_side; ++g) s[d][g] = zero;
  for (int l = 0; l < pairs_count; ++l) {
    const std::int8_t* one = at + 2 * l * t.plane_stride;
    const std::int8_t* other = 2 * l + 1 < crt.count ? one + t.plane_stride : one;  // its weight is 0
    __m512i pair[side_by_side];
    for (int g = 0; g < side_by_side; ++g) {
      const __m512i a = _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(one + 16 * g)));
      const __m512i b = _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(other + 16 * g)));
      pair[g] = _mm512_mask_blend_epi16(0xAAAAAAAA, a, _mm512_slli_epi32(b, 16));
      if (Sticky) pairs[l][g] = pair[g];
    }
    for (int d = 0; d < top_digits; ++d)
      for (int g = 0; g < side_by_side; ++g)
        s[d][g] = add_products(s[d][g], pair[g], broadcast_pair(&crt.weight_digit[low + d][2 * l]));
  }
  // The quotient from the three leading digits. They stand for S + q P up to 2^-18 P; the roundings of single
  // precision, on terms of at most 2^13, add 2^-8: S / P is farther than that from a half (crt_margin).
  for (int g = 0; g < side_by_side; ++g) {
    __m512 f = _mm512_mul_ps(_mm512_cvtepi32_ps(s[6][g]), _mm512_set1_ps(crt.quotient[0]));
    f = _mm512_fmadd_ps(_mm512_cvtepi32_ps(s[5][g]), _mm512_set1_ps(crt.quotient[1]), f);
    f = _mm512_fmadd_ps(_mm512_cvtepi32_ps(s[4][g]), _mm512_set1_ps(crt.quotient[2]), f);
    minus_q[g] = _mm512_and_si512(_mm512_castps_si512(_mm512_sub_ps(_mm512_set1_ps(0x1.8p23f), f)), word);
    for (int d = 0; d < top_digits; ++d)
      s[d][g] =
          add_products(s[d][g], minus_q[g], _mm512_set1_epi32(static_cast<std::uint16_t>(crt.product_digit[low + d])));
  }

  __m512i carry[side_by_side], bits[side_by_side];
  for (int g = 0; g < side_by_side; ++g) carry[g] = bits[g] = zero;
  if (Sticky) {
    // The digits below, from the lowest: their bits and their carry.
    int d = 0;
    for (; d + 4 <= low; d += 4) low_digits<4>(crt, pairs, pairs_count, d, minus_q, carry, bits);
    switch (low - d) {
      case 3:
        low_digits<3>(crt, pairs, pairs_count, d, minus_q, carry, bits);
        break;
      case 2:
        low_digits<2>(crt, pairs, pairs_count, d, minus_q, carry, bits);
        break;
      case 1:
        low_digits<1>(crt, pairs, pairs_count, d, minus_q, carry, bits);
        break;
      default:
        break;
    }
  }
  Leading r;
  for (int g = 0; g < side_by_side; ++g) {
    s[0][g] = _mm512_add_epi32(s[0][g], carry[g]);
    const __m512i sticky = _mm512_maskz_mov_epi32(_mm512_test_epi32_mask(bits[g], word), _mm512_set1_epi32(1));
    r.sticky[2 * g] = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(sticky));
    r.sticky[2 * g + 1] = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(sticky, 1));
    for (int d = 1; d < top_digits; ++d) s[d][g] = _mm512_add_epi32(s[d][g], _mm512_srai_epi32(s[d - 1][g], 16));
    const __m512i m_low = _mm512_mask_blend_epi16(0xAAAAAAAA, s[0][g], _mm512_slli_epi32(s[1][g], 16));
    const __m512i m_high = _mm512_and_si512(s[2][g], word);
    const __m512i h_low = _mm512_mask_blend_epi16(0xAAAAAAAA, s[3][g], _mm512_slli_epi32(s[4][g], 16));
    const __m512i h_high = _mm512_mask_blend_epi16(0xAAAAAAAA, s[5][g], _mm512_slli_epi32(s[6][g], 16));
    const __m512i h02 = _mm512_unpacklo_epi32(h_low, h_high), h13 = _mm512_unpackhi_epi32(h_low, h_high);
    const __m512i m02 = _mm512_unpacklo_epi32(m_low, m_high), m13 = _mm512_unpackhi_epi32(m_low, m_high);
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                  second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    r.h[2 * g] = _mm512_permutex2var_epi64(h02, first, h13);
    r.h[2 * g + 1] = _mm512_permutex2var_epi64(h02, second, h13);
    r.m[2 * g] = _mm512_permutex2var_epi64(m02, first, m13);
    r.m[2 * g + 1] = _mm512_permutex2var_epi64(m02, second, m13);
  }
  return r;
}

/// head + (e + rest) 2^-48 rounded to a double; for Single to odd, so that a second rounding to single precision is
/// right. The low 6 bits of e only say whether anything stands there: e has at most 59 bits, so the rest is a double;
/// and where abs(head) >= 2^13 the last bit of the result is 2^8 units of e or more, so what they say is all that
/// matters.
template <bool Single>
ACCUBLAS_INLINE __m512d round_pair(__m512d head, __m512i e) {
  const __m512i low = _mm512_set1_epi64(63);
  const __m512i kept = _mm512_andnot_si512(low, e);
  const __m512i odd = _mm512_mask_or_epi64(kept, _mm512_test_epi64_mask(e, low), kept, _mm512_set1_epi64(64));
  const __m512d tail = _mm512_mul_pd(_mm512_cvtepi64_pd(odd), _mm512_set1_pd(0x1p-48));
  const __m512d r = _mm512_add_pd(head, tail);
  if (!Single) return r;
  const __m512d lost = _mm512_sub_pd(tail, _mm512_sub_pd(r, head));  // exact: abs(head) > abs(tail)
  const __m512i bits = _mm512_castpd_si512(r), one = _mm512_set1_epi64(1);
  const __mmask8 inexact =
      _mm512_cmpneq_epi64_mask(_mm512_slli_epi64(_mm512_castpd_si512(lost), 1), _mm512_setzero_si512());
  const __mmask8 even = _mm512_mask_testn_epi64_mask(inexact, bits, one);
  const __mmask8 opposite = _mm512_movepi64_mask(_mm512_xor_si512(bits, _mm512_castpd_si512(lost)));
  __m512i fixed = _mm512_mask_add_epi64(bits, even & ~opposite, bits, one);
  fixed = _mm512_mask_sub_epi64(fixed, even & opposite, bits, one);
  return _mm512_castsi512_pd(fixed);
}

/// x 2^shift with the sign bit flipped by `sign`, for a normal result; zero stays +0.
ACCUBLAS_INLINE __m512d scale(__m512d x, __m512i shift, __m512i sign) {
  const __mmask8 nonzero = _mm512_cmpneq_pd_mask(x, _mm512_setzero_pd());
  const __m512i bits = _mm512_add_epi64(_mm512_castpd_si512(x), _mm512_slli_epi64(shift, 52));
  return _mm512_castsi512_pd(_mm512_maskz_xor_epi64(nonzero, bits, sign));
}

template <class T>
ACCUBLAS_INLINE void store(T* to, __m512d x);
template <>
ACCUBLAS_INLINE void store(double* to, __m512d x) {
  _mm512_storeu_pd(to, x);
}
template <>
ACCUBLAS_INLINE void store(float* to, __m512d x) {
  _mm256_storeu_ps(to, _mm512_cvtpd_ps(x));
}

/// Elements that round to one value, of 8.
template <class T>
ACCUBLAS_INLINE __mmask8 same(__m512d x, __m512d y) {
  if (sizeof(T) == 8) return _mm512_cmpeq_epi64_mask(_mm512_castpd_si512(x), _mm512_castpd_si512(y));
  return _mm512_cmp_pd_mask(_mm512_cvtps_pd(_mm512_cvtpd_ps(x)), _mm512_cvtps_pd(_mm512_cvtpd_ps(y)), _CMP_EQ_OQ);
}

template <class T, bool Interval, bool Sticky>
std::int64_t reconstruct(const Int8Reconstruction& t, T* out) {
  constexpr bool single = sizeof(T) == 4;
  constexpr int normal_min = single ? -126 : -1022, normal_max = single ? 127 : 1023;
  const int low = t.crt->digits - top_digits;
  // Exponent of one unit of m, below it h has 48 bits more.
  const int m_exponent = t.crt->unit_exponent + 16 * low, h_exponent = m_exponent + 48;
  double m_per_unit = 1;  // units of m in a unit of S, for errors
  for (int i = 0; i < m_exponent; ++i) m_per_unit /= 2;
  for (int i = 0; i > m_exponent; --i) m_per_unit *= 2;
  // Digits that were not computed are worth at most 2^12.3 units of m; one more for the truncation of the error.
  const __m512d floor_error = _mm512_set1_pd(!Sticky && low > 0 ? 0x1p13 : 1);
  const __m512i sign = _mm512_set1_epi64(t.negative ? static_cast<long long>(0x8000000000000000u) : 0);
  std::int64_t open = 0;
  for (std::int64_t r = 0; r < t.rows; ++r) {
    const std::int64_t row_exponent = t.row_exponent[r];
    // Results between 2^(h_exponent + 13 + ...) and 2^(h_exponent + 64 + ...) are normal?
    const bool normal = h_exponent + row_exponent + t.col_exponent_min + 13 >= normal_min &&
                        h_exponent + row_exponent + t.col_exponent_max + 64 <= normal_max;
    for (std::int64_t c = 0; c < t.cols; c += elements) {
      const Leading x = leading<Sticky>(t, t.planes + r * t.row_stride + c);
      for (int i = 0; i < 2 * side_by_side; ++i) {
        const std::int64_t at = c + 8 * i;
        if (at >= t.cols) break;
        const __mmask8 inside = static_cast<__mmask8>(t.cols - at >= 8 ? 0xFF : (1 << (t.cols - at)) - 1);
        const __m512d head = _mm512_cvtepi64_pd(x.h[i]);
        // What head lost of h, as units of m, and m: below 2^58 in magnitude.
        const __m512i e =
            _mm512_add_epi64(_mm512_slli_epi64(_mm512_sub_epi64(x.h[i], _mm512_cvtpd_epi64(head)), 48), x.m[i]);
        const __m512i shift = _mm512_add_epi64(
            _mm512_cvtepi32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.col_exponent + at))),
            _mm512_set1_epi64(row_exponent + h_exponent));
        const __m512i any = _mm512_or_si512(_mm512_or_si512(x.h[i], x.m[i]), x.sticky[i]);
        const __mmask8 zero = _mm512_testn_epi64_mask(any, any);
        const __mmask8 large = _mm512_cmpge_epu64_mask(_mm512_abs_epi64(x.h[i]), _mm512_set1_epi64(1 << 14));
        __mmask8 done = normal ? large : 0;
        __m512d result;
        if (Interval) {
          const __m512d col_drop = _mm512_loadu_pd(t.col_drop + at), col_error = _mm512_loadu_pd(t.col_error + at);
          __m512d error = _mm512_mul_pd(col_drop, _mm512_set1_pd(t.row_error[r]));
          error = _mm512_fmadd_pd(_mm512_set1_pd(t.row_drop[r]), col_error, error);
          const __mmask8 none =
              _mm512_cmp_pd_mask(error, _mm512_setzero_pd(), _CMP_EQ_OQ) & (Sticky || low == 0 ? 0xFF : 0);
          error = _mm512_fmadd_pd(error, _mm512_set1_pd(m_per_unit * (1 + 0x1p-40)), floor_error);
          done &= _mm512_cmp_pd_mask(error, _mm512_set1_pd(0x1p56), _CMP_LT_OQ);
          const __m512i bound = _mm512_maskz_cvtpd_epi64(~none & done, error);
          const __m512i sticky = x.sticky[i];
          const __m512d below = round_pair<single>(head, _mm512_or_si512(_mm512_sub_epi64(e, bound), sticky));
          result = round_pair<single>(head, _mm512_or_si512(_mm512_add_epi64(e, bound), sticky));
          if (!single) done &= same<T>(below, result);
          result = scale(result, shift, sign);
          if (single) done &= same<T>(scale(below, shift, sign), result);
          done |= zero & none;
        } else {
          result = scale(round_pair<single>(head, _mm512_or_si512(e, x.sticky[i])), shift, sign);
          done |= zero;
        }
        store(out + r * t.out_stride + at, result);
        const __mmask8 left = ~done & inside;
        _mm_storel_epi64(reinterpret_cast<__m128i*>(t.open + r * t.row_stride + at), _mm_maskz_set1_epi8(left, 1));
        open += __builtin_popcount(left);
      }
    }
  }
  return open;
}

ACCUBLAS_INLINE __m512d load_addends(const double* at) { return _mm512_loadu_pd(at); }
ACCUBLAS_INLINE __m512d load_addends(const float* at) { return _mm512_cvtps_pd(_mm256_loadu_ps(at)); }

/// high + low = a + b exactly.
ACCUBLAS_INLINE void two_sum(__m512d a, __m512d b, __m512d& high, __m512d& low) {
  high = _mm512_add_pd(a, b);
  const __m512d t = _mm512_sub_pd(high, a);
  low = _mm512_add_pd(_mm512_sub_pd(a, _mm512_sub_pd(high, t)), _mm512_sub_pd(b, t));
}

/// RN(alpha S + beta c), c in `out`. S is two doubles and an error, alpha S + beta c five doubles with four roundings;
/// where both ends of the interval round to one value, that is the result. No part over- or underflows: alpha and beta
/// are within 2^+-200, the units of S and c within 2^+-700, or the element stays open.
template <class T, bool Interval, bool Sticky>
std::int64_t combine(const Int8Reconstruction& t, T* out) {
  const int low = t.crt->digits - top_digits;
  const int m_exponent = t.crt->unit_exponent + 16 * low;
  double m_per_unit = 1;
  for (int i = 0; i < m_exponent; ++i) m_per_unit /= 2;
  for (int i = 0; i > m_exponent; --i) m_per_unit *= 2;
  // Units of m: digits that were not computed, and the low bits of m that a double lacks.
  const __m512d floor_error = _mm512_set1_pd(!Sticky && low > 0 ? 0x1.02p13 : 0x1p7);
  const __m512d zero = _mm512_setzero_pd(), alpha = _mm512_set1_pd(t.alpha), beta = _mm512_set1_pd(t.beta);
  std::int64_t open = 0;
  for (std::int64_t r = 0; r < t.rows; ++r) {
    const std::int64_t row_exponent = t.row_exponent[r] + m_exponent;
    const bool in_range = row_exponent + t.col_exponent_min >= -700 && row_exponent + t.col_exponent_max + 112 <= 700;
    for (std::int64_t c = 0; c < t.cols; c += elements) {
      const Leading x = leading<Sticky>(t, t.planes + r * t.row_stride + c);
      for (int i = 0; i < 2 * side_by_side; ++i) {
        const std::int64_t at = c + 8 * i;
        if (at >= t.cols) break;
        const __mmask8 inside = static_cast<__mmask8>(t.cols - at >= 8 ? 0xFF : (1 << (t.cols - at)) - 1);
        T* const to = out + r * t.out_stride + at;
        // S = (head 2^48 + tail) unit.
        __m512d head = _mm512_cvtepi64_pd(x.h[i]);
        const __m512i e =
            _mm512_add_epi64(_mm512_slli_epi64(_mm512_sub_epi64(x.h[i], _mm512_cvtpd_epi64(head)), 48), x.m[i]);
        const __m512i shift = _mm512_add_epi64(
            _mm512_cvtepi32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.col_exponent + at))),
            _mm512_set1_epi64(in_range ? row_exponent + 1023 : 1023));
        const __m512d unit = _mm512_castsi512_pd(_mm512_slli_epi64(shift, 52));
        head = _mm512_mul_pd(_mm512_mul_pd(head, _mm512_set1_pd(0x1p48)), unit);
        const __m512d tail = _mm512_mul_pd(_mm512_cvtepi64_pd(e), unit);
        __m512d error = floor_error;
        __mmask8 none = Sticky || low == 0 ? 0xFF : 0;
        if (Interval) {
          const __m512d col_drop = _mm512_loadu_pd(t.col_drop + at), col_error = _mm512_loadu_pd(t.col_error + at);
          __m512d dropped = _mm512_mul_pd(col_drop, _mm512_set1_pd(t.row_error[r]));
          dropped = _mm512_fmadd_pd(_mm512_set1_pd(t.row_drop[r]), col_error, dropped);
          none &= _mm512_cmp_pd_mask(dropped, zero, _CMP_EQ_OQ);
          error = _mm512_fmadd_pd(dropped, _mm512_set1_pd(m_per_unit * (1 + 0x1p-40)), floor_error);
        }
        // alpha S.
        const __m512d p = _mm512_mul_pd(alpha, head), p_low = _mm512_fmsub_pd(alpha, head, p);
        const __m512d p_tail = _mm512_mul_pd(alpha, tail);
        error = _mm512_mul_pd(_mm512_mul_pd(error, unit), _mm512_abs_pd(alpha));
        // beta c.
        __m512d q = zero, q_low = zero;
        __mmask8 done = in_range ? 0xFF : 0;
        if (t.beta != 0) {
          const __m512d addend = load_addends(to), size = _mm512_abs_pd(addend);
          done &= (_mm512_cmp_pd_mask(size, _mm512_set1_pd(0x1p-700), _CMP_GE_OQ) &
                   _mm512_cmp_pd_mask(size, _mm512_set1_pd(0x1p700), _CMP_LE_OQ)) |
                  _mm512_cmp_pd_mask(size, zero, _CMP_EQ_OQ);
          q = _mm512_mul_pd(beta, addend);
          q_low = _mm512_fmsub_pd(beta, addend, q);
        }
        __m512d sum, sum_low;
        two_sum(p, q, sum, sum_low);
        const __m512d rest = _mm512_add_pd(sum_low, _mm512_add_pd(p_tail, _mm512_add_pd(p_low, q_low)));
        // Three roundings on the way to `rest`, and one where the error is added, each of at most 2^-52 size.
        const __m512d size = _mm512_add_pd(_mm512_add_pd(_mm512_abs_pd(p_tail), _mm512_abs_pd(p_low)),
                                           _mm512_add_pd(_mm512_abs_pd(q_low), _mm512_abs_pd(sum_low)));
        error = _mm512_fmadd_pd(size, _mm512_set1_pd(0x1p-49), _mm512_mul_pd(error, _mm512_set1_pd(1 + 0x1p-40)));
        // For the rounding to double on the way to float.
        if (sizeof(T) == 4) error = _mm512_fmadd_pd(_mm512_abs_pd(sum), _mm512_set1_pd(0x1p-51), error);
        const __m512d below = _mm512_add_pd(sum, _mm512_sub_pd(rest, error));
        __m512d result = _mm512_add_pd(sum, _mm512_add_pd(rest, error));
        done &= same<T>(below, result);
        if (sizeof(T) == 4)  // an underflow to zero has the sign of the exact result
          done &= _mm512_cmp_pd_mask(_mm512_abs_pd(result), _mm512_set1_pd(0x1p-149), _CMP_GE_OQ);
        // An exact S = 0 leaves beta c; an exact zero is +0.
        const __m512i any = _mm512_or_si512(_mm512_or_si512(x.h[i], x.m[i]), x.sticky[i]);
        none &= _mm512_testn_epi64_mask(any, any);
        if (t.beta == 0) {
          done |= none;
          result = _mm512_mask_mov_pd(result, none, zero);
        }
        store(to, result);
        const __mmask8 left = ~done & inside;
        _mm_storel_epi64(reinterpret_cast<__m128i*>(t.open + r * t.row_stride + at), _mm_maskz_set1_epi8(left, 1));
        open += __builtin_popcount(left);
      }
    }
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

std::int64_t certify(const Int8Certificate& t, std::uint8_t* accepted) {
  const __m512d factor = _mm512_set1_pd(t.factor), lambda = _mm512_set1_pd(t.lambda), least = _mm512_set1_pd(t.least);
  std::int64_t count = 0;
  for (std::int64_t c = 0; c < t.n; c += 8) {
    const __m512d x = _mm512_cvtepi32_pd(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.sums + c)));
    const __m512d excess = _mm512_sub_pd(_mm512_mul_pd(factor, x), _mm512_add_pd(lambda, _mm512_loadu_pd(t.mu + c)));
    unsigned mask = _mm512_cmp_pd_mask(excess, least, _CMP_GE_OQ);
    if (t.n - c < 8) mask &= (1u << (t.n - c)) - 1;
    if (accepted) accepted[c / 8] = static_cast<std::uint8_t>(mask);
    count += __builtin_popcount(mask);
  }
  return count;
}

}  // namespace

const Int8ReconstructKernels& int8_reconstruct() {
  static const Int8ReconstructKernels table = {certify, to_double, to_float};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
