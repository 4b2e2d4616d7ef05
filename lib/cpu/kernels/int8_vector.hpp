// The vectors of the int8 kernels, with AVX2, with AVX-512, and with NEON (int8_vector_neon.hpp): numbers side by side
// in a register, a number a *lane*. The operators + - * & | ^ ~ << work lane by lane (gcc's and clang's vectors; <<
// takes one count for all lanes). Lanes of integers wrap, as unsigned numbers do; a function that reads them as signed
// says so. Included by kernel files only; everything has internal linkage.
#pragma once

#include <cstdint>

#include "lib/cpu/kernels/intrinsics.hpp"

#if ACCUBLAS_VECTOR_BITS == 128
#include "lib/cpu/kernels/int8_vector_neon.hpp"
#else
#include "lib/cpu/kernels/doubles.hpp"
#endif

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

#if ACCUBLAS_VECTOR_BITS == 512

using Integers64 = unsigned long long __attribute__((vector_size(64)));  ///< 8 lanes, as Doubles
using Integers32 = unsigned int __attribute__((vector_size(64)));        ///< 16 lanes, as Floats
using Words16 = unsigned short __attribute__((vector_size(64)));         ///< 32 lanes
using Pairs = Words16;                                                   ///< 16 lanes of a low and a high word
using Floats = __m512;
/// A bit a lane, the first lane's lowest: of Doubles and Integers64, and of Integers32.
using Mask = __mmask8;
using Mask16 = __mmask16;

/// The bits of any vector as the intrinsics want them, and back.
template <class Vector>
ACCUBLAS_INLINE __m512i raw(Vector v) {
  static_assert(sizeof(Vector) == sizeof(__m512i));
  return reinterpret_cast<__m512i>(v);
}
ACCUBLAS_INLINE Integers64 integers64(__m512i v) { return reinterpret_cast<Integers64>(v); }
ACCUBLAS_INLINE Integers32 integers32(__m512i v) { return reinterpret_cast<Integers32>(v); }
ACCUBLAS_INLINE Words16 words16(__m512i v) { return reinterpret_cast<Words16>(v); }

// These functions read the same bits as another type.
ACCUBLAS_INLINE Integers64 as_bits(Doubles v) { return integers64(_mm512_castpd_si512(v)); }
ACCUBLAS_INLINE Integers32 as_bits(Floats v) { return integers32(_mm512_castps_si512(v)); }
ACCUBLAS_INLINE Doubles as_double(Integers64 v) { return _mm512_castsi512_pd(raw(v)); }
ACCUBLAS_INLINE Floats as_float(Integers32 v) { return _mm512_castsi512_ps(raw(v)); }
ACCUBLAS_INLINE Words16 as_words(Integers32 v) { return words16(raw(v)); }

// One number in every lane.
ACCUBLAS_INLINE Integers64 splat64(std::int64_t x) { return integers64(_mm512_set1_epi64(x)); }
ACCUBLAS_INLINE Integers32 splat32(std::int32_t x) { return integers32(_mm512_set1_epi32(x)); }
ACCUBLAS_INLINE Words16 splat16(std::int16_t x) { return words16(_mm512_set1_epi16(x)); }
ACCUBLAS_INLINE Floats splat(float x) { return _mm512_set1_ps(x); }
/// `lower` in lanes 0 to 3, `upper` in lanes 4 to 7.
ACCUBLAS_INLINE Doubles splat_halves(double lower, double upper) {
  return _mm512_insertf64x4(_mm512_set1_pd(lower), _mm256_set1_pd(upper), 1);
}
/// Two words in turn: at[0] in the low half of every 32 bits, at[1] in the high half.
ACCUBLAS_INLINE Pairs splat_pair(const std::int16_t* at) {
  std::int32_t pair;
  __builtin_memcpy(&pair, at, sizeof pair);
  return as_words(splat32(pair));
}
/// The low 16 bits of x in the low half of every 32 bits, zero in the high half.
ACCUBLAS_INLINE Pairs splat_low(std::int32_t x) { return as_words(splat32(x & 0xFFFF)); }
/// The low 16 bits of each lane, and zero as the high word.
ACCUBLAS_INLINE Pairs low_pairs(Integers32 v) { return as_words(v & splat32(0xFFFF)); }

