// The leading 112 bits of sums from their residues, and their rounding in a few double-precision operations: what
// decides nearly every element. Device code; the twins are crt_reconstruct and finish_within.
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
  alignas(16) int weight[(max_moduli + 3) / 4 * 2][leading_digits + 1];
  int product[leading_digits];
  float quotient[3];
  int exponent;   ///< of digit 0 of the leading ones
  bool complete;  ///< no digits stand below
};

/// By all threads of a block, which then has to synchronise.
__device__ inline void load_leading_table(const CrtTable& crt, LeadingTable& t) {
  const int low = crt.digits - leading_digits;
  constexpr int pairs = (max_moduli + 3) / 4 * 2;
  for (int i = threadIdx.x; i < pairs * leading_digits; i += blockDim.x) {
    const int pair = i / leading_digits, d = i % leading_digits, l = 2 * pair;
    const int one = l < crt.count ? crt.weight_digit[low + d][l] : 0,
              other = l + 1 < crt.count ? crt.weight_digit[low + d][l + 1] : 0;
    t.weight[pair][d] = (one & 0xFFFF) | other << 16;
  }
  if (threadIdx.x < leading_digits) t.product[threadIdx.x] = crt.product_digit[low + threadIdx.x];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 3; ++i) t.quotient[i] = crt.quotient[i];
    t.exponent = crt.unit_exponent + 16 * low;
    t.complete = low == 0;
  }
}

/// The digits' sums of four neighbouring elements.
struct DigitSums {
  int digit[4][leading_digits];
};

/// Adds 4 Groups moduli from the pair `pair` on. Planes beyond the last modulus, whose weights are zero, are read as
/// the last.
template <int Groups>
__device__ inline void add_groups(const LeadingTable& t, int pair, const std::int8_t* planes, unsigned offset,
                                  Index plane, int moduli, DigitSums& s) {
  unsigned bytes[Groups][4];
#pragma unroll
  for (int l = 0; l < 4 * Groups; ++l) {
    bytes[l / 4][l % 4] = *reinterpret_cast<const unsigned*>(planes + offset);
    planes += l + 1 <= 4 * Groups - 4 || 2 * pair + l + 1 < moduli ? plane : 0;
  }
#pragma unroll
  for (int group = 0; group < Groups; ++group) {
    transpose_bytes(bytes[group]);
#pragma unroll
    for (int d = 0; d < leading_digits; ++d) {
      const int low = t.weight[pair + 2 * group][d], high = t.weight[pair + 2 * group + 1][d];
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int residues = static_cast<int>(bytes[group][e]);
        s.digit[e][d] = add_products_high(high, residues, add_products_low(low, residues, s.digit[e][d]));
      }
    }
  }
}

/// sum_l r_l weight_l in digits, of the four columns at planes + offset, a multiple of 4; `planes` is the same for all
/// threads.
__device__ inline DigitSums digit_sums(const LeadingTable& t, const std::int8_t* planes, unsigned offset, Index plane,
                                       int moduli) {
  DigitSums s{};
  int pair = 0, groups = (moduli + 3) / 4;
  for (; groups >= 4; groups -= 4, pair += 8, planes += 16 * plane)
    add_groups<4>(t, pair, planes, offset, plane, moduli, s);
  if (groups == 3) add_groups<3>(t, pair, planes, offset, plane, moduli, s);
  if (groups == 2) add_groups<2>(t, pair, planes, offset, plane, moduli, s);
  if (groups == 1) add_groups<1>(t, pair, planes, offset, plane, moduli, s);
  return s;
}

/// S = (head + tail + rest) 2^(exponent + 64) with head = RN(head + tail), abs(tail) <= 2^11, a multiple of 2^-40, and
/// abs(rest) <= 2^-40. Where `complete`, an odd last bit of tail says that rest is not zero, so that head + tail rounds
/// as S does if abs(head) >= 2^16; else rest has at most 2^-51 more, of the digits below.
struct LeadingSum {
  double head, tail;
  unsigned bits;  ///< zero if all of the 112 bits are
};

/// abs of every digit's sum is below 49 128 2^15 + 2^12 2^15 < 2^28.
__device__ inline LeadingSum leading_sum(const LeadingTable& t, const int (&sums)[leading_digits]) {
  // The quotient by P from the three leading digits: they stand for S + q P up to 2^-18 P, and the roundings of single
  // precision, on terms of at most 2^13, add 2^-8: S / P is farther than that from a half (crt_margin).
  float f = __fmul_rn(__int2float_rn(sums[6]), t.quotient[0]);
  f = __fmaf_rn(__int2float_rn(sums[5]), t.quotient[1], f);
  f = __fmaf_rn(__int2float_rn(sums[4]), t.quotient[2], f);
  const int minus_q = __float_as_int(__fsub_rn(0x1.8p23f, f)) - 0x4B400000;
  int s[leading_digits];
#pragma unroll
  for (int d = 0; d < leading_digits; ++d) s[d] = sums[d] + minus_q * t.product[d];
#pragma unroll
  for (int d = 1; d < leading_digits; ++d) s[d] += s[d - 1] >> 16;
  const unsigned w0 = __byte_perm(s[0], s[1], 0x5410), w1 = __byte_perm(s[2], s[3], 0x5410),
                 w2 = __byte_perm(s[4], s[5], 0x5410);
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
  r.bits = w0 | w1 | w2 | static_cast<unsigned>(s[6]);
  return r;
}

/// 2^e, abs(e) <= 1022.
__device__ inline double power_of_two(int e) { return __hiloint2double((1023 + e) << 20, 0); }

/// 2^low < abs(x) < 2^high or so, not NaN.
__device__ inline bool within(double x, int low, int high) {
  const unsigned exponent = static_cast<unsigned>(__double2hiint(x)) >> 20 & 0x7FF;
  return exponent - static_cast<unsigned>(1023 + low) < static_cast<unsigned>(high - low);
}

/// The value v of type T that every number of scale [head + tail - bound, head + tail + bound] rounds to, scale =
/// +-2^i; false if there is no such v, or the bound is not a number. The double results before scaling and after it are
/// normal.
template <class T>
__device__ inline bool round_between(double head, double tail, double bound, double scale, T* out) {
  if constexpr (sizeof(T) == 8) {
    const double above = __dadd_rn(head, __dadd_rn(tail, bound));
    *out = __dmul_rn(above, scale);
    return __dadd_rn(head, __dsub_rn(tail, bound)) == above;
  } else {
    // Two roundings, to double and to single precision, are one where the interval has another unit of double on both
    // sides.
    const double wider = __fma_rn(fabs(head), 0x1p-51, bound);
    const T below = static_cast<T>(__dmul_rn(__dadd_rn(head, __dsub_rn(tail, wider)), scale));
    *out = static_cast<T>(__dmul_rn(__dadd_rn(head, __dadd_rn(tail, wider)), scale));
    return to_bits(below) == to_bits(*out) && !is_nan(*out);
  }
}

#endif

}  // namespace accublas::cuda
