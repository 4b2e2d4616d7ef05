// Vectors of W doubles: what the kernels of dot2, cr and int8 share. W = 1 is the portable twin: there Doubles is a
// plain double. Included by kernel files only; everything has internal linkage.
#pragma once

#include <cstdint>

#include "lib/cpu/kernels/intrinsics.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

ACCUBLAS_INLINE double magnitude(double a) { return __builtin_fabs(a); }

#if ACCUBLAS_VECTOR_BITS == 512

using Doubles = __m512d;
constexpr int W = 8;

ACCUBLAS_INLINE Doubles splat(double x) { return _mm512_set1_pd(x); }
ACCUBLAS_INLINE Doubles load(const double* p) { return _mm512_loadu_pd(p); }
ACCUBLAS_INLINE Doubles load(const float* p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
/// W / 2 entries from `lower` on, then W / 2 from `upper` on.
ACCUBLAS_INLINE Doubles load_halves(const double* lower, const double* upper) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(lower)), _mm256_loadu_pd(upper), 1);
}
/// The first `count` < W elements, then zeros.
ACCUBLAS_INLINE Doubles load_first(const double* p, int count) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1 << count) - 1), p);
}
ACCUBLAS_INLINE Doubles load_first(const float* p, int count) {
  return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(static_cast<__mmask8>((1 << count) - 1), p));
}
ACCUBLAS_INLINE void store(double* p, Doubles v) { _mm512_storeu_pd(p, v); }
ACCUBLAS_INLINE void store(float* p, Doubles v) { _mm256_storeu_ps(p, _mm512_cvtpd_ps(v)); }
/// v in a register: gcc would otherwise read memory again for each use.
ACCUBLAS_INLINE Doubles held(Doubles v) {
  __asm__("" : "+v"(v));
  return v;
}
/// a b + c and a b - c, rounded once.
ACCUBLAS_INLINE Doubles fma(Doubles a, Doubles b, Doubles c) { return _mm512_fmadd_pd(a, b, c); }
ACCUBLAS_INLINE Doubles fms(Doubles a, Doubles b, Doubles c) { return _mm512_fmsub_pd(a, b, c); }
ACCUBLAS_INLINE Doubles magnitude(Doubles a) { return _mm512_abs_pd(a); }
ACCUBLAS_INLINE Doubles to_single(Doubles a) { return _mm512_cvtps_pd(_mm512_cvtpd_ps(a)); }
/// These functions return the lanes for which a comparison is true, a bit each. With a NaN only `differing` is true.
ACCUBLAS_INLINE unsigned equal(Doubles a, Doubles b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
ACCUBLAS_INLINE unsigned differing(Doubles a, Doubles b) { return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ); }
ACCUBLAS_INLINE unsigned below(Doubles a, Doubles b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
ACCUBLAS_INLINE unsigned at_least(Doubles a, Doubles b) { return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ); }
ACCUBLAS_INLINE double lane_sum(Doubles v) { return _mm512_reduce_add_pd(v); }

#elif ACCUBLAS_VECTOR_BITS == 256

using Doubles = __m256d;
constexpr int W = 4;

