// The vectors of int8_vector.hpp with NEON, for conversion and reconstruction: 64 bytes in four registers, so that
// their algorithms are those of AVX-512. Masks are registers too, all ones in the lanes that they have. Only
// int8_vector.hpp includes this file.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "lib/cpu/kernels/intrinsics.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

template <class Register>
struct Four {
  Register a, b, c, d;
};
/// Returns f of the first registers, the second ones, and so on.
template <class F, class... Vectors>
ACCUBLAS_INLINE auto each(F f, const Vectors&... v) {
  return Four<decltype(f(v.a...))>{f(v.a...), f(v.b...), f(v.c...), f(v.d...)};
}
template <class R>
ACCUBLAS_INLINE Four<R> operator+(const Four<R>& x, const Four<R>& y) {
  return {x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d};
}
template <class R>
ACCUBLAS_INLINE Four<R> operator-(const Four<R>& x, const Four<R>& y) {
  return {x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d};
}
template <class R>
ACCUBLAS_INLINE Four<R> operator*(const Four<R>& x, const Four<R>& y) {
  return {x.a * y.a, x.b * y.b, x.c * y.c, x.d * y.d};
}
template <class R>
ACCUBLAS_INLINE Four<R> operator&(const Four<R>& x, const Four<R>& y) {
  return {x.a & y.a, x.b & y.b, x.c & y.c, x.d & y.d};
}
template <class R>
ACCUBLAS_INLINE Four<R> operator|(const Four<R>& x, const Four<R>& y) {
  return {x.a | y.a, x.b | y.b, x.c | y.c, x.d | y.d};
}
template <class R>
ACCUBLAS_INLINE Four<R> operator^(const Four<R>& x, const Four<R>& y) {
  return {x.a ^ y.a, x.b ^ y.b, x.c ^ y.c, x.d ^ y.d};
}
template <class R>
ACCUBLAS_INLINE Four<R> operator<<(const Four<R>& x, int bits) {
  return {x.a << bits, x.b << bits, x.c << bits, x.d << bits};
}

using Doubles = Four<float64x2_t>;
using Integers64 = Four<uint64x2_t>;
using Integers32 = Four<uint32x4_t>;
using Words16 = Four<uint16x8_t>;
using Floats = Four<float32x4_t>;
constexpr int W = 8;

/// The low words of 16 lanes, and their high words.
struct Pairs {
  int16x8_t low[2], high[2];
};

/// The lowest words of 8 lanes, and their lowest bytes.
ACCUBLAS_INLINE uint16x8_t narrowed_words(const Integers64& v) {
  const uint32x4_t lower = vuzp1q_u32(vreinterpretq_u32_u64(v.a), vreinterpretq_u32_u64(v.b)),
                   upper = vuzp1q_u32(vreinterpretq_u32_u64(v.c), vreinterpretq_u32_u64(v.d));
  return vuzp1q_u16(vreinterpretq_u16_u32(lower), vreinterpretq_u16_u32(upper));
}
ACCUBLAS_INLINE uint8x8_t narrowed_bytes(const Integers64& v) { return vmovn_u16(narrowed_words(v)); }

/// A bit a lane where it is made or read as a number, the first lane's lowest.
class Mask {
 public:
  Mask() = default;
  Mask(const Integers64& all) : all_(all) {}
  Mask(unsigned bits) {
    const uint64x2_t x = vdupq_n_u64(bits);
    all_ = {vtstq_u64(x, uint64x2_t{1, 2}), vtstq_u64(x, uint64x2_t{4, 8}), vtstq_u64(x, uint64x2_t{16, 32}),
            vtstq_u64(x, uint64x2_t{64, 128})};
  }
  Mask(int bits) : Mask(static_cast<unsigned>(bits)) {}
  explicit operator unsigned() const {
    constexpr uint8x8_t bit_of = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddv_u8(vand_u8(narrowed_bytes(all_), bit_of));
  }
  explicit operator std::uint64_t() const { return static_cast<unsigned>(*this); }
  const Integers64& all() const { return all_; }