// Memory, at any address. Signed numbers of fewer bits are widened.
ACCUBLAS_INLINE Integers64 load_bits(const double* p) { return integers64(_mm512_loadu_si512(p)); }
/// From a multiple of 64 bytes.
ACCUBLAS_INLINE Integers32 load_aligned(const std::int32_t* p) { return integers32(_mm512_load_si512(p)); }
ACCUBLAS_INLINE Integers64 load_64(const std::int32_t* p) {
  return integers64(_mm512_cvtepi32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
}
ACCUBLAS_INLINE Integers32 load_32(const std::int8_t* p) {
  return integers32(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
ACCUBLAS_INLINE Doubles load_doubles(const std::int32_t* p) {
  return _mm512_cvtepi32_pd(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
ACCUBLAS_INLINE void store(std::int32_t* p, Integers32 v) { _mm512_storeu_si512(p, raw(v)); }
ACCUBLAS_INLINE void store_where(Mask mask, double* p, Doubles v) { _mm512_mask_storeu_pd(p, mask, v); }
/// Rounded to single precision.
ACCUBLAS_INLINE void store_where(Mask mask, float* p, Doubles v) { _mm256_mask_storeu_ps(p, mask, _mm512_cvtpd_ps(v)); }
/// The lowest byte of each lane.
ACCUBLAS_INLINE void store_bytes(void* p, Integers64 v) {
  _mm_storel_epi64(static_cast<__m128i*>(p), _mm512_cvtepi64_epi8(raw(v)));
}
ACCUBLAS_INLINE void store_bytes(void* p, Integers32 v) {
  _mm_storeu_si128(static_cast<__m128i*>(p), _mm512_cvtepi32_epi8(raw(v)));
}
ACCUBLAS_INLINE void store_bytes(void* p, Words16 v) {
  _mm256_storeu_si256(static_cast<__m256i*>(p), _mm512_cvtepi16_epi8(raw(v)));
}
/// 8 bytes: 1 where the mask has a bit, else 0.
ACCUBLAS_INLINE void store_flags(std::uint8_t* p, Mask mask) {
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_maskz_set1_epi8(mask, 1));
}

/// The lanes whose bytes are 1; the others' are 0.
ACCUBLAS_INLINE Mask load_flags(const std::uint8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return static_cast<Mask>(_mm_test_epi8_mask(bytes, bytes));
}

/// The lanes below `count`, which may be more than there are.
ACCUBLAS_INLINE Mask first_lanes(std::int64_t count) { return static_cast<Mask>(count >= W ? 0xFF : (1 << count) - 1); }
ACCUBLAS_INLINE int lanes_in(Mask mask) { return __builtin_popcount(mask); }

// Comparisons.
ACCUBLAS_INLINE Mask equal(Integers64 a, Integers64 b) { return _mm512_cmpeq_epi64_mask(raw(a), raw(b)); }
ACCUBLAS_INLINE Mask differing(Integers64 a, Integers64 b) { return _mm512_cmpneq_epi64_mask(raw(a), raw(b)); }
ACCUBLAS_INLINE Mask at_least(Integers64 a, Integers64 b) { return _mm512_cmpge_epu64_mask(raw(a), raw(b)); }
/// The top bit of each lane.
ACCUBLAS_INLINE Mask sign_bit(Integers64 a) { return _mm512_movepi64_mask(raw(a)); }
/// Whether a & b has a bit, or none.
ACCUBLAS_INLINE Mask any_bit(Integers64 a, Integers64 b) { return _mm512_test_epi64_mask(raw(a), raw(b)); }
ACCUBLAS_INLINE Mask16 any_bit(Integers32 a, Integers32 b) { return _mm512_test_epi32_mask(raw(a), raw(b)); }
ACCUBLAS_INLINE Mask no_bit(Integers64 a, Integers64 b) { return _mm512_testn_epi64_mask(raw(a), raw(b)); }
ACCUBLAS_INLINE Mask no_bit_where(Mask mask, Integers64 a, Integers64 b) {
  return _mm512_mask_testn_epi64_mask(mask, raw(a), raw(b));
}
ACCUBLAS_INLINE Mask nonzero(Integers64 a) { return any_bit(a, a); }
ACCUBLAS_INLINE Mask is_zero(Integers64 a) { return no_bit(a, a); }

/// yes in the lanes of the mask; in the others no, or 0.
ACCUBLAS_INLINE Doubles where(Mask mask, Doubles yes, Doubles no) { return _mm512_mask_mov_pd(no, mask, yes); }
ACCUBLAS_INLINE Integers64 where(Mask mask, Integers64 yes, Integers64 no) {
  return integers64(_mm512_mask_mov_epi64(raw(no), mask, raw(yes)));
}
ACCUBLAS_INLINE Integers64 where(Mask mask, Integers64 yes) {
  return integers64(_mm512_maskz_mov_epi64(mask, raw(yes)));
}
ACCUBLAS_INLINE Integers32 where(Mask16 mask, Integers32 yes) {
  return integers32(_mm512_maskz_mov_epi32(mask, raw(yes)));
}
/// a + b and a - b in the lanes of the mask, a in the others.
ACCUBLAS_INLINE Integers64 add_where(Mask mask, Integers64 a, Integers64 b) {
  return integers64(_mm512_mask_add_epi64(raw(a), mask, raw(a), raw(b)));
}
ACCUBLAS_INLINE Integers64 sub_where(Mask mask, Integers64 a, Integers64 b) {
  return integers64(_mm512_mask_sub_epi64(raw(a), mask, raw(a), raw(b)));
}

/// a b + c, rounded once.
ACCUBLAS_INLINE Floats fma(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
ACCUBLAS_INLINE Doubles larger(Doubles a, Doubles b) { return _mm512_max_pd(a, b); }
ACCUBLAS_INLINE Doubles smaller(Doubles a, Doubles b) { return _mm512_min_pd(a, b); }
ACCUBLAS_INLINE Integers64 larger(Integers64 a, Integers64 b) { return integers64(_mm512_max_epu64(raw(a), raw(b))); }
ACCUBLAS_INLINE Words16 smaller(Words16 a, Words16 b) { return words16(_mm512_min_epu16(raw(a), raw(b))); }
/// Magnitudes of signed numbers.
ACCUBLAS_INLINE Integers64 magnitude(Integers64 a) { return integers64(_mm512_abs_epi64(raw(a))); }
/// Signed numbers divided by 2^bits, rounded down.
template <int bits>
ACCUBLAS_INLINE Integers32 shifted_down(Integers32 a) {
  return integers32(_mm512_srai_epi32(raw(a), bits));
}
/// Signed numbers times 2^count, rounded down: modulo 2^64, for any counts.
ACCUBLAS_INLINE Integers64 shifted(Integers64 a, Integers64 count) {
  const __m512i up = _mm512_sllv_epi64(raw(a), raw(count)), down = _mm512_srav_epi64(raw(a), raw(splat64(0) - count));
  return integers64(_mm512_mask_mov_epi64(up, sign_bit(count), down));
}
/// a without the bits that b has.
ACCUBLAS_INLINE Integers64 without(Integers64 a, Integers64 b) {
  return integers64(_mm512_andnot_si512(raw(b), raw(a)));
}
/// sum + x0 y0 + x1 y1 for the two signed 16-bit halves x0, x1 and y0, y1 of every 32 bits.
ACCUBLAS_INLINE Integers32 add_products(Integers32 sum, Pairs x, Pairs y) {
#if ACCUBLAS_ISA_LEVEL >= 3
  return integers32(_mm512_dpwssd_epi32(raw(sum), raw(x), raw(y)));
#else
  return sum + integers32(_mm512_madd_epi16(raw(x), raw(y)));
#endif
}
#if ACCUBLAS_ISA_LEVEL >= 3
/// sum + u0 s0 + u1 s1 + u2 s2 + u3 s3 for the four bytes of every lane, u unsigned, s signed.
ACCUBLAS_INLINE Integers32 add_byte_products(Integers32 sum, Integers32 u, Integers32 s) {
  return integers32(_mm512_dpbusd_epi32(raw(sum), raw(u), raw(s)));
}
#endif

// Rounding and conversion; integers are signed, and doubles that become integers fit.
ACCUBLAS_INLINE Doubles nearest(Doubles v) {  // ties to even
  return _mm512_roundscale_pd(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
ACCUBLAS_INLINE Doubles ceiling(Doubles v) {
  return _mm512_roundscale_pd(v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
ACCUBLAS_INLINE Integers64 nearest_integers(Doubles v) { return integers64(_mm512_cvtpd_epi64(v)); }
ACCUBLAS_INLINE Integers64 truncated_integers(Doubles v) { return integers64(_mm512_cvttpd_epi64(v)); }
ACCUBLAS_INLINE Doubles to_doubles(Integers64 v) { return _mm512_cvtepi64_pd(raw(v)); }
ACCUBLAS_INLINE Floats to_floats(Integers32 v) { return _mm512_cvtepi32_ps(raw(v)); }

ACCUBLAS_INLINE double lane_min(Doubles v) { return _mm512_reduce_min_pd(v); }
ACCUBLAS_INLINE std::uint64_t lane_max(Integers64 v) { return _mm512_reduce_max_epu64(raw(v)); }

// Places. A pair is two lanes, 2 i and 2 i + 1; a half is four.
/// a0 b0 a2 b2 a4 b4 a6 b6, and a1 b1 a3 b3 a5 b5 a7 b7.
ACCUBLAS_INLINE Doubles even_lanes(Doubles a, Doubles b) { return _mm512_unpacklo_pd(a, b); }
ACCUBLAS_INLINE Doubles odd_lanes(Doubles a, Doubles b) { return _mm512_unpackhi_pd(a, b); }
/// even_pairs and odd_pairs select pairs of lanes as even_lanes and odd_lanes select lanes.
ACCUBLAS_INLINE Doubles even_pairs(Doubles a, Doubles b) {
  return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), b);
}
ACCUBLAS_INLINE Doubles odd_pairs(Doubles a, Doubles b) {
  return _mm512_permutex2var_pd(a, _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15), b);
}
/// The lower half of a, then that of b; and the upper ones.
ACCUBLAS_INLINE Doubles lower_halves(Doubles a, Doubles b) { return _mm512_shuffle_f64x2(a, b, 0x44); }
ACCUBLAS_INLINE Doubles upper_halves(Doubles a, Doubles b) { return _mm512_shuffle_f64x2(a, b, 0xEE); }

/// high 2^16 + (the low 16 bits of low): two words side by side.
ACCUBLAS_INLINE Integers32 words_joined(Integers32 low, Integers32 high) {
  return integers32(_mm512_mask_blend_epi16(0xAAAAAAAA, raw(low), raw(high << 16)));
}
/// 16 bytes as low words and 16 as high ones, both signed.
ACCUBLAS_INLINE Pairs load_pairs(const std::int8_t* low, const std::int8_t* high) {
  return as_words(words_joined(load_32(low), load_32(high)));
}
struct Integers64x2 {
  Integers64 first, second;  ///< lanes 0 to 7, 8 to 15
};
/// high 2^32 + low, low unsigned, in order.
ACCUBLAS_INLINE Integers64x2 integers_joined(Integers32 low, Integers32 high) {
  const __m512i even = _mm512_unpacklo_epi32(raw(low), raw(high)), odd = _mm512_unpackhi_epi32(raw(low), raw(high));
  return {integers64(_mm512_permutex2var_epi64(even, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), odd)),
          integers64(_mm512_permutex2var_epi64(even, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), odd))};
}
/// Unsigned numbers, in order.
ACCUBLAS_INLINE Integers64x2 widened(Integers32 v) {
  return {integers64(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(raw(v)))),
          integers64(_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(raw(v), 1)))};
}
/// The low 16 bits of the lanes of v[0] to v[3], in order.
ACCUBLAS_INLINE Words16 low_words(const Integers64* v) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i lower = _mm512_permutex2var_epi32(raw(v[0]), even, raw(v[1]));
  const __m512i upper = _mm512_permutex2var_epi32(raw(v[2]), even, raw(v[3]));
  const __m512i words = _mm512_set_epi16(62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28, 26, 24,
                                         22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  return words16(_mm512_permutex2var_epi16(lower, words, upper));
}

#elif ACCUBLAS_VECTOR_BITS == 256

using Integers32 = unsigned int __attribute__((vector_size(32)));    ///< 8 lanes
using Words16 = unsigned short __attribute__((vector_size(32)));     ///< 16 lanes
using Integers32x4 = unsigned int __attribute__((vector_size(16)));  ///< 4 lanes, as Doubles

/// The bits of any vector as the intrinsics want them, and back.
ACCUBLAS_INLINE __m256i raw(Integers32 v) { return reinterpret_cast<__m256i>(v); }
ACCUBLAS_INLINE __m256i raw(Words16 v) { return reinterpret_cast<__m256i>(v); }
ACCUBLAS_INLINE Integers32 integers32(__m256i v) { return reinterpret_cast<Integers32>(v); }
ACCUBLAS_INLINE Words16 words16(__m256i v) { return reinterpret_cast<Words16>(v); }

/// From and to a multiple of 16 bytes.
ACCUBLAS_INLINE Integers32x4 load_aligned(const std::int32_t* p) {
  return reinterpret_cast<Integers32x4>(_mm_load_si128(reinterpret_cast<const __m128i*>(p)));
}
ACCUBLAS_INLINE void store_aligned(std::int32_t* p, Integers32x4 v) {
  _mm_store_si128(reinterpret_cast<__m128i*>(p), reinterpret_cast<__m128i>(v));
}
ACCUBLAS_INLINE void store(std::int32_t* p, Integers32 v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), raw(v));
}
/// 16 bytes.
ACCUBLAS_INLINE Words16 load_16(const std::int8_t* p) {
  return words16(_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
/// 4 bytes, over and over.
ACCUBLAS_INLINE Words16 splat_four(const std::uint8_t* p) {
  std::int32_t bytes;
  __builtin_memcpy(&bytes, p, sizeof bytes);
  return words16(_mm256_cvtepu8_epi16(_mm_set1_epi32(bytes)));
}

/// sum + x0 y0 + x1 y1 for the two signed 16-bit halves x0, x1 and y0, y1 of every 32 bits.
ACCUBLAS_INLINE Integers32 add_products(Integers32 sum, Words16 x, Words16 y) {
  return sum + integers32(_mm256_madd_epi16(raw(x), raw(y)));
}
/// a0 + a1, a2 + a3, ... and then the same of b.
ACCUBLAS_INLINE Integers32 neighbour_sums(Integers32 a, Integers32 b) {
  // hadd leaves the sums 0 1 4 5 | 2 3 6 7.
  return integers32(_mm256_permute4x64_epi64(_mm256_hadd_epi32(raw(a), raw(b)), 0xD8));
}
/// c - a b, rounded once.
ACCUBLAS_INLINE Doubles minus_product(Doubles c, Doubles a, Doubles b) { return _mm256_fnmadd_pd(a, b, c); }

// Rounding to nearest, ties to even, and conversion; integers are signed, and doubles that become integers fit.
ACCUBLAS_INLINE Doubles nearest(Doubles v) { return _mm256_round_pd(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
ACCUBLAS_INLINE Integers32x4 nearest_integers(Doubles v) {
  return reinterpret_cast<Integers32x4>(_mm256_cvtpd_epi32(v));
}
ACCUBLAS_INLINE Doubles to_doubles(Integers32x4 v) { return _mm256_cvtepi32_pd(reinterpret_cast<__m128i>(v)); }

#endif

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
