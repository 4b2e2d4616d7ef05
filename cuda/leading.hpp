// The leading 112 bits of sums from their residues, and their rounding in a few double-precision operations: what decides
// nearly every element. Device code; the twins are crt_reconstruct and finish_within.
#pragma once

#include "cuda/crt_tables.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// sum + the products of two signed 16-bit numbers with bytes 0 and 1 (2 and 3) of `bytes`, all signed.
__device__ inline int add_products_low(int pair, int bytes, int sum) { return __dp2a_lo(pair, bytes, sum); }
__device__ inline int add_products_high(int pair, int bytes, int sum) { return __dp2a_hi(pair, bytes, sum); }

/// Byte j of the four words, as word j.
__device__ inline void transpose_bytes(unsigned (&x)[4]) {
  const unsigned a = __byte_perm(x[0], x[1], 0x5140), b = __byte_perm(x[2], x[3], 0x5140);
  const unsigned c = __byte_perm(x[0], x[1], 0x7362), d = __byte_perm(x[2], x[3], 0x7362);
  x[0] = __byte_perm(a, b, 0x5410);
  x[1] = __byte_perm(a, b, 0x7632);
  x[2] = __byte_perm(c, d, 0x5410);
  x[3] = __byte_perm(c, d, 0x7632);
}

/// What a block keeps of a CrtTable: the digits of its upper end.
inline constexpr int leading_digits = 7;
struct LeadingTable {
  /// Digit d of a pair of moduli's weights in halves of weight[pair][d]; zero beyond the moduli.
  int weight[(max_moduli + 3) / 4 * 2][leading_digits + 1];
  int product[leading_digits];
  float quotient[3];
  int moduli;
  int exponent;   ///< of digit 0 of the leading ones
  bool complete;  ///< no digits stand below
};

/// By all threads of a block, which then has to synchronise.
__device__ inline void load_leading_table(const CrtTable& crt, LeadingTable& t) {
  const int low = crt.digits - leading_digits;
  constexpr int pairs = (max_moduli + 3) / 4 * 2;
  for (int i = threadIdx.x; i < pairs * leading_digits; i += blockDim.x) {
    const int pair = i / leading_digits, d = i % leading_digits, l = 2 * pair;
    const int one = l < crt.count ? crt.weight_digit[low + d][l] : 0, other = l + 1 < crt.count ? crt.weight_digit[low + d][l + 1] : 0;
    t.weight[pair][d] = (one & 0xFFFF) | other << 16;
  }
  if (threadIdx.x < leading_digits) t.product[threadIdx.x] = crt.product_digit[low + threadIdx.x];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 3; ++i) t.quotient[i] = crt.quotient[i];
    t.moduli = crt.count;
    t.exponent = crt.unit_exponent + 16 * low;
    t.complete = low == 0;
  }
}

/// The digits' sums of four neighbouring elements.
struct DigitSums {
  int digit[4][leading_digits];
};

/// Four columns of the planes: sum_l r_l weight_l in digits. `at` is a multiple of 4.
__device__ inline DigitSums digit_sums(const LeadingTable& t, const std::int8_t* at, Index plane) {
  constexpr int batch = 16;  // loads in flight
  DigitSums s{};
  for (int first = 0; first < t.moduli; first += batch) {
    unsigned bytes[batch / 4][4];
#pragma unroll
    for (int l = 0; l < batch; ++l)
      bytes[l / 4][l % 4] = first + l < t.moduli ? __ldcs(reinterpret_cast<const unsigned*>(at + (first + l) * plane)) : 0;
#pragma unroll
    for (int group = 0; group < batch / 4; ++group) {
      if (first + 4 * group >= t.moduli) break;
      transpose_bytes(bytes[group]);
      const int pair = first / 2 + 2 * group;
#pragma unroll
      for (int d = 0; d < leading_digits; ++d) {
        const int low = t.weight[pair][d], high = t.weight[pair + 1][d];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int residues = static_cast<int>(bytes[group][e]);
          s.digit[e][d] = add_products_high(high, residues, add_products_low(low, residues, s.digit[e][d]));
        }
      }
    }
  }
  return s;
}