 private:
  Integers64 all_;
};
ACCUBLAS_INLINE Mask operator&(const Mask& x, const Mask& y) { return x.all() & y.all(); }
ACCUBLAS_INLINE Mask operator|(const Mask& x, const Mask& y) { return x.all() | y.all(); }
ACCUBLAS_INLINE Mask operator~(const Mask& x) { return Integers64{~x.all().a, ~x.all().b, ~x.all().c, ~x.all().d}; }
ACCUBLAS_INLINE Mask& operator&=(Mask& x, const Mask& y) { return x = x & y; }
ACCUBLAS_INLINE Mask& operator|=(Mask& x, const Mask& y) { return x = x | y; }
/// Whether the mask has a lane, for a comparison with 0.
ACCUBLAS_INLINE bool operator!=(const Mask& x, int) {
  return vmaxvq_u32(vreinterpretq_u32_u64((x.all().a | x.all().b) | (x.all().c | x.all().d))) != 0;
}
ACCUBLAS_INLINE bool operator==(const Mask& x, int none) { return !(x != none); }
using Mask16 = Four<uint32x4_t>;

ACCUBLAS_INLINE Integers64 as_bits(const Doubles& v) { return each(vreinterpretq_u64_f64, v); }
ACCUBLAS_INLINE Integers32 as_bits(const Floats& v) { return each(vreinterpretq_u32_f32, v); }
ACCUBLAS_INLINE Doubles as_double(const Integers64& v) { return each(vreinterpretq_f64_u64, v); }

ACCUBLAS_INLINE Doubles splat(double x) {
  const float64x2_t v = vdupq_n_f64(x);
  return {v, v, v, v};
}
ACCUBLAS_INLINE Floats splat(float x) {
  const float32x4_t v = vdupq_n_f32(x);
  return {v, v, v, v};
}
ACCUBLAS_INLINE Doubles zero() { return splat(0.0); }
ACCUBLAS_INLINE Integers64 splat64(std::int64_t x) {
  const uint64x2_t v = vdupq_n_u64(static_cast<std::uint64_t>(x));
  return {v, v, v, v};
}
ACCUBLAS_INLINE Integers32 splat32(std::int32_t x) {
  const uint32x4_t v = vdupq_n_u32(static_cast<std::uint32_t>(x));
  return {v, v, v, v};
}
ACCUBLAS_INLINE Words16 splat16(std::int16_t x) {
  const uint16x8_t v = vdupq_n_u16(static_cast<std::uint16_t>(x));
  return {v, v, v, v};
}
ACCUBLAS_INLINE Doubles splat_halves(double lower, double upper) {
  const float64x2_t low = vdupq_n_f64(lower), high = vdupq_n_f64(upper);
  return {low, low, high, high};
}
ACCUBLAS_INLINE Pairs splat_pair(const std::int16_t* at) {
  const int16x8_t low = vdupq_n_s16(at[0]), high = vdupq_n_s16(at[1]);
  return {{low, low}, {high, high}};
}
ACCUBLAS_INLINE Pairs splat_low(std::int32_t x) {
  const int16x8_t low = vdupq_n_s16(static_cast<std::int16_t>(x)), none = vdupq_n_s16(0);
  return {{low, low}, {none, none}};
}
ACCUBLAS_INLINE Pairs low_pairs(const Integers32& v) {
  const int16x8_t none = vdupq_n_s16(0);
  return {{vreinterpretq_s16_u16(vuzp1q_u16(vreinterpretq_u16_u32(v.a), vreinterpretq_u16_u32(v.b))),
           vreinterpretq_s16_u16(vuzp1q_u16(vreinterpretq_u16_u32(v.c), vreinterpretq_u16_u32(v.d)))},
          {none, none}};
}

