// The tiles of cr's GEMM, and bits of lanes. Included by cr_gemm.cpp and cr_panel.cpp only; everything has internal
// linkage.
#pragma once

#include "lib/cpu/kernels/cr_chain.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

constexpr const KernelTuning& tuned = tunings[ACCUBLAS_ISA_LEVEL]->kernels;
constexpr int tile_vectors = tuned.cr_vectors, tile_cols = tuned.cr_cols;
constexpr int lines = tile_vectors * W;
static_assert(lines * tile_cols <= 64 && lines % tile_cols == 0);

/// v where some bit of `bits` is set, else zero.
#if ACCUBLAS_VECTOR_BITS == 512
ACCUBLAS_INLINE V where_any_bit(V bits, V v) {
  const __m512i b = _mm512_castpd_si512(bits);
  return _mm512_maskz_mov_pd(_mm512_test_epi64_mask(b, b), v);
}
#elif ACCUBLAS_VECTOR_BITS == 256
ACCUBLAS_INLINE V where_any_bit(V bits, V v) { return _mm256_andnot_pd(_mm256_castsi256_pd(no_bits(bits)), v); }
#elif ACCUBLAS_VECTOR_BITS == 128
ACCUBLAS_INLINE V where_any_bit(V bits, V v) { return as_value(vbicq_u64(as_bits(v), vceqzq_u64(as_bits(bits)))); }
#else
ACCUBLAS_INLINE V where_any_bit(V bits, V v) { return as_bits(bits) != 0 ? v : 0; }
#endif

}  // namespace

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
