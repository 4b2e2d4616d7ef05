// Sums of 12 or 32 rows by 32 columns to residues, for the kernels with AVX-512 VNNI.
#pragma once

#include "lib/cpu/kernels/int8_kernels.hpp"
#include "lib/cpu/kernels/int8_vector.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

/// Constants of a modulus in registers.
struct Reduction {
  Integers32 weight, start;
  Words16 minus_p;  ///< -p and 0 in turn
  Floats inverse, magic;
};

ACCUBLAS_INLINE Reduction make_reduction(const Int8Modulus& m) {
  std::int32_t weights;
  __builtin_memcpy(&weights, m.weight, sizeof weights);
  return {splat32(weights), splat32(m.start), splat_low(-m.p), splat(m.inverse_float), splat(m.magic)};
}

/// 16 sums to residues in the low bytes: bytes of s + 2^31 times powers of 256 modulo p on top of a float's bits, one
/// fused multiply-add rounds to the quotient, one 16-bit product takes it off.
ACCUBLAS_INLINE Integers32 reduce(Integers32 sum, Integers32 start, const Reduction& m) {
  const Integers32 bytes = sum ^ splat32(static_cast<std::int32_t>(0x80000000u));
  const Integers32 f = add_byte_products(start, bytes, m.weight);
  const Floats q = fma(as_float(f), m.inverse, m.magic);
  return add_products(f, as_words(as_bits(q)), m.minus_p);
}

template <bool Accumulate>
ACCUBLAS_INLINE void store_rows(const std::int32_t* sums, int rows, const Reduction& m, std::int8_t* out,
                                std::int64_t stride) {
  for (int r = 0; r < rows; ++r) {
    for (int h = 0; h < 2; ++h) {
      std::int8_t* to = out + r * stride + 16 * h;
      const Integers32 start = Accumulate ? m.start + load_32(to) : m.start;
      store_bytes(to, reduce(load_aligned(sums + 32 * r + 16 * h), start, m));
    }
  }
}

/// `rows` x 32 sums, 32 to a row, to residues.
ACCUBLAS_INLINE void store_residues(const std::int32_t* sums, int rows, const Reduction& m, bool accumulate,
                                    std::int8_t* out, std::int64_t stride) {
  accumulate ? store_rows<true>(sums, rows, m, out, stride) : store_rows<false>(sums, rows, m, out, stride);
}

ACCUBLAS_INLINE void store_sums(const std::int32_t* sums, int rows, std::int32_t* out, std::int64_t stride) {
  for (int r = 0; r < rows; ++r)
    for (int h = 0; h < 2; ++h) store(out + r * stride + 16 * h, load_aligned(sums + 32 * r + 16 * h));
}

}  // namespace
}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
