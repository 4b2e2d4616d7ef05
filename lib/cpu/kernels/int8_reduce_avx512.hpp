// Sums of 12 or 32 rows by 32 columns to residues, for the kernels with AVX-512 VNNI.
#pragma once

#include "lib/cpu/kernels/int8_intrinsics.hpp"
#include "lib/cpu/kernels/int8_kernels.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

/// Constants of a modulus in registers.
struct Reduction {
  __m512i weight, start, minus_p;
  __m512 inverse, magic;
};

inline __attribute__((always_inline)) Reduction make_reduction(const Int8Modulus& m) {
  int weights;
  __builtin_memcpy(&weights, m.weight, sizeof weights);
  return {_mm512_set1_epi32(weights), _mm512_set1_epi32(m.start), _mm512_set1_epi32(-m.p & 0xFFFF),
          _mm512_set1_ps(m.inverse_float), _mm512_set1_ps(m.magic)};
}

/// 16 sums to residues in the low bytes: bytes of s + 2^31 times powers of 256 modulo p on top of a float's bits, one
/// fused multiply-add rounds to the quotient, one 16-bit product takes it off.
inline __attribute__((always_inline)) __m512i reduce(__m512i sum, __m512i start, const Reduction& m) {
  const __m512i bytes = _mm512_xor_si512(sum, _mm512_set1_epi32(static_cast<int>(0x80000000u)));
  const __m512i f = _mm512_dpbusd_epi32(start, bytes, m.weight);
  const __m512 q = _mm512_fmadd_ps(_mm512_castsi512_ps(f), m.inverse, m.magic);
  return _mm512_dpwssd_epi32(f, _mm512_castps_si512(q), m.minus_p);
}

template <bool Accumulate>
inline __attribute__((always_inline)) void store_rows(const std::int32_t* sums, int rows, const Reduction& m,
                                                      std::int8_t* out, std::int64_t stride) {
  for (int r = 0; r < rows; ++r) {
    for (int h = 0; h < 2; ++h) {
      __m128i* to = reinterpret_cast<__m128i*>(out + r * stride + 16 * h);
      const __m512i start = Accumulate ? _mm512_add_epi32(m.start, _mm512_cvtepi8_epi32(_mm_loadu_si128(to))) : m.start;
      const __m512i r32 = reduce(_mm512_load_si512(sums + 32 * r + 16 * h), start, m);
      _mm_storeu_si128(to, _mm512_cvtepi32_epi8(r32));
    }
  }
}

/// `rows` x 32 sums, 32 to a row, to residues.
inline __attribute__((always_inline)) void store_residues(const std::int32_t* sums, int rows, const Reduction& m,
                                                          bool accumulate, std::int8_t* out, std::int64_t stride) {
  accumulate ? store_rows<true>(sums, rows, m, out, stride) : store_rows<false>(sums, rows, m, out, stride);
}

inline __attribute__((always_inline)) void store_sums(const std::int32_t* sums, int rows, std::int32_t* out,
                                                      std::int64_t stride) {
  for (int r = 0; r < rows; ++r)
    for (int h = 0; h < 2; ++h)
      _mm512_storeu_si512(out + r * stride + 16 * h, _mm512_load_si512(sums + 32 * r + 16 * h));
}

}  // namespace
}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