ACCUBLAS_INLINE Doubles load(const double* p) {
  return {vld1q_f64(p), vld1q_f64(p + 2), vld1q_f64(p + 4), vld1q_f64(p + 6)};
}
ACCUBLAS_INLINE Doubles load(const float* p) {
  const float32x4_t low = vld1q_f32(p), high = vld1q_f32(p + 4);
  return {vcvt_f64_f32(vget_low_f32(low)), vcvt_high_f64_f32(low), vcvt_f64_f32(vget_low_f32(high)),
          vcvt_high_f64_f32(high)};
}
ACCUBLAS_INLINE Doubles load_halves(const double* lower, const double* upper) {
  return {vld1q_f64(lower), vld1q_f64(lower + 2), vld1q_f64(upper), vld1q_f64(upper + 2)};
}
ACCUBLAS_INLINE Integers64 load_bits(const double* p) { return as_bits(load(p)); }
ACCUBLAS_INLINE Integers64 load_64(const std::int32_t* p) {
  const int32x4_t low = vld1q_s32(p), high = vld1q_s32(p + 4);
  return each(vreinterpretq_u64_s64, Four<int64x2_t>{vmovl_s32(vget_low_s32(low)), vmovl_high_s32(low),
                                                     vmovl_s32(vget_low_s32(high)), vmovl_high_s32(high)});
}
ACCUBLAS_INLINE Pairs load_pairs(const std::int8_t* low, const std::int8_t* high) {
  const int8x16_t x = vld1q_s8(low), y = vld1q_s8(high);
  return {{vmovl_s8(vget_low_s8(x)), vmovl_high_s8(x)}, {vmovl_s8(vget_low_s8(y)), vmovl_high_s8(y)}};
}
ACCUBLAS_INLINE void store(double* p, const Doubles& v) {
  vst1q_f64(p, v.a), vst1q_f64(p + 2, v.b), vst1q_f64(p + 4, v.c), vst1q_f64(p + 6, v.d);
}
ACCUBLAS_INLINE void store(float* p, const Doubles& v) {
  vst1q_f32(p, vcvt_high_f32_f64(vcvt_f32_f64(v.a), v.b)), vst1q_f32(p + 4, vcvt_high_f32_f64(vcvt_f32_f64(v.c), v.d));
}
template <class T>
ACCUBLAS_INLINE void store_where(const Mask& mask, T* p, const Doubles& v) {
  const unsigned lanes = static_cast<unsigned>(mask);
  if (lanes == 0xFF) return store(p, v);
  T x[W];
  store(x, v);
  for (int i = 0; i < W; ++i)
    if (lanes >> i & 1) p[i] = x[i];
}
ACCUBLAS_INLINE void store_bytes(void* p, const Integers64& v) {
  vst1_u8(static_cast<std::uint8_t*>(p), narrowed_bytes(v));
}
ACCUBLAS_INLINE void store_bytes(void* p, const Words16& v) {
  std::uint8_t* const to = static_cast<std::uint8_t*>(p);
  vst1q_u8(to, vuzp1q_u8(vreinterpretq_u8_u16(v.a), vreinterpretq_u8_u16(v.b)));
  vst1q_u8(to + 16, vuzp1q_u8(vreinterpretq_u8_u16(v.c), vreinterpretq_u8_u16(v.d)));
}
ACCUBLAS_INLINE uint8x8_t flags_of(const Mask& mask) { return vand_u8(narrowed_bytes(mask.all()), vdup_n_u8(1)); }
ACCUBLAS_INLINE void store_flags(std::uint8_t* p, const Mask& mask) { vst1_u8(p, flags_of(mask)); }
ACCUBLAS_INLINE Mask load_flags(const std::uint8_t* p) {
  constexpr uint8x8_t bit_of = {1, 2, 4, 8, 16, 32, 64, 128};
  return static_cast<unsigned>(vaddv_u8(vmul_u8(vld1_u8(p), bit_of)));
}
ACCUBLAS_INLINE Mask first_lanes(std::int64_t count) { return count >= W ? 0xFF : (1 << count) - 1; }
ACCUBLAS_INLINE int lanes_in(const Mask& mask) { return vaddv_u8(flags_of(mask)); }

ACCUBLAS_INLINE Mask equal(const Doubles& a, const Doubles& b) { return each(vceqq_f64, a, b); }
ACCUBLAS_INLINE Mask differing(const Doubles& a, const Doubles& b) { return ~equal(a, b); }
ACCUBLAS_INLINE Mask below(const Doubles& a, const Doubles& b) { return each(vcltq_f64, a, b); }
ACCUBLAS_INLINE Mask at_least(const Doubles& a, const Doubles& b) { return each(vcgeq_f64, a, b); }
ACCUBLAS_INLINE Mask equal(const Integers64& a, const Integers64& b) { return each(vceqq_u64, a, b); }
ACCUBLAS_INLINE Mask differing(const Integers64& a, const Integers64& b) { return ~equal(a, b); }
ACCUBLAS_INLINE Mask at_least(const Integers64& a, const Integers64& b) { return each(vcgeq_u64, a, b); }
ACCUBLAS_INLINE Mask sign_bit(const Integers64& a) {
  return each([](uint64x2_t x) { return vcltzq_s64(vreinterpretq_s64_u64(x)); }, a);
}
ACCUBLAS_INLINE Mask any_bit(const Integers64& a, const Integers64& b) { return each(vtstq_u64, a, b); }
ACCUBLAS_INLINE Mask16 any_bit(const Integers32& a, const Integers32& b) { return each(vtstq_u32, a, b); }
ACCUBLAS_INLINE Mask no_bit(const Integers64& a, const Integers64& b) { return ~any_bit(a, b); }
ACCUBLAS_INLINE Mask no_bit_where(const Mask& mask, const Integers64& a, const Integers64& b) {
  return mask & no_bit(a, b);
}
ACCUBLAS_INLINE Mask nonzero(const Integers64& a) { return any_bit(a, a); }
ACCUBLAS_INLINE Mask is_zero(const Integers64& a) { return each(vceqzq_u64, a); }

