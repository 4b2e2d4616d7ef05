// From a sum of products of bytes to its residue: four operations on the device, one table for all moduli.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

/// What reduce() needs of a modulus.
struct Reduction {
  std::uint32_t weights;  ///< byte i: 256^i mod p, balanced, so at most p / 2
  std::int32_t start;     ///< bits of the float g p, where g p is the least multiple of p from 2^23 + 2^17
  float inverse;          ///< 1 / p
  std::int32_t p;
};

ACCUBLAS_HD constexpr Reduction make_reduction(int p) {
  Reduction r{};
  for (int i = 0; i < 4; ++i)
    r.weights |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(power_of_two_residue(8 * i, p))) << (8 * i);
  const int least = (1 << 23) + (1 << 17), multiple = (least + p - 1) / p * p;
  r.start = 0x4B000000 + (multiple - (1 << 23));
  r.inverse = 1.0f / static_cast<float>(p);
  r.p = p;
  return r;
}

struct ReductionTable {
  Reduction of[max_moduli];
};

ACCUBLAS_HD constexpr ReductionTable make_reductions() {
  const ModuliList list = moduli_list();
  ReductionTable table{};
  for (int l = 0; l < max_moduli; ++l) table.of[l] = make_reduction(list.p[l]);
  return table;
}

/// start + the sum of the four bytes of `sum`, each times its weight. Congruent to start + sum.
ACCUBLAS_HD inline std::int32_t weigh_bytes(std::uint32_t sum, std::uint32_t weights, std::int32_t start) {
#ifdef __CUDA_ARCH__
  std::int32_t result;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(sum), "r"(weights), "r"(start));
  return result;
#else
  for (int i = 0; i < 4; ++i)
    start += static_cast<std::uint8_t>(sum >> (8 * i)) * static_cast<std::int8_t>(weights >> (8 * i));
  return start;
#endif
}

/// A number whose low byte, as a signed one, is congruent to sum + old modulo p, for any sum and abs(old) <= 128.
///
/// Why: f = g p + v with v congruent to sum + old and abs(v) <= 255 (1 + 3 127) + 128 < 2^17, so 2^23 <= f < 2^23 +
/// 2^18 + 2^8 is a float whose bits are 0x4B000000 + f - 2^23, and has the low byte of these bits. inverse = (1 + e) /
/// p with abs(e)
/// <= 2^-24. One operation rounds 1.5 2^23 + f inverse to the integer 1.5 2^23 + g + q, so that abs(q - v / p - f e /
/// p) <= 1/2 and abs(v - p q) <= p / 2 + 2^23.1 2^-24 < p / 2 + 0.54. The bits of the rounded float end with those of g
/// + q: the difference formed is f - p (g + q) = v - p q in its low byte. That is at most 127 for p <= 253. For p =
/// 255, e > 0, so q is never too small and -128 <= v - p q <= 127. For p = 256 the low byte is that of sum + old,
/// whatever q.
ACCUBLAS_HD inline std::int32_t reduce(std::uint32_t sum, std::int32_t old, const Reduction& modulus) {
  const std::int32_t f = weigh_bytes(sum, modulus.weights, modulus.start + old);
  const float quotient = fmaf(std::bit_cast<float>(f), modulus.inverse, 0x1.8p23f);
  // In unsigned arithmetic: only the low byte has a meaning.
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(f) -
                                   std::bit_cast<std::uint32_t>(quotient) * static_cast<std::uint32_t>(modulus.p));
}
static_assert(static_cast<double>(1.0f / 255) * 255 > 1);

}  // namespace accublas::cuda
