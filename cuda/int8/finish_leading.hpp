// Rounding by the leading bits of a sum, in a few double-precision operations: what decides nearly every element.
// Device code; the twin is finish_within.
#pragma once

#include "cuda/exact/round_between.hpp"
#include "cuda/int8/finish_sums.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// S = (head + tail + rest) 2^(exponent + 64): head is an integer below 2^47 in magnitude, 0 <= tail <= 1 a multiple of
/// 2^-40, abs(rest) <= leading_slack. (In batches of small matrices head is at most 2^53, tail is a multiple of 2^-48,
/// and rest is zero.) Where the pairs hold all of S, an odd last bit of tail says that rest is not zero: then head +
/// tail rounds as S does if abs(head) >= 2^16, and is zero only if S is.
struct LeadingPart {
  double head, tail;
};
/// With up to 16 planes the rest is what is below the last bit of tail, 2^-40, and at most 2^-50 of the digits beyond
/// the table; else the lowest pair is left out too, whose sums are below 2^28.6. That, and the roundings of tail -
/// bound and tail + bound, is a part of every bound.
template <bool Narrow>
constexpr double leading_slack = Narrow ? 0x1p-35 : 0x1p-39;

/// S by its leading bits: s 2^32 + word[2], and below word[1] and word[0]; -2^15 <= s < 2^15.
struct LeadingWords {
  int s;
  unsigned word[3];
};
/// From the sums of a column, those of the pairs from `Low` on: every pair's is below 257 64 128^2 < 2^28.1.
template <int Low, int Later>
__device__ __forceinline__ LeadingWords leading_words(const LeadingWeights<Later>& w,
                                                      const int (&pair)[leading_pairs]) {
  // The quotient by P >= 2^103 from the two leading pairs in units of 2^96: with what is below they stand for S + q P
  // up to 1.07 units and so to 0.0084 P, and single precision, on quotients below 2^12, adds 2^-11: S / P is farther
  // than that from a half, by 0.015 (crt_margin).
  const float leading = __int2float_rn(pair[6] + (pair[5] >> 16));
  const int minus_q = __float_as_int(__fmaf_rn(leading, w.minus_quotient, 0x1.8p23f)) - 0x4B400000;
  int s[leading_pairs];
#pragma unroll
  for (int j = Low; j < leading_pairs; ++j) s[j] = pair[j] + minus_q * w.product[j];
#pragma unroll
  for (int j = Low + 1; j < leading_pairs; ++j) s[j] += s[j - 1] >> 16;
  return {s[6],
          {Low > 0 ? static_cast<unsigned>(s[1]) << 16 : __byte_perm(s[0], s[1], 0x5410),
           __byte_perm(s[2], s[3], 0x5410), __byte_perm(s[4], s[5], 0x5410)}};
}
/// s 2^32 + word[2].
__device__ __forceinline__ double leading_head(const LeadingWords& w) {
  // Above 2^52 + 2^47.
  return __dsub_rn(__hiloint2double(0x43308000 + w.s, static_cast<int>(w.word[2])), 0x1.08p52);
}
template <bool Narrow, int Later>
__device__ __forceinline__ LeadingPart leading_part(const LeadingWeights<Later>& weights,
                                                    const int (&pair)[leading_pairs]) {
  const LeadingWords w = leading_words<first_pair<Narrow>>(weights, pair);
  // 40 bits of the lower words, the last one sticky, above 2^12 in units of 2^-40.
  unsigned below = __funnelshift_r(w.word[0], w.word[1], 24);
  if (!Narrow) below |= static_cast<unsigned>((w.word[0] & 0xFFFFFF) != 0);
  return {leading_head(w),
          __dsub_rn(__hiloint2double(static_cast<int>(0x40B00000 | w.word[1] >> 24), static_cast<int>(below)), 0x1p12)};
}