ACCUBLAS_INLINE Doubles where(const Mask& mask, const Doubles& yes, const Doubles& no) {
  return each(vbslq_f64, mask.all(), yes, no);
}
ACCUBLAS_INLINE Integers64 where(const Mask& mask, const Integers64& yes, const Integers64& no) {
  return each(vbslq_u64, mask.all(), yes, no);
}
ACCUBLAS_INLINE Integers64 where(const Mask& mask, const Integers64& yes) { return mask.all() & yes; }
ACCUBLAS_INLINE Integers32 where(const Mask16& mask, const Integers32& yes) { return mask & yes; }
ACCUBLAS_INLINE Integers64 add_where(const Mask& mask, const Integers64& a, const Integers64& b) {
  return a + where(mask, b);
}
ACCUBLAS_INLINE Integers64 sub_where(const Mask& mask, const Integers64& a, const Integers64& b) {
  return a - where(mask, b);
}

ACCUBLAS_INLINE Floats fma(const Floats& a, const Floats& b, const Floats& c) { return each(vfmaq_f32, c, a, b); }
ACCUBLAS_INLINE Doubles fma(const Doubles& a, const Doubles& b, const Doubles& c) { return each(vfmaq_f64, c, a, b); }
ACCUBLAS_INLINE Doubles fms(const Doubles& a, const Doubles& b, const Doubles& c) {
  return each([](auto x, auto y, auto z) { return vfmaq_f64(vnegq_f64(z), x, y); }, a, b, c);
}
ACCUBLAS_INLINE Doubles magnitude(const Doubles& a) { return each(vabsq_f64, a); }
ACCUBLAS_INLINE Doubles to_single(const Doubles& a) {
  return each([](float64x2_t x) { return vcvt_f64_f32(vcvt_f32_f64(x)); }, a);
}
ACCUBLAS_INLINE Doubles larger(const Doubles& a, const Doubles& b) { return where(~at_least(b, a), a, b); }
ACCUBLAS_INLINE Doubles smaller(const Doubles& a, const Doubles& b) { return where(below(a, b), a, b); }
ACCUBLAS_INLINE Integers64 larger(const Integers64& a, const Integers64& b) { return where(at_least(a, b), a, b); }
ACCUBLAS_INLINE Words16 smaller(const Words16& a, const Words16& b) { return each(vminq_u16, a, b); }
ACCUBLAS_INLINE Integers64 magnitude(const Integers64& a) {
  return each([](uint64x2_t x) { return vreinterpretq_u64_s64(vabsq_s64(vreinterpretq_s64_u64(x))); }, a);
}
template <int bits>
ACCUBLAS_INLINE Integers32 shifted_down(const Integers32& a) {
  return each([](uint32x4_t x) { return vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(x), bits)); }, a);
}
ACCUBLAS_INLINE Integers64 shifted(const Integers64& a, const Integers64& count) {
  return each(
      [](uint64x2_t x, uint64x2_t bits) {
        // The instruction reads a count of 8 bits.
        const int64x2_t n = vreinterpretq_s64_u64(bits), most = vdupq_n_s64(64), least = vdupq_n_s64(-64);
        const int64x2_t below = vbslq_s64(vcgtq_s64(n, most), most, n);
        return vreinterpretq_u64_s64(
            vshlq_s64(vreinterpretq_s64_u64(x), vbslq_s64(vcgtq_s64(least, below), least, below)));
      },
      a, count);
}
ACCUBLAS_INLINE Integers64 without(const Integers64& a, const Integers64& b) { return each(vbicq_u64, a, b); }
/// Four lanes of add_products: adds the products of the lower, or upper, halves of registers of words.
template <bool upper>
ACCUBLAS_INLINE uint32x4_t add_words(uint32x4_t sum, int16x8_t x, int16x8_t y) {
  const int32x4_t s = vreinterpretq_s32_u32(sum);
  return vreinterpretq_u32_s32(upper ? vmlal_high_s16(s, x, y) : vmlal_s16(s, vget_low_s16(x), vget_low_s16(y)));
}
ACCUBLAS_INLINE Integers32 add_products(const Integers32& sum, const Pairs& x, const Pairs& y) {
  return {add_words<false>(add_words<false>(sum.a, x.low[0], y.low[0]), x.high[0], y.high[0]),
          add_words<true>(add_words<true>(sum.b, x.low[0], y.low[0]), x.high[0], y.high[0]),
          add_words<false>(add_words<false>(sum.c, x.low[1], y.low[1]), x.high[1], y.high[1]),
          add_words<true>(add_words<true>(sum.d, x.low[1], y.low[1]), x.high[1], y.high[1])};
}

