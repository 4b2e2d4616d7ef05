// The vectors of mp_vector.hpp with NEON: W = 4 lanes of 64 bits in two registers. Only mp_vector.hpp includes this
// file.
#pragma once

#include <cstdint>

#include "lib/cpu/kernels/intrinsics.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

struct V {
  uint64x2_t a, b;
};
struct D {
  float64x2_t a, b;
};
constexpr int W = 4;

ACCUBLAS_INLINE V operator&(V x, V y) { return {x.a & y.a, x.b & y.b}; }
ACCUBLAS_INLINE V operator|(V x, V y) { return {x.a | y.a, x.b | y.b}; }
ACCUBLAS_INLINE V operator^(V x, V y) { return {x.a ^ y.a, x.b ^ y.b}; }
ACCUBLAS_INLINE D operator+(D x, D y) { return {x.a + y.a, x.b + y.b}; }
ACCUBLAS_INLINE D operator-(D x, D y) { return {x.a - y.a, x.b - y.b}; }

/// V as lanes of 32 bits, and back.
struct Words {
  uint32x4_t a, b;
};
ACCUBLAS_INLINE Words words(V v) { return {vreinterpretq_u32_u64(v.a), vreinterpretq_u32_u64(v.b)}; }
ACCUBLAS_INLINE V lanes(uint32x4_t a, uint32x4_t b) { return {vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b)}; }
ACCUBLAS_INLINE int32x4_t with_sign(uint32x4_t v) { return vreinterpretq_s32_u32(v); }

ACCUBLAS_INLINE V zero() { return {vdupq_n_u64(0), vdupq_n_u64(0)}; }
ACCUBLAS_INLINE V splat(std::uint64_t x) { return {vdupq_n_u64(x), vdupq_n_u64(x)}; }
ACCUBLAS_INLINE V splat32(std::uint32_t x) { return lanes(vdupq_n_u32(x), vdupq_n_u32(x)); }
ACCUBLAS_INLINE V load(const void* p) {
  const auto* const from = static_cast<const std::uint8_t*>(p);
  return {vreinterpretq_u64_u8(vld1q_u8(from)), vreinterpretq_u64_u8(vld1q_u8(from + 16))};
}
ACCUBLAS_INLINE void store(void* p, V v) {
  auto* const to = static_cast<std::uint8_t*>(p);
  vst1q_u8(to, vreinterpretq_u8_u64(v.a));
  vst1q_u8(to + 16, vreinterpretq_u8_u64(v.b));
}
ACCUBLAS_INLINE V load_first(const std::uint32_t* p, std::int64_t count) {
  alignas(16) std::uint32_t x[2 * W] = {};
  for (std::int64_t i = 0; i < count; ++i) x[i] = p[i];
  return load(x);
}
ACCUBLAS_INLINE void store_first(std::uint32_t* p, std::int64_t count, V v) {
  alignas(16) std::uint32_t x[2 * W];
  store(x, v);
  for (std::int64_t i = 0; i < count; ++i) p[i] = x[i];
}
ACCUBLAS_INLINE V widen(const std::uint8_t* p) {
  const uint16x8_t half = vmovl_u8(vld1_u8(p));
  return lanes(vmovl_u16(vget_low_u16(half)), vmovl_high_u16(half));
}
ACCUBLAS_INLINE V add(V x, V y) { return {x.a + y.a, x.b + y.b}; }
ACCUBLAS_INLINE V sub(V x, V y) { return {x.a - y.a, x.b - y.b}; }
ACCUBLAS_INLINE V mul(V x, V y) {
  const uint32x4_t p = vuzp1q_u32(words(x).a, words(x).b), q = vuzp1q_u32(words(y).a, words(y).b);
  return {vmull_u32(vget_low_u32(p), vget_low_u32(q)), vmull_high_u32(p, q)};
}
template <int n>
ACCUBLAS_INLINE V right(V v) {
  return {vshrq_n_u64(v.a, n), vshrq_n_u64(v.b, n)};
}
template <int n>
ACCUBLAS_INLINE V left(V v) {
  return {vshlq_n_u64(v.a, n), vshlq_n_u64(v.b, n)};
}
ACCUBLAS_INLINE V left(V v, V counts) {
  return {vshlq_u64(v.a, vreinterpretq_s64_u64(counts.a)), vshlq_u64(v.b, vreinterpretq_s64_u64(counts.b))};
}
ACCUBLAS_INLINE V right(V v, V counts) {
  return {vshlq_u64(v.a, -vreinterpretq_s64_u64(counts.a)), vshlq_u64(v.b, -vreinterpretq_s64_u64(counts.b))};
}
ACCUBLAS_INLINE V add32(V x, V y) { return lanes(words(x).a + words(y).a, words(x).b + words(y).b); }
ACCUBLAS_INLINE V sub32(V x, V y) { return lanes(words(x).a - words(y).a, words(x).b - words(y).b); }
ACCUBLAS_INLINE V mul32(V x, V y) { return lanes(words(x).a * words(y).a, words(x).b * words(y).b); }
ACCUBLAS_INLINE V min32(V x, V y) {
  return lanes(vminq_u32(words(x).a, words(y).a), vminq_u32(words(x).b, words(y).b));
}
ACCUBLAS_INLINE V nonzero32(V v) { return lanes(vtstq_u32(words(v).a, words(v).a), vtstq_u32(words(v).b, words(v).b)); }
ACCUBLAS_INLINE V left32(V v, V counts) {
  return lanes(vshlq_u32(words(v).a, with_sign(words(counts).a)), vshlq_u32(words(v).b, with_sign(words(counts).b)));
}
ACCUBLAS_INLINE V right32(V v, V counts) {
  return lanes(vshlq_u32(words(v).a, -with_sign(words(counts).a)), vshlq_u32(words(v).b, -with_sign(words(counts).b)));
}
ACCUBLAS_INLINE V greater32(V x, V y) {
  return lanes(vcgtq_s32(with_sign(words(x).a), with_sign(words(y).a)),
               vcgtq_s32(with_sign(words(x).b), with_sign(words(y).b)));
}
ACCUBLAS_INLINE V equal32(V x, V y) {
  return lanes(vceqq_u32(words(x).a, words(y).a), vceqq_u32(words(x).b, words(y).b));
}
ACCUBLAS_INLINE bool any(V v) { return vmaxvq_u32(words(v).a | words(v).b) != 0; }
ACCUBLAS_INLINE V blend(V x, V y, V mask) { return {vbslq_u64(mask.a, y.a, x.a), vbslq_u64(mask.b, y.b, x.b)}; }
ACCUBLAS_INLINE V halves(V x, V y) { return blend(y, x, splat(0xFFFFFFFF)); }
ACCUBLAS_INLINE D as_double(V v) { return {vreinterpretq_f64_u64(v.a), vreinterpretq_f64_u64(v.b)}; }
ACCUBLAS_INLINE V as_bits(D v) { return {vreinterpretq_u64_f64(v.a), vreinterpretq_u64_f64(v.b)}; }
ACCUBLAS_INLINE D splat_double(double x) { return {vdupq_n_f64(x), vdupq_n_f64(x)}; }
ACCUBLAS_INLINE D fma(D x, D y, D z) { return {vfmaq_f64(z.a, x.a, y.a), vfmaq_f64(z.b, x.b, y.b)}; }
ACCUBLAS_INLINE V held(V v) {
  __asm__("" : "+w"(v.a), "+w"(v.b));
  return v;
}
ACCUBLAS_INLINE V lane_sums(const V* s) {
  return {vpaddq_u64(s[0].a + s[0].b, s[1].a + s[1].b), vpaddq_u64(s[2].a + s[2].b, s[3].a + s[3].b)};
}