/// S = (head + tail + rest) 2^(exponent + 64) with head = RN(head + tail), abs(tail) <= 2^11, a multiple of 2^-40, and
/// abs(rest) <= 2^-40. Where `complete`, an odd last bit of tail says that rest is not zero, so that head + tail rounds as S does
/// if abs(head) >= 2^16; else rest has at most 2^-51 more, of the digits below.
struct LeadingSum {
  double head, tail;
  bool zero;  ///< all of the 112 bits
};

/// abs of every digit's sum is below 49 128 2^15 + 2^12 2^15 < 2^28.
__device__ inline LeadingSum leading_sum(const LeadingTable& t, const int (&sums)[leading_digits]) {
  // The quotient by P from the three leading digits: they stand for S + q P up to 2^-18 P, and the roundings of single precision,
  // on terms of at most 2^13, add 2^-8: S / P is farther than that from a half (crt_margin).
  float f = __fmul_rn(__int2float_rn(sums[6]), t.quotient[0]);
  f = __fmaf_rn(__int2float_rn(sums[5]), t.quotient[1], f);
  f = __fmaf_rn(__int2float_rn(sums[4]), t.quotient[2], f);
  const int minus_q = __float_as_int(__fsub_rn(0x1.8p23f, f)) - 0x4B400000;
  int s[leading_digits];
#pragma unroll
  for (int d = 0; d < leading_digits; ++d) s[d] = sums[d] + minus_q * t.product[d];
#pragma unroll
  for (int d = 1; d < leading_digits; ++d) s[d] += s[d - 1] >> 16;
  const unsigned w0 = __byte_perm(s[0], s[1], 0x5410), w1 = __byte_perm(s[2], s[3], 0x5410), w2 = __byte_perm(s[4], s[5], 0x5410);
  // w3 2^32 + w2 as two doubles, by adding 2^84 + 2^63 and 2^52 on bits.
  const double high = __dsub_rn(__hiloint2double(0x45300000, s[6] ^ static_cast<int>(0x80000000)), 0x1.000008p84);
  const double low = __dsub_rn(__hiloint2double(0x43300000, static_cast<int>(w2)), 0x1p52);
  LeadingSum r;
  r.head = __dadd_rn(high, low);
  const double lost = __dsub_rn(low, __dsub_rn(r.head, high));  // exact: high is zero or the larger
  // 40 bits of w1 and w0, the last one sticky, above 2^12 in units of 2^-40.
  const unsigned below = __funnelshift_r(w0, w1, 24) | static_cast<unsigned>((w0 & 0xFFFFFF) != 0);
  const double fraction = __hiloint2double(static_cast<int>(0x40B00000 | w1 >> 24), static_cast<int>(below));
  r.tail = __dadd_rn(__dsub_rn(lost, 0x1p12), fraction);
  r.zero = (w0 | w1 | w2 | static_cast<unsigned>(s[6])) == 0;
  return r;
}

/// 2^e, abs(e) <= 1022.
__device__ inline double power_of_two(int e) { return __hiloint2double((1023 + e) << 20, 0); }

/// The value v of type T that every number of [head + tail - bound, head + tail + bound] rounds to; false if there is no such v.
/// abs(tail) and bound are at most 2^-40 abs(head) or so where it is true; head is normal and far from both ends of doubles.
template <class T>
__device__ bool round_between(double head, double tail, double bound, T* out) {
  // Two roundings, to double and to single precision, are one where the interval has another unit of double on both sides.
  if (sizeof(T) == 4) bound = __fma_rn(fabs(head), 0x1p-51, bound);
  const T below = static_cast<T>(__dadd_rn(head, __dsub_rn(tail, bound)));
  *out = static_cast<T>(__dadd_rn(head, __dadd_rn(tail, bound)));
  return to_bits(below) == to_bits(*out) && bound < 0x1p1000;
}

#endif

}  // namespace accublas::cuda