ACCUBLAS_INLINE Doubles nearest(const Doubles& v) { return each(vrndnq_f64, v); }
ACCUBLAS_INLINE Doubles ceiling(const Doubles& v) { return each(vrndpq_f64, v); }
ACCUBLAS_INLINE Integers64 nearest_integers(const Doubles& v) {
  return each([](float64x2_t x) { return vreinterpretq_u64_s64(vcvtnq_s64_f64(x)); }, v);
}
ACCUBLAS_INLINE Integers64 truncated_integers(const Doubles& v) {
  return each([](float64x2_t x) { return vreinterpretq_u64_s64(vcvtq_s64_f64(x)); }, v);
}
ACCUBLAS_INLINE Doubles to_doubles(const Integers64& v) {
  return each([](uint64x2_t x) { return vcvtq_f64_s64(vreinterpretq_s64_u64(x)); }, v);
}
ACCUBLAS_INLINE Doubles load_doubles(const std::int32_t* p) { return to_doubles(load_64(p)); }
ACCUBLAS_INLINE Floats to_floats(const Integers32& v) {
  return each([](uint32x4_t x) { return vcvtq_f32_s32(vreinterpretq_s32_u32(x)); }, v);
}

ACCUBLAS_INLINE double lane_sum(const Doubles& v) { return vpaddd_f64((v.a + v.b) + (v.c + v.d)); }
ACCUBLAS_INLINE double lane_min(const Doubles& v) {
  return vminvq_f64(vminq_f64(vminq_f64(v.a, v.b), vminq_f64(v.c, v.d)));
}
ACCUBLAS_INLINE std::uint64_t lane_max(const Integers64& v) {
  std::uint64_t most = 0;
  for (const uint64x2_t x : {v.a, v.b, v.c, v.d})
    for (const std::uint64_t lane : {x[0], x[1]}) most = lane > most ? lane : most;
  return most;
}

ACCUBLAS_INLINE Doubles even_lanes(const Doubles& a, const Doubles& b) { return each(vzip1q_f64, a, b); }
ACCUBLAS_INLINE Doubles odd_lanes(const Doubles& a, const Doubles& b) { return each(vzip2q_f64, a, b); }
ACCUBLAS_INLINE Doubles even_pairs(const Doubles& x, const Doubles& y) { return {x.a, y.a, x.c, y.c}; }
ACCUBLAS_INLINE Doubles odd_pairs(const Doubles& x, const Doubles& y) { return {x.b, y.b, x.d, y.d}; }
ACCUBLAS_INLINE Doubles lower_halves(const Doubles& x, const Doubles& y) { return {x.a, x.b, y.a, y.b}; }
ACCUBLAS_INLINE Doubles upper_halves(const Doubles& x, const Doubles& y) { return {x.c, x.d, y.c, y.d}; }

ACCUBLAS_INLINE Integers32 words_joined(const Integers32& low, const Integers32& high) {
  return each([](uint32x4_t x, uint32x4_t y) { return vsliq_n_u32(x, y, 16); }, low, high);
}
struct Integers64x2 {
  Integers64 first, second;
};
ACCUBLAS_INLINE Integers64x2 integers_joined(const Integers32& low, const Integers32& high) {
  const auto zipped = [](uint32x4_t x, uint32x4_t y, uint32x4_t x2, uint32x4_t y2) __attribute__((always_inline)) {
    return each(vreinterpretq_u64_u32,
                Four<uint32x4_t>{vzip1q_u32(x, y), vzip2q_u32(x, y), vzip1q_u32(x2, y2), vzip2q_u32(x2, y2)});
  };
  return {zipped(low.a, high.a, low.b, high.b), zipped(low.c, high.c, low.d, high.d)};
}
ACCUBLAS_INLINE Integers64x2 widened(const Integers32& v) { return integers_joined(v, splat32(0)); }
ACCUBLAS_INLINE Words16 low_words(const Integers64* v) {
  return {narrowed_words(v[0]), narrowed_words(v[1]), narrowed_words(v[2]), narrowed_words(v[3])};
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