ACCUBLAS_INLINE Doubles splat(double x) { return _mm256_set1_pd(x); }
ACCUBLAS_INLINE Doubles load(const double* p) { return _mm256_loadu_pd(p); }
ACCUBLAS_INLINE Doubles load(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
/// W / 2 entries from `lower` on, then W / 2 from `upper` on.
ACCUBLAS_INLINE Doubles load_halves(const double* lower, const double* upper) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(lower)), _mm_loadu_pd(upper), 1);
}
/// The first `count` < W elements, then zeros.
ACCUBLAS_INLINE Doubles load_first(const double* p, int count) {
  return _mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3)));
}
ACCUBLAS_INLINE Doubles load_first(const float* p, int count) {
  return _mm256_cvtps_pd(_mm_maskload_ps(p, _mm_cmpgt_epi32(_mm_set1_epi32(count), _mm_setr_epi32(0, 1, 2, 3))));
}
ACCUBLAS_INLINE void store(double* p, Doubles v) { _mm256_storeu_pd(p, v); }
ACCUBLAS_INLINE void store(float* p, Doubles v) { _mm_storeu_ps(p, _mm256_cvtpd_ps(v)); }
/// v in a register: gcc would otherwise read memory again for each use.
ACCUBLAS_INLINE Doubles held(Doubles v) {
  __asm__("" : "+x"(v));
  return v;
}
/// a b + c and a b - c, rounded once.
ACCUBLAS_INLINE Doubles fma(Doubles a, Doubles b, Doubles c) { return _mm256_fmadd_pd(a, b, c); }
ACCUBLAS_INLINE Doubles fms(Doubles a, Doubles b, Doubles c) { return _mm256_fmsub_pd(a, b, c); }
ACCUBLAS_INLINE Doubles magnitude(Doubles a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
ACCUBLAS_INLINE Doubles to_single(Doubles a) { return _mm256_cvtps_pd(_mm256_cvtpd_ps(a)); }
template <int comparison>
ACCUBLAS_INLINE unsigned lanes_where(Doubles a, Doubles b) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, comparison)));
}
ACCUBLAS_INLINE unsigned equal(Doubles a, Doubles b) { return lanes_where<_CMP_EQ_OQ>(a, b); }
ACCUBLAS_INLINE unsigned differing(Doubles a, Doubles b) { return lanes_where<_CMP_NEQ_UQ>(a, b); }
ACCUBLAS_INLINE unsigned below(Doubles a, Doubles b) { return lanes_where<_CMP_LT_OQ>(a, b); }
ACCUBLAS_INLINE unsigned at_least(Doubles a, Doubles b) { return lanes_where<_CMP_GE_OQ>(a, b); }
ACCUBLAS_INLINE double lane_sum(Doubles v) {
  double x[W];
  store(x, v);
  return (x[0] + x[1]) + (x[2] + x[3]);
}

#elif ACCUBLAS_VECTOR_BITS == 128

using Doubles = float64x2_t;
constexpr int W = 2;

ACCUBLAS_INLINE Doubles splat(double x) { return vdupq_n_f64(x); }
ACCUBLAS_INLINE Doubles load(const double* p) { return vld1q_f64(p); }
ACCUBLAS_INLINE Doubles load(const float* p) { return vcvt_f64_f32(vld1_f32(p)); }
/// W / 2 entries from `lower` on, then W / 2 from `upper` on.
ACCUBLAS_INLINE Doubles load_halves(const double* lower, const double* upper) {
  return vcombine_f64(vld1_f64(lower), vld1_f64(upper));
}
/// The first `count` < W elements, then zeros.
ACCUBLAS_INLINE Doubles load_first(const double* p, int count) { return count > 0 ? Doubles{*p, 0} : Doubles{}; }
ACCUBLAS_INLINE Doubles load_first(const float* p, int count) { return count > 0 ? Doubles{*p, 0} : Doubles{}; }
ACCUBLAS_INLINE void store(double* p, Doubles v) { vst1q_f64(p, v); }
ACCUBLAS_INLINE void store(float* p, Doubles v) { vst1_f32(p, vcvt_f32_f64(v)); }
/// v in a register: gcc would otherwise read memory again for each use.
ACCUBLAS_INLINE Doubles held(Doubles v) {
  __asm__("" : "+w"(v));
  return v;
}
/// a b + c and a b - c, rounded once.
ACCUBLAS_INLINE Doubles fma(Doubles a, Doubles b, Doubles c) { return vfmaq_f64(c, a, b); }
ACCUBLAS_INLINE Doubles fms(Doubles a, Doubles b, Doubles c) { return vfmaq_f64(vnegq_f64(c), a, b); }
ACCUBLAS_INLINE Doubles magnitude(Doubles a) { return vabsq_f64(a); }
ACCUBLAS_INLINE Doubles to_single(Doubles a) { return vcvt_f64_f32(vcvt_f32_f64(a)); }
ACCUBLAS_INLINE uint64x2_t as_bits(Doubles v) { return vreinterpretq_u64_f64(v); }
ACCUBLAS_INLINE Doubles as_value(uint64x2_t v) { return vreinterpretq_f64_u64(v); }
/// The lanes whose bits are all set, a bit each.
ACCUBLAS_INLINE unsigned lanes_of(uint64x2_t all) {
  const std::uint64_t both = vget_lane_u64(vreinterpret_u64_u32(vmovn_u64(all)), 0);
  return static_cast<unsigned>((both & 1) | (both >> 62 & 2));
}
ACCUBLAS_INLINE unsigned equal(Doubles a, Doubles b) { return lanes_of(vceqq_f64(a, b)); }
ACCUBLAS_INLINE unsigned differing(Doubles a, Doubles b) { return lanes_of(vceqq_f64(a, b)) ^ 3; }
ACCUBLAS_INLINE unsigned below(Doubles a, Doubles b) { return lanes_of(vcltq_f64(a, b)); }
ACCUBLAS_INLINE unsigned at_least(Doubles a, Doubles b) { return lanes_of(vcgeq_f64(a, b)); }
ACCUBLAS_INLINE double lane_sum(Doubles v) { return vpaddd_f64(v); }

