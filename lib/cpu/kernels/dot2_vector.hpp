// Dot2's two steps of docs/modes.md on vectors of doubles, and what else the kernels of dot2 and cr do with them. With
// W = 1, the portable twin, every kernel reads as the definition. Included by kernel files only; everything has
// internal linkage.
#pragma once

#include "lib/cpu/kernels/dot2_kernels.hpp"
#include "lib/cpu/kernels/doubles.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

using V = Doubles;

#if ACCUBLAS_VECTOR_BITS == 512

ACCUBLAS_INLINE V add_by_fma(V a, V b) { return add(a, b); }
ACCUBLAS_INLINE V sub_by_fma(V a, V b) { return sub(a, b); }

/// The error of s = a + b. With the operands sorted by magnitude (vrangepd) Dekker's three operations suffice: one less
/// than Knuth's way in a loop that nothing but the arithmetic ports limits.
ACCUBLAS_INLINE V sum_error(V a, V b, V s) {
  const V large = _mm512_range_pd(a, b, 0b0111), small = _mm512_range_pd(a, b, 0b0110);
  return sub(small, sub(s, large));
}

/// Lanes l and l + Distance change places, l < Distance.
template <int Distance>
ACCUBLAS_INLINE V swap_lanes(V v) {
  if constexpr (Distance == 4) return _mm512_shuffle_f64x2(v, v, 0x4E);
  if constexpr (Distance == 2) return _mm512_shuffle_f64x2(v, v, 0xB1);
  return _mm512_permute_pd(v, 0x55);
}

/// v[q] = column q of the 8 x 8 entries whose rows begin at a, `ld` apart. Rows are paired while they are loaded (a
/// load that inserts its half takes either arithmetic port; a shuffle only one), so that each column costs two
/// shuffles.
ACCUBLAS_INLINE void load_transposed(const double* a, Index ld, V* v) {
  for (int half = 0; half < 2; ++half) {
    V pair[4];
    for (int i = 0; i < 4; ++i) {
      const double* row = a + ((i & 1) + 4 * (i >> 1)) * ld + 4 * half;
      pair[i] = load_halves(row, row + 2 * ld);
    }
    const V even01 = _mm512_unpacklo_pd(pair[0], pair[1]), odd01 = _mm512_unpackhi_pd(pair[0], pair[1]);
    const V even23 = _mm512_unpacklo_pd(pair[2], pair[3]), odd23 = _mm512_unpackhi_pd(pair[2], pair[3]);
    v[4 * half + 0] = _mm512_shuffle_f64x2(even01, even23, 0x88);
    v[4 * half + 1] = _mm512_shuffle_f64x2(odd01, odd23, 0x88);
    v[4 * half + 2] = _mm512_shuffle_f64x2(even01, even23, 0xDD);
    v[4 * half + 3] = _mm512_shuffle_f64x2(odd01, odd23, 0xDD);
  }
}
ACCUBLAS_INLINE void load_transposed(const float* a, Index ld, V* v) {
  // pair[i]: rows i and i + 4, four columns each.
  for (int half = 0; half < 2; ++half) {
    __m256 pair[4];
    for (int i = 0; i < 4; ++i) {
      const float* row = a + i * ld + 4 * half;
      pair[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row)), _mm_loadu_ps(row + 4 * ld), 1);
    }
    const __m256 low01 = _mm256_unpacklo_ps(pair[0], pair[1]), high01 = _mm256_unpackhi_ps(pair[0], pair[1]);
    const __m256 low23 = _mm256_unpacklo_ps(pair[2], pair[3]), high23 = _mm256_unpackhi_ps(pair[2], pair[3]);
    v[4 * half + 0] = _mm512_cvtps_pd(_mm256_shuffle_ps(low01, low23, 0x44));
    v[4 * half + 1] = _mm512_cvtps_pd(_mm256_shuffle_ps(low01, low23, 0xEE));
    v[4 * half + 2] = _mm512_cvtps_pd(_mm256_shuffle_ps(high01, high23, 0x44));
    v[4 * half + 3] = _mm512_cvtps_pd(_mm256_shuffle_ps(high01, high23, 0xEE));
  }
}

#elif ACCUBLAS_VECTOR_BITS == 256

/// a + b and a - b on the ports that multiply. Zen has two of them and two others that add: a third of dot2's additions
/// here brings 8 + 2 operations to 5 + 5.
ACCUBLAS_INLINE V add_by_fma(V a, V b) { return _mm256_fmadd_pd(a, splat(1), b); }
ACCUBLAS_INLINE V sub_by_fma(V a, V b) { return _mm256_fmsub_pd(a, splat(1), b); }

/// The error of s = a + b (Knuth).
ACCUBLAS_INLINE V sum_error(V a, V b, V s) {
  const V t = sub(s, a);
  return add(sub(a, sub(s, t)), sub_by_fma(b, t));
}

/// Lanes l and l + Distance change places, l < Distance.
template <int Distance>
ACCUBLAS_INLINE V swap_lanes(V v) {
  if constexpr (Distance == 2) return _mm256_permute2f128_pd(v, v, 1);
  return _mm256_permute_pd(v, 0x5);
}