using Eight = Words;
using FirstOfEight = std::int64_t;
ACCUBLAS_INLINE FirstOfEight first_of_eight(std::int64_t count) { return count < 8 ? count : 8; }
ACCUBLAS_INLINE Eight load_eight(const std::uint32_t* p, FirstOfEight count) {
  return words(count == 8 ? load(p) : load_first(p, count));
}
ACCUBLAS_INLINE void store_eight(std::uint32_t* p, Eight v) { store(p, lanes(v.a, v.b)); }
ACCUBLAS_INLINE void store_eight(std::uint32_t* p, FirstOfEight count, Eight v) {
  store_first(p, count, lanes(v.a, v.b));
}
ACCUBLAS_INLINE Eight no_eight() { return {vdupq_n_u32(0), vdupq_n_u32(0)}; }
ACCUBLAS_INLINE Eight low_pairs(Eight x, Eight y) { return {vzip1q_u32(x.a, y.a), vzip1q_u32(x.b, y.b)}; }
ACCUBLAS_INLINE Eight high_pairs(Eight x, Eight y) { return {vzip2q_u32(x.a, y.a), vzip2q_u32(x.b, y.b)}; }
ACCUBLAS_INLINE Eight low_fours(Eight x, Eight y) {
  const V p = lanes(x.a, x.b), q = lanes(y.a, y.b);
  return words({vzip1q_u64(p.a, q.a), vzip1q_u64(p.b, q.b)});
}
ACCUBLAS_INLINE Eight high_fours(Eight x, Eight y) {
  const V p = lanes(x.a, x.b), q = lanes(y.a, y.b);
  return words({vzip2q_u64(p.a, q.a), vzip2q_u64(p.b, q.b)});
}
ACCUBLAS_INLINE Eight lower_halves(Eight x, Eight y) { return {x.a, y.a}; }
ACCUBLAS_INLINE Eight upper_halves(Eight x, Eight y) { return {x.b, y.b}; }
ACCUBLAS_INLINE Eight window_31(Eight low, Eight high, int bit) {
  const int32x4_t down = vdupq_n_s32(-bit), up = vdupq_n_s32(32 - bit);
  const uint32x4_t mask = vdupq_n_u32(0x7FFFFFFF);
  return {(vshlq_u32(low.a, down) | vshlq_u32(high.a, up)) & mask,
          (vshlq_u32(low.b, down) | vshlq_u32(high.b, up)) & mask};
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
