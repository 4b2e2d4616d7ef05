// The loops of lib/mp/kernels/mp_byte_kernels.hpp, compiled for every instruction set. They work on short arrays in
// first-level cache, one number format at a time, because compilers vectorize such loops well.
#include "lib/mp/kernels/mp_byte_kernels.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr std::int64_t run = mp_byte_outputs;  ///< elements at a time

constexpr double radix = mp_digit_radix;

/// 1.5 2^52: adding and subtracting it rounds a double below 2^51 to an integer.
constexpr double rounder = 6755399441055744.0;

/// Returns v modulo p in -p/2 .. p/2 for an integer abs(v) < 2^51.
inline double balanced(double v, double p, double inverse) { return v - ((v * inverse + rounder) - rounder) * p; }

/// Adds p to negative residues, without a branch.
inline void make_positive(std::int32_t* residue, std::int64_t count, std::int32_t p) {
  for (std::int64_t e = 0; e < count; ++e) residue[e] += residue[e] >> 31 & p;
}

/// Splits residues of one format into the bytes of one or three planes.
template <bool Signed>
void write_planes(const std::int32_t* residue, std::int64_t count, int planes, std::uint8_t* const* plane,
                  std::int64_t at) {
  if (planes == 1) {
    std::uint8_t* const out = plane[0] + at;
    for (std::int64_t e = 0; e < count; ++e) out[e] = static_cast<std::uint8_t>(residue[e]);
    return;
  }
  std::uint8_t *const high = plane[0] + at, *const low = plane[1] + at, *const both = plane[2] + at;
  constexpr std::int32_t half = Signed ? mp_digit_radix / 2 : 0;
  std::int32_t upper[run], lower[run];
  for (std::int64_t e = 0; e < count; ++e) {
    upper[e] = (residue[e] + half) >> mp_digit_bits;
    lower[e] = residue[e] - upper[e] * mp_digit_radix;
  }
  for (std::int64_t e = 0; e < count; ++e) high[e] = static_cast<std::uint8_t>(upper[e]);
  for (std::int64_t e = 0; e < count; ++e) low[e] = static_cast<std::uint8_t>(lower[e]);
  for (std::int64_t e = 0; e < count; ++e) both[e] = static_cast<std::uint8_t>(upper[e] + lower[e]);
}

void split(const MpByteSplit& s) {
  const double p = s.modulus.p, inverse = s.modulus.inverse, offset = s.offset;
  std::int32_t residue[run];
  for (std::int64_t at = 0; at < s.elements; at += run) {
    const std::int64_t count = s.elements - at < run ? s.elements - at : run;
    const std::int32_t* const low = s.low + at;
    const double* const sign = s.sign + at;
    if (s.high) {
      const std::int32_t* const high = s.high + at;
      for (std::int64_t e = 0; e < count; ++e)
        residue[e] = static_cast<std::int32_t>(balanced(
            (static_cast<double>(low[e]) + radix * static_cast<double>(high[e]) + offset) * sign[e], p, inverse));
    } else {
      for (std::int64_t e = 0; e < count; ++e)
        residue[e] = static_cast<std::int32_t>(balanced((static_cast<double>(low[e]) + offset) * sign[e], p, inverse));
    }
    const int planes = s.high ? 3 : 1;
    if (s.is_signed) {
      write_planes<true>(residue, count, planes, s.plane, at);
      continue;
    }
    make_positive(residue, count, s.modulus.p);
    write_planes<false>(residue, count, planes, s.plane, at);
  }
}

void reduce(const MpByteReduce& t) {
  const double p = t.modulus.p, inverse = t.modulus.inverse, cofactor = t.modulus.cofactor;
  std::int32_t residue[run];
  for (std::int64_t r = 0; r < t.rows; ++r)
    for (std::int64_t at = 0; at < t.columns; at += run) {
      const std::int64_t count = t.columns - at < run ? t.columns - at : run, first = r * t.sum_stride + at;
      const std::int32_t* const s0 = t.sum[0] + first;
      if (t.digits) {
        const std::int32_t *const s1 = t.sum[1] + first, *const s2 = t.sum[2] + first;
        for (std::int64_t e = 0; e < count; ++e) {
          const double v = radix * (radix - 1) * static_cast<double>(s0[e]) - (radix - 1) * static_cast<double>(s1[e]) +
                           radix * static_cast<double>(s2[e]);
          residue[e] = static_cast<std::int32_t>(balanced(balanced(v, p, inverse) * cofactor, p, inverse));
        }
      } else {
        for (std::int64_t e = 0; e < count; ++e)
          residue[e] = static_cast<std::int32_t>(
              balanced(balanced(static_cast<double>(s0[e]), p, inverse) * cofactor, p, inverse));
      }
      make_positive(residue, count, t.modulus.p);
      std::uint16_t* const out = t.out + r * t.out_stride + at;
      for (std::int64_t e = 0; e < count; ++e) out[e] = static_cast<std::uint16_t>(residue[e]);
    }
}

void digits(const MpByteDigits& c) {
  double fraction[run];
  std::uint32_t digit[run];
  for (std::int64_t e = 0; e < c.elements; ++e) fraction[e] = 0;
  for (int g = 0; g < c.groups; ++g) {
    for (std::int64_t e = 0; e < c.elements; ++e) digit[e] = 0;
    for (int k = c.group[g].first; k < c.group[g].first + c.group[g].count; ++k) {
      const std::uint16_t* const d = c.d + k * c.d_stride;
      const double inverse = c.modulus[k].inverse;
      const std::uint32_t factor = static_cast<std::uint32_t>(c.modulus[k].of_group);
      for (std::int64_t e = 0; e < c.elements; ++e) {
        digit[e] += factor * d[e];
        fraction[e] += static_cast<double>(d[e]) * inverse;
      }
    }
    std::uint32_t* const out = c.digit + g * c.digit_stride;
    for (std::int64_t e = 0; e < c.elements; ++e) out[e] = digit[e];
  }
  std::uint32_t* const quotient = c.digit + c.groups * c.digit_stride;
  for (std::int64_t e = 0; e < c.elements; ++e)
    quotient[e] = static_cast<std::uint32_t>(static_cast<std::int32_t>((fraction[e] + rounder) - rounder));
}

}  // namespace

template <>
const MpByteKernels& kernels<MpByteKernels>() {
  static constexpr MpByteKernels table = {split, reduce, digits};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
