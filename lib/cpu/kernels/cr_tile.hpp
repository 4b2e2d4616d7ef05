// The tiles of cr's GEMM, and bits of lanes. Included by cr_gemm.cpp and cr_panel.cpp only; everything has internal
// linkage.
#pragma once

#include "lib/cpu/kernels/cr_chain.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

// Tile sizes in vectors by columns: the sums of `swift` fill half the registers.
#if ACCUBLAS_ISA_LEVEL >= 2
constexpr int tile_vectors = 2, tile_cols = 4;
#elif ACCUBLAS_ISA_LEVEL == 1
constexpr int tile_vectors = 2, tile_cols = 2;
#else
constexpr int tile_vectors = 4, tile_cols = 4;
#endif
constexpr int lines = tile_vectors * W;
static_assert(lines * tile_cols <= 64 && lines % tile_cols == 0);

/// v where some bit of `bits` is set, else zero.
#if ACCUBLAS_ISA_LEVEL >= 2
ACCUBLAS_INLINE V where_any_bit(V bits, V v) {
  const __m512i b = _mm512_castpd_si512(bits);
  return _mm512_maskz_mov_pd(_mm512_test_epi64_mask(b, b), v);
}
#elif ACCUBLAS_ISA_LEVEL == 1
ACCUBLAS_INLINE V where_any_bit(V bits, V v) { return _mm256_andnot_pd(_mm256_castsi256_pd(no_bits(bits)), v); }
#else
ACCUBLAS_INLINE V where_any_bit(V bits, V v) { return as_bits(bits) != 0 ? v : 0; }
#endif

}  // namespace

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
