// Vectors for the kernels of lib/mp/kernels/mp_kernels.hpp: W lanes of 64 bits, or 2 W residues of 32 bits. Residues at
// even positions are multiplied as they are, because the instruction reads only the low half of each lane; the others
// are multiplied after a shift. There are versions for AVX2, AVX-512 and NEON (mp_vector_neon.hpp); the portable twin
// has no vectors. Kernel files include this header, and everything in it has internal linkage.
#pragma once

#include <cstdint>

#include "lib/cpu/kernels/intrinsics.hpp"
#include "lib/mp/kernels/mp_kernels.hpp"

#if ACCUBLAS_VECTOR_BITS == 128
#include "lib/mp/kernels/mp_vector_neon.hpp"
#endif

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

#if ACCUBLAS_VECTOR_BITS == 512

using V = __m512i;
using D = __m512d;
constexpr int W = 8;

ACCUBLAS_INLINE V zero() { return _mm512_setzero_si512(); }
ACCUBLAS_INLINE V splat(std::uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
ACCUBLAS_INLINE V splat32(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
ACCUBLAS_INLINE V load(const void* p) { return _mm512_loadu_si512(p); }
ACCUBLAS_INLINE void store(void* p, V v) { _mm512_storeu_si512(p, v); }
ACCUBLAS_INLINE __mmask16 first(std::int64_t count) { return static_cast<__mmask16>((1u << count) - 1); }
/// Loads the first `count` < 2 W residues, then zeros.
ACCUBLAS_INLINE V load_first(const std::uint32_t* p, std::int64_t count) {
  return _mm512_maskz_loadu_epi32(first(count), p);
}
ACCUBLAS_INLINE void store_first(std::uint32_t* p, std::int64_t count, V v) {
  _mm512_mask_storeu_epi32(p, first(count), v);
}
/// Loads 2 W bytes, each into 32 bits.
ACCUBLAS_INLINE V widen(const std::uint8_t* p) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
ACCUBLAS_INLINE V add(V a, V b) { return _mm512_add_epi64(a, b); }
ACCUBLAS_INLINE V sub(V a, V b) { return _mm512_sub_epi64(a, b); }
ACCUBLAS_INLINE V mul(V a, V b) { return _mm512_mul_epu32(a, b); }
template <int n>
ACCUBLAS_INLINE V right(V a) {
  return _mm512_srli_epi64(a, n);
}
template <int n>
ACCUBLAS_INLINE V left(V a) {
  return _mm512_slli_epi64(a, n);
}
ACCUBLAS_INLINE V left(V a, V counts) { return _mm512_sllv_epi64(a, counts); }
ACCUBLAS_INLINE V right(V a, V counts) { return _mm512_srlv_epi64(a, counts); }
ACCUBLAS_INLINE V add32(V a, V b) { return _mm512_add_epi32(a, b); }
ACCUBLAS_INLINE V sub32(V a, V b) { return _mm512_sub_epi32(a, b); }
ACCUBLAS_INLINE V mul32(V a, V b) { return _mm512_mullo_epi32(a, b); }
ACCUBLAS_INLINE V min32(V a, V b) { return _mm512_min_epu32(a, b); }
/// Returns all ones in the 32-bit lanes that are not zero.
ACCUBLAS_INLINE V nonzero32(V a) { return _mm512_movm_epi32(_mm512_test_epi32_mask(a, a)); }
ACCUBLAS_INLINE V left32(V a, V counts) { return _mm512_sllv_epi32(a, counts); }
ACCUBLAS_INLINE V right32(V a, V counts) { return _mm512_srlv_epi32(a, counts); }
/// Returns all ones in the 32-bit lanes with a > b, as signed numbers.
ACCUBLAS_INLINE V greater32(V a, V b) { return _mm512_movm_epi32(_mm512_cmpgt_epi32_mask(a, b)); }
/// Returns all ones in the 32-bit lanes that are equal.
ACCUBLAS_INLINE V equal32(V a, V b) { return _mm512_movm_epi32(_mm512_cmpeq_epi32_mask(a, b)); }
ACCUBLAS_INLINE bool any(V a) { return _mm512_test_epi32_mask(a, a) != 0; }
/// Returns b where the mask is all ones, and a where it is zero.
ACCUBLAS_INLINE V blend(V a, V b, V mask) { return _mm512_ternarylogic_epi32(mask, b, a, 0xCA); }
/// Returns the lower halves of a's lanes and the upper halves of b's.
ACCUBLAS_INLINE V halves(V a, V b) { return _mm512_mask_blend_epi32(0xAAAA, a, b); }
ACCUBLAS_INLINE D as_double(V a) { return _mm512_castsi512_pd(a); }
ACCUBLAS_INLINE V as_bits(D a) { return _mm512_castpd_si512(a); }
ACCUBLAS_INLINE D splat_double(double x) { return _mm512_set1_pd(x); }
ACCUBLAS_INLINE D fma(D a, D b, D c) { return _mm512_fmadd_pd(a, b, c); }
/// Keeps v in a register; gcc would otherwise read memory again for each use.
ACCUBLAS_INLINE V held(V v) {
  __asm__("" : "+v"(v));
  return v;
}
/// Returns the sums of the lanes of s[0] to s[3], in the four lowest lanes.
ACCUBLAS_INLINE V lane_sums(const V* s) {
  __m256i h[4];
  for (int q = 0; q < 4; ++q) h[q] = _mm256_add_epi64(_mm512_castsi512_si256(s[q]), _mm512_extracti64x4_epi64(s[q], 1));
  const __m256i a = _mm256_add_epi64(_mm256_unpacklo_epi64(h[0], h[1]), _mm256_unpackhi_epi64(h[0], h[1]));
  const __m256i b = _mm256_add_epi64(_mm256_unpacklo_epi64(h[2], h[3]), _mm256_unpackhi_epi64(h[2], h[3]));
  return _mm512_zextsi256_si512(
      _mm256_add_epi64(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31)));
}

#elif ACCUBLAS_VECTOR_BITS == 256

using V = __m256i;
using D = __m256d;
constexpr int W = 4;

ACCUBLAS_INLINE V zero() { return _mm256_setzero_si256(); }
ACCUBLAS_INLINE V splat(std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
ACCUBLAS_INLINE V splat32(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
ACCUBLAS_INLINE V load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
ACCUBLAS_INLINE void store(void* p, V v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
ACCUBLAS_INLINE V first(std::int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
/// Loads the first `count` < 2 W residues, then zeros.
ACCUBLAS_INLINE V load_first(const std::uint32_t* p, std::int64_t count) {
  return _mm256_maskload_epi32(reinterpret_cast<const int*>(p), first(count));
}
ACCUBLAS_INLINE void store_first(std::uint32_t* p, std::int64_t count, V v) {
  _mm256_maskstore_epi32(reinterpret_cast<int*>(p), first(count), v);
}
/// Loads 2 W bytes, each into 32 bits.
ACCUBLAS_INLINE V widen(const std::uint8_t* p) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}
ACCUBLAS_INLINE V add(V a, V b) { return _mm256_add_epi64(a, b); }
ACCUBLAS_INLINE V sub(V a, V b) { return _mm256_sub_epi64(a, b); }
ACCUBLAS_INLINE V mul(V a, V b) { return _mm256_mul_epu32(a, b); }
template <int n>
ACCUBLAS_INLINE V right(V a) {
  return _mm256_srli_epi64(a, n);
}
template <int n>
ACCUBLAS_INLINE V left(V a) {
  return _mm256_slli_epi64(a, n);
}
ACCUBLAS_INLINE V left(V a, V counts) { return _mm256_sllv_epi64(a, counts); }
ACCUBLAS_INLINE V right(V a, V counts) { return _mm256_srlv_epi64(a, counts); }
ACCUBLAS_INLINE V add32(V a, V b) { return _mm256_add_epi32(a, b); }
ACCUBLAS_INLINE V sub32(V a, V b) { return _mm256_sub_epi32(a, b); }
ACCUBLAS_INLINE V mul32(V a, V b) { return _mm256_mullo_epi32(a, b); }
ACCUBLAS_INLINE V min32(V a, V b) { return _mm256_min_epu32(a, b); }
/// Returns all ones in the 32-bit lanes that are not zero. Lanes must not be negative.
ACCUBLAS_INLINE V nonzero32(V a) { return _mm256_cmpgt_epi32(a, _mm256_setzero_si256()); }
ACCUBLAS_INLINE V left32(V a, V counts) { return _mm256_sllv_epi32(a, counts); }
ACCUBLAS_INLINE V right32(V a, V counts) { return _mm256_srlv_epi32(a, counts); }
/// Returns all ones in the 32-bit lanes with a > b, as signed numbers.
ACCUBLAS_INLINE V greater32(V a, V b) { return _mm256_cmpgt_epi32(a, b); }
/// Returns all ones in the 32-bit lanes that are equal.
ACCUBLAS_INLINE V equal32(V a, V b) { return _mm256_cmpeq_epi32(a, b); }
ACCUBLAS_INLINE bool any(V a) { return !_mm256_testz_si256(a, a); }
/// Returns b where the mask is all ones, and a where it is zero.
ACCUBLAS_INLINE V blend(V a, V b, V mask) { return _mm256_blendv_epi8(a, b, mask); }
/// Returns the lower halves of a's lanes and the upper halves of b's.
ACCUBLAS_INLINE V halves(V a, V b) { return _mm256_blend_epi32(a, b, 0xAA); }
ACCUBLAS_INLINE D as_double(V a) { return _mm256_castsi256_pd(a); }
ACCUBLAS_INLINE V as_bits(D a) { return _mm256_castpd_si256(a); }
ACCUBLAS_INLINE D splat_double(double x) { return _mm256_set1_pd(x); }
ACCUBLAS_INLINE D fma(D a, D b, D c) { return _mm256_fmadd_pd(a, b, c); }
/// Keeps v in a register; gcc would otherwise read memory again for each use.
ACCUBLAS_INLINE V held(V v) {
  __asm__("" : "+x"(v));
  return v;
}
/// Returns the sums of the lanes of s[0] to s[3].
ACCUBLAS_INLINE V lane_sums(const V* s) {
  const V a = add(_mm256_unpacklo_epi64(s[0], s[1]), _mm256_unpackhi_epi64(s[0], s[1]));
  const V b = add(_mm256_unpacklo_epi64(s[2], s[3]), _mm256_unpackhi_epi64(s[2], s[3]));
  return add(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

#endif

#if ACCUBLAS_VECTOR_BITS >= 256

/// Eight numbers of 32 bits, for transposing. FirstOfEight stands for the first `count` of them.
using Eight = __m256i;
using FirstOfEight = __m256i;
ACCUBLAS_INLINE FirstOfEight first_of_eight(std::int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
/// Loads the first numbers, and zeros for the others.
ACCUBLAS_INLINE Eight load_eight(const std::uint32_t* p, FirstOfEight first) {
  return _mm256_maskload_epi32(reinterpret_cast<const int*>(p), first);
}
ACCUBLAS_INLINE void store_eight(std::uint32_t* p, Eight v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
ACCUBLAS_INLINE void store_eight(std::uint32_t* p, FirstOfEight first, Eight v) {
  _mm256_maskstore_epi32(reinterpret_cast<int*>(p), first, v);
}
ACCUBLAS_INLINE Eight no_eight() { return _mm256_setzero_si256(); }
/// In each half of four numbers: a0 b0 a1 b1, and a2 b2 a3 b3; then a0 a1 b0 b1, and a2 a3 b2 b3.
ACCUBLAS_INLINE Eight low_pairs(Eight a, Eight b) { return _mm256_unpacklo_epi32(a, b); }
ACCUBLAS_INLINE Eight high_pairs(Eight a, Eight b) { return _mm256_unpackhi_epi32(a, b); }
ACCUBLAS_INLINE Eight low_fours(Eight a, Eight b) { return _mm256_unpacklo_epi64(a, b); }
ACCUBLAS_INLINE Eight high_fours(Eight a, Eight b) { return _mm256_unpackhi_epi64(a, b); }
/// The lower half of a, then that of b; and the upper ones.
ACCUBLAS_INLINE Eight lower_halves(Eight a, Eight b) { return _mm256_permute2x128_si256(a, b, 0x20); }
ACCUBLAS_INLINE Eight upper_halves(Eight a, Eight b) { return _mm256_permute2x128_si256(a, b, 0x31); }
/// Bits bit .. bit + 30 of high 2^32 + low.
ACCUBLAS_INLINE Eight window_31(Eight low, Eight high, int bit) {
  const __m256i window = _mm256_or_si256(_mm256_srl_epi32(low, _mm_cvtsi32_si128(bit)),
                                         _mm256_sll_epi32(high, _mm_cvtsi32_si128(32 - bit)));
  return _mm256_and_si256(window, _mm256_set1_epi32(0x7FFFFFFF));
}

#endif

ACCUBLAS_INLINE V bit_and(V a, V b) { return a & b; }
ACCUBLAS_INLINE V bit_or(V a, V b) { return a | b; }
ACCUBLAS_INLINE D add(D a, D b) { return a + b; }
ACCUBLAS_INLINE D sub(D a, D b) { return a - b; }
/// Returns -a in the 32-bit lanes where the mask is all ones, and a where it is zero.
ACCUBLAS_INLINE V negate32(V a, V mask) { return sub32(a ^ mask, mask); }

/// Loads residues p[0 .. count) with zeros behind them; the function that follows stores them.
ACCUBLAS_INLINE V load_up_to(const std::uint32_t* p, std::int64_t count) {
  return count >= 2 * W ? load(p) : load_first(p, count);
}
ACCUBLAS_INLINE void store_up_to(std::uint32_t* p, std::int64_t count, V v) {
  if (count >= 2 * W)
    store(p, v);
  else
    store_first(p, count, v);
}

/// Loads 2 W bytes from e on, with zeros beyond `count`, or only zeros if `from` is null.
ACCUBLAS_INLINE V bytes(const std::uint8_t* from, std::int64_t e, std::int64_t count) {
  if (!from) return zero();
  if (count >= 2 * W) return widen(from + e);
  std::uint8_t rest[2 * W] = {};
  for (std::int64_t i = 0; i < count; ++i) rest[i] = from[e + i];
  return widen(rest);
}

/// These return the residues at even and at odd positions, each alone in its lane.
ACCUBLAS_INLINE V even(V v) { return bit_and(v, splat(0xFFFFFFFF)); }
ACCUBLAS_INLINE V odd(V v) { return right<32>(v); }
/// Combines the residues at even and at odd positions again; both arguments are below 2^32.
ACCUBLAS_INLINE V interleave(V at_even, V at_odd) { return bit_or(at_even, left<32>(at_odd)); }

/// A modulus m = 2^31 - gap with gap < 2^14, which makes 2^31 = gap and 2^32 = 2 gap cheap factors.
struct Modulus {
  V m, r32, r64;
};
ACCUBLAS_INLINE Modulus broadcast(const RnsModulus& modulus) {
  return {splat32(modulus.m), splat(modulus.r32), splat(modulus.r64)};
}

/// Returns a number congruent to v < 2^63 and below 2^46 + 2^31. It subtracts v's upper bits, times m, which leaves v's
/// lowest 31 bits and gap times the upper ones.
ACCUBLAS_INLINE V fold(V v, const Modulus& q) { return sub(v, mul(right<31>(v), q.m)); }
/// Returns a number congruent to v < 2^63 and below 2^31 + 2^30: the second fold leaves (2^15 + 1) gap + 2^31.
ACCUBLAS_INLINE V fold_twice(V v, const Modulus& q) { return fold(fold(v, q), q); }
/// Reduces 2 W residues below 2 m.
ACCUBLAS_INLINE V reduce_once(V v, const Modulus& q) { return min32(v, sub32(v, q.m)); }

/// m - r where the mask is all ones, and 0 for 0: -r as 32 bits is above -r + m, but for r = 0.
ACCUBLAS_INLINE V negated(V r, V mask, const Modulus& q) {
  const V s = negate32(r, mask);
  return min32(s, add32(s, q.m));
}

/// A sum of products below 2^62 in parts of at most four products, which fit into 64 bits. `sum` is the sum modulo
/// 2^64. `upper` is the sum of the parts' upper halves, which begin at bit `from`. So sum - 2^from upper modulo 2^64 is
/// the sum of the lower halves. This takes one addition a product and three operations a part. There are at most 2^18
/// parts, so that the sums of both halves stay below 2^50.
struct DelayedSum {
  V sum, upper;
};
constexpr std::int64_t delayed_terms = std::int64_t{1} << 20;

template <int from = 32>
ACCUBLAS_INLINE void add_part(DelayedSum& s, V part) {
  s.sum = add(s.sum, part);
  s.upper = add(s.upper, right<from>(part));
}

/// Returns a number congruent to the sum and below 2^51: upper = u1 2^32 + u0 is worth u1 r64 + u0 r32 times 2^32,
/// where u1 < 2^18.
ACCUBLAS_INLINE V reduce_delayed(const DelayedSum& s, const Modulus& q) {
  const V lower = sub(s.sum, left<32>(s.upper));
  return add(add(mul(right<32>(s.upper), q.r64), mul(s.upper, q.r32)), lower);
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