/// Computes the leading words from all pairs. Here tail is a multiple of 2^-52 and abs(rest) <= fine_slack: what is
/// below that, and at most 2^-50 of the digits beyond the table.
inline constexpr double fine_slack = 0x1p-49;
template <int Later>
__device__ __forceinline__ LeadingPart fine_part(const LeadingWeights<Later>& weights,
                                                 const int (&pair)[leading_pairs]) {
  const LeadingWords w = leading_words<0>(weights, pair);
  const auto below = static_cast<int>(__funnelshift_r(w.word[0], w.word[1], 12));
  return {leading_head(w), __dsub_rn(__hiloint2double(static_cast<int>(0x3FF00000 | w.word[1] >> 12), below), 1)};
}

/// round_between for head + tail itself.
template <class T>
__device__ __forceinline__ T round_exactly(double head, double tail, unsigned scale) {
  if constexpr (sizeof(T) == 8) {
    return scaled(__dadd_rn(head, tail), scale);
  } else {
    // Rounded to odd in double precision: the second rounding then sees what the first one dropped.
    const double sum = __dadd_rz(head, tail);
    const unsigned lost = __dsub_rn(sum, head) != tail;
    return static_cast<T>(scaled(__hiloint2double(__double2hiint(sum), static_cast<int>(low_word(sum) | lost)), scale));
  }
}

/// RN(+-2^e (sum +- bound)), `scale` as for scaled(), abs(e) <= 800; bound = 0, and always where `Exact`: the sum is
/// all there. False where that is not one number.
template <class T, bool Exact>
__device__ __forceinline__ bool round_power_of_two(const LeadingPart& sum, double bound, unsigned scale, T* out) {
  bool good = true;
  if constexpr (Exact) {
    *out = round_exactly<T>(sum.head, sum.tail, scale);
  } else {
    good = round_between(sum.head, sum.tail, bound, scale, out);
  }
  // The tail's last bit tells what is below it only to a head of 2^16 or more; high words order like floats.
  if (!(fabsf(__int_as_float(__double2hiint(sum.head))) >= __int_as_float((1023 + 16) << 20))) {
    good = sum.head == 0 && sum.tail == 0 && (Exact || bound == 0);
    *out = T(0);
  }
  return good;
}

/// RN(alpha 2^shift (sum +- bound) + beta c), abs(shift) <= 800, by products and sums of pairs of doubles: the error of
/// some ten roundings of terms of 2^-53 is far below 2^-100 times the operands, but for that of alpha tail, which the
/// leading_slack in bound covers. False where it does not decide.
template <class T>
__device__ __forceinline__ bool round_general(T alpha, T beta, const LeadingPart& sum, double bound, int shift, T c,
                                              T* out) {
  const double scale = power_of_two(shift), head = __dmul_rn(sum.head, scale), tail = __dmul_rn(sum.tail, scale);
  const double a = alpha, p = __dmul_rn(a, head), p_low = __fma_rn(a, tail, __fma_rn(a, head, -p));
  // Errors of products must be exact, or there is no product.
  bool good = within(p, -900, 1000);
  double q = 0, q_low = 0;
  if (!is_zero(beta)) {
    const double b = beta, addend = c;
    q = __dmul_rn(b, addend);
    q_low = __fma_rn(b, addend, -q);
    good = good && (within(q, -900, 1000) || is_zero(c));
  }
  const double s = __dadd_rn(p, q), z = __dsub_rn(s, p);
  const double low = __dadd_rn(__dsub_rn(p, __dsub_rn(s, z)), __dsub_rn(q, z));
  const double slack = __fma_rn(__dadd_rn(fabs(p), fabs(q)), 0x1p-100, __dmul_rn(fabs(a), __dmul_rn(bound, scale)));
  good = round_between(s, __dadd_rn(low, __dadd_rn(p_low, q_low)), slack, 0, out) && good;
  return good && !is_zero(*out);
}

#endif

}  // namespace accublas::cuda