#else

using Doubles = double;
constexpr int W = 1;

ACCUBLAS_INLINE Doubles splat(double x) { return x; }
ACCUBLAS_INLINE Doubles load(const double* p) { return *p; }
ACCUBLAS_INLINE Doubles load(const float* p) { return *p; }
ACCUBLAS_INLINE Doubles load_first(const double*, int) { return 0; }
ACCUBLAS_INLINE Doubles load_first(const float*, int) { return 0; }
ACCUBLAS_INLINE void store(double* p, Doubles v) { *p = v; }
ACCUBLAS_INLINE void store(float* p, Doubles v) { *p = static_cast<float>(v); }
ACCUBLAS_INLINE Doubles held(Doubles v) { return v; }
/// a b + c and a b - c, rounded once (libm's fma, slow where the CPU lacks the instruction; Dekker's product would not
/// do near the ends of the exponent range).
ACCUBLAS_INLINE Doubles fma(Doubles a, Doubles b, Doubles c) { return __builtin_fma(a, b, c); }
ACCUBLAS_INLINE Doubles fms(Doubles a, Doubles b, Doubles c) { return __builtin_fma(a, b, -c); }
ACCUBLAS_INLINE double lane_sum(Doubles v) { return v; }
ACCUBLAS_INLINE Doubles to_single(Doubles a) { return static_cast<float>(a); }
ACCUBLAS_INLINE unsigned equal(Doubles a, Doubles b) { return a == b; }
ACCUBLAS_INLINE unsigned differing(Doubles a, Doubles b) { return a != b; }
ACCUBLAS_INLINE unsigned below(Doubles a, Doubles b) { return a < b; }
ACCUBLAS_INLINE unsigned at_least(Doubles a, Doubles b) { return a >= b; }

#endif

ACCUBLAS_INLINE Doubles zero() { return Doubles{}; }
ACCUBLAS_INLINE Doubles add(Doubles a, Doubles b) { return a + b; }
ACCUBLAS_INLINE Doubles sub(Doubles a, Doubles b) { return a - b; }
ACCUBLAS_INLINE Doubles mul(Doubles a, Doubles b) { return a * b; }

/// Into L1, and into L2, where arithmetic is fast enough to wait for memory. Any address will do.
ACCUBLAS_INLINE void prefetch_nearest(const void* p) {
  if (W > 1) __builtin_prefetch(p, 0, 3);
}
ACCUBLAS_INLINE void prefetch_near(const void* p) {
  if (W > 1) __builtin_prefetch(p, 0, 2);
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
