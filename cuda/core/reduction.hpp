// Reduces sums of products of bytes to residues, two at a time. On the device fifteen operations reduce four sums, and
// one table serves all moduli.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "lib/base/integers.hpp"
#include "lib/numerics/complex_moduli.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

/// The constants of one modulus that reduce_two() needs.
struct ByteReduction {
  std::uint32_t weights;     ///< byte i: 256^i mod p, balanced, so at most p / 2
  std::int32_t start;        ///< bits of the float g p, where g p is the least multiple of p from 2^23 + 2^17
  float inverse;             ///< 1 / p
  std::uint32_t complement;  ///< 256 - p
};

ACCUBLAS_HD constexpr ByteReduction make_reduction(int p) {
  ByteReduction r{};
  for (int i = 0; i < 4; ++i)
    r.weights |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(power_of_two_residue(8 * i, p))) << (8 * i);
  const int least = (1 << 23) + (1 << 17), multiple = round_up(least, p);
  r.start = 0x4B000000 + (multiple - (1 << 23));
  r.inverse = 1.0f / static_cast<float>(p);
  r.complement = static_cast<std::uint32_t>(256 - p);
  return r;
}

/// Reductions indexed by plane: first the planes of real residues, from complex_reductions on those of complex
/// residues.
inline constexpr int complex_reductions = max_moduli;
struct ReductionTable {
  ByteReduction of[max_moduli + max_planes];
};

ACCUBLAS_HD constexpr ReductionTable make_reductions() {
  const ModuliList list = moduli_list();
  const ComplexModuliList complex = complex_moduli_list();
  ReductionTable table{};
  for (int l = 0; l < max_moduli; ++l) table.of[l] = make_reduction(list.p[l]);
  for (int h = 0; h < max_planes; ++h)
    table.of[complex_reductions + h] = make_reduction(complex.of[complex_plane(h).modulus].p);
  return table;
}

/// Returns start + the sum of the four bytes of `sum`, each times its weight. The result is congruent to start + sum.
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

/// Returns the low bytes of two words whose high byte is 0x4B, at bytes 0 and 2, with zeros between.
ACCUBLAS_HD inline std::uint32_t low_bytes(std::uint32_t first, std::uint32_t second) {
#ifdef __CUDA_ARCH__
  std::uint32_t result;  // selector B: the sign of byte 3; __byte_perm has no such selectors
  asm("prmt.b32 %0, %1, %2, 0xB4B0;" : "=r"(result) : "r"(first), "r"(second));
  return result;
#else
  return (first & 0xFF) | (second & 0xFF) << 16;
#endif
}

/// Bytes 0 and 2 of the result, as signed ones, are congruent to sum + old modulo p of the first and the second, for
/// any sums and abs(old) <= 128. Bytes 1 and 3 have no meaning.
///
/// Why: f = g p + v with v congruent to sum + old and abs(v) <= 255 (1 + 3 127) + 128 < 2^17, so 2^23 <= f < 2^23 +
/// 2^18 + 2^8 is a float whose bits are 0x4B000000 + f - 2^23, and has the low byte of these bits. inverse = (1 + e) /
/// p with abs(e) <= 2^-24. One operation rounds 1.5 2^23 + f inverse to the integer 1.5 2^23 + g + q, so that abs(q -
/// v / p - f e / p) <= 1/2 and abs(v - p q) <= p / 2 + 2^23.1 2^-24 < p / 2 + 0.54. The bits of the rounded float end
/// with those of g + q: f - p (g + q) = v - p q, and only its low byte is wanted, which is that of f + (256 - p) (g +
/// q), formed from the low bytes of f and g + q: at most 255 + 255 255 < 2^16, so that nothing is carried from the
/// first to the second. v - p q is at most 127 in magnitude for p <= 253. For p = 255, e > 0, so q is never too small
/// and -128 <= v - p q <= 127. For p = 256 the low byte is that of sum + old, whatever q.
ACCUBLAS_HD inline std::uint32_t reduce_two(std::uint32_t first_sum, std::int32_t first_old, std::uint32_t second_sum,
                                            std::int32_t second_old, const ByteReduction& modulus) {
  const std::int32_t f[2] = {weigh_bytes(first_sum, modulus.weights, modulus.start + first_old),
                             weigh_bytes(second_sum, modulus.weights, modulus.start + second_old)};
  const auto quotient = [&](std::int32_t bits) {
    return std::bit_cast<std::uint32_t>(fmaf(std::bit_cast<float>(bits), modulus.inverse, 0x1.8p23f));
  };
  return low_bytes(static_cast<std::uint32_t>(f[0]), static_cast<std::uint32_t>(f[1])) +
         low_bytes(quotient(f[0]), quotient(f[1])) * modulus.complement;
}
static_assert(static_cast<double>(1.0f / 255) * 255 > 1);

}  // namespace accublas::cuda