/// v[q] = column q of the 4 x 4 entries whose rows begin at a, `ld` apart.
ACCUBLAS_INLINE void load_transposed(const double* a, Index ld, V* v) {
  for (int half = 0; half < 2; ++half) {
    V pair[2];
    for (int i = 0; i < 2; ++i) {
      const double* row = a + i * ld + 2 * half;
      pair[i] = load_halves(row, row + 2 * ld);
    }
    v[2 * half] = _mm256_unpacklo_pd(pair[0], pair[1]);
    v[2 * half + 1] = _mm256_unpackhi_pd(pair[0], pair[1]);
  }
}
ACCUBLAS_INLINE void load_transposed(const float* a, Index ld, V* v) {
  __m128 row[4];
  for (int i = 0; i < 4; ++i) row[i] = _mm_loadu_ps(a + i * ld);
  const __m128 low01 = _mm_unpacklo_ps(row[0], row[1]), high01 = _mm_unpackhi_ps(row[0], row[1]);
  const __m128 low23 = _mm_unpacklo_ps(row[2], row[3]), high23 = _mm_unpackhi_ps(row[2], row[3]);
  v[0] = _mm256_cvtps_pd(_mm_movelh_ps(low01, low23));
  v[1] = _mm256_cvtps_pd(_mm_movehl_ps(low23, low01));
  v[2] = _mm256_cvtps_pd(_mm_movelh_ps(high01, high23));
  v[3] = _mm256_cvtps_pd(_mm_movehl_ps(high23, high01));
}

#elif ACCUBLAS_VECTOR_BITS == 128

ACCUBLAS_INLINE V add_by_fma(V a, V b) { return add(a, b); }
ACCUBLAS_INLINE V sub_by_fma(V a, V b) { return sub(a, b); }

/// The error of s = a + b (Knuth).
ACCUBLAS_INLINE V sum_error(V a, V b, V s) {
  const V t = sub(s, a);
  return add(sub(a, sub(s, t)), sub(b, t));
}

/// Lanes l and l + Distance change places, l < Distance.
template <int Distance>
ACCUBLAS_INLINE V swap_lanes(V v) {
  return vextq_f64(v, v, 1);
}

/// v[q] = column q of the 2 x 2 entries whose rows begin at a, `ld` apart.
ACCUBLAS_INLINE void load_transposed(const double* a, Index ld, V* v) {
  const V first = load(a), second = load(a + ld);
  v[0] = vzip1q_f64(first, second);
  v[1] = vzip2q_f64(first, second);
}
ACCUBLAS_INLINE void load_transposed(const float* a, Index ld, V* v) {
  const float32x2_t first = vld1_f32(a), second = vld1_f32(a + ld);
  v[0] = vcvt_f64_f32(vzip1_f32(first, second));
  v[1] = vcvt_f64_f32(vzip2_f32(first, second));
}

#else

ACCUBLAS_INLINE V add_by_fma(V a, V b) { return a + b; }
ACCUBLAS_INLINE V sub_by_fma(V a, V b) { return a - b; }

/// The error of s = a + b (Knuth).
ACCUBLAS_INLINE V sum_error(V a, V b, V s) {
  const V t = s - a;
  return (a - (s - t)) + (b - t);
}

template <int Distance>
ACCUBLAS_INLINE V swap_lanes(V v) {
  return v;
}

ACCUBLAS_INLINE void load_transposed(const double* a, Index, V* v) { *v = *a; }
ACCUBLAS_INLINE void load_transposed(const float* a, Index, V* v) { *v = *a; }

#endif

/// How many entries on to prefetch at entry i of rows (columns) of `length` entries that are read side by side:
/// `distance`, or past their end as far into those that come next, each time `jump` entries on. They would be missed
/// otherwise: the hardware only knows of them once they are read (n = 1000 past L2: a tenth of the time).
ACCUBLAS_INLINE Index entries_on(Index i, Index length, Index distance, Index jump) {
  const Index at = i + distance;
  return at < length ? distance : distance + at / length * (jump - length);
}

/// step of docs/modes.md for double entries.
ACCUBLAS_INLINE void step(V& s, V& c, V x, V y) {
  const V p = mul(x, y), e = fms(x, y, p), sum = add(s, p);
  c = add_by_fma(c, add_by_fma(sum_error(s, p, sum), e));
  s = sum;
}

/// step for float entries: their product is exact in double, so that a fused operation rounds as two would.
ACCUBLAS_INLINE void step(V& s, V x, V y) {
#if ACCUBLAS_VECTOR_BITS > 0
  s = fma(x, y, s);
#else
  s = s + x * y;
#endif
}

/// (s, c) := combine((s, c), (s2, c2)) of docs/modes.md.
ACCUBLAS_INLINE void combine(V& s, V& c, V s2, V c2) {
  const V sum = add(s, s2);
  c = add(add(c, c2), sum_error(s, s2, sum));
  s = sum;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
