// Residues of four consecutive terms of a line at a time, for the kernels that convert real numbers. For .cu files.
#pragma once

#include "cuda/core/arithmetic.hpp"
#include "cuda/int8/convert_tiles.hpp"
#include "cuda/int8/entry_limbs.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda::converting {

/// One modulus p. With weights w_i = 2^(int8_limb_bits i) mod p, abs(w_i) <= 128, the integer x = sum_i w_i limb_i is
/// congruent to a', and abs(x) <= 2^50 + 2 2^48 + 2^41 < 2^51. x + 1/2 is a double, and at least 1 / (2 p) from every
/// multiple of p over p; times the rounded inverse it is off by at most 2^51 2^-53 / p. So floor((x + 1/2) inverse) =
/// floor(x / p) =: q, and x - p q is the residue in 0 .. p - 1.
struct Modulus {
  double inverse;
  double weight[4];
  int minus_p;
  int integer_weight[4];
};
struct ModulusTable {
  Modulus modulus[max_moduli];
};
constexpr ModulusTable make_modulus_table() {
  constexpr ModuliList list = moduli_list();
  ModulusTable t{};
  for (int l = 0; l < max_moduli; ++l) {
    Modulus& m = t.modulus[l];
    m.inverse = 1.0 / list.p[l];
    m.minus_p = -list.p[l];
    for (int i = 0; i < 4; ++i) {
      m.integer_weight[i] = power_of_two_residue(int8_limb_bits * i, list.p[l]);
      m.weight[i] = m.integer_weight[i];
    }
  }
  return t;
}
static __constant__ ModulusTable modulus_table = make_modulus_table();

/// Four consecutive terms of a line in `Limbs` limbs, and the limbs packed into words, modulo 2^32. Limb 0 of each term
/// is 1/2 too large.
template <int Limbs>
struct FourTerms {
  double limb[Limbs][4];
  std::uint32_t packed[Limbs];
};

/// Takes four terms apart into limbs; `line_of(j)` is the scale of term j.
template <int Limbs, class T, class LineOf>
__device__ __forceinline__ FourTerms<Limbs> take_four_apart(const T* terms, LineOf&& line_of) {
  FourTerms<Limbs> t;
  std::uint32_t word[Limbs][4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const EntryLimbs<Limbs> entry = take_apart<Limbs>(terms[j], line_of(j));
#pragma unroll
    for (int i = 0; i < Limbs; ++i) {
      t.limb[i][j] = entry.limb[i];
      word[i][j] = entry.word[i];
    }
    t.limb[0][j] += 0.5;
  }
#pragma unroll
  for (int i = 0; i < Limbs; ++i) t.packed[i] = pack(word[i][0], word[i][1], word[i][2], word[i][3]);
  return t;
}

/// Returns the four residues modulo m, a byte each. All are in 0 .. p - 1, so one multiplication suffices for all four.
template <int Limbs>
__device__ std::uint32_t residues(const FourTerms<Limbs>& t, const Modulus& m) {
  std::uint32_t quotient[4], x = t.packed[0];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    double y = t.limb[0][j];
#pragma unroll
    for (int i = 1; i < Limbs; ++i) y = __fma_rn(t.limb[i][j], m.weight[i], y);
    quotient[j] = low_word(fma_down(y, m.inverse, round_to_integer));
  }
#pragma unroll
  for (int i = 1; i < Limbs; ++i) x += t.packed[i] * static_cast<std::uint32_t>(m.integer_weight[i]);
  return x + pack(quotient[0], quotient[1], quotient[2], quotient[3]) * static_cast<std::uint32_t>(m.minus_p);
}

/// Stores a lane's residues of a line. Those of eight terms bypass the cache, which would not hold them until they are
/// read.
__device__ inline void store_terms(std::uint8_t* to, const std::uint32_t (&x)[1]) {
  *reinterpret_cast<std::uint32_t*>(to) = x[0];
}
__device__ inline void store_terms(std::uint8_t* to, const std::uint32_t (&x)[2]) {
  __stcs(reinterpret_cast<uint2*>(to), uint2{x[0], x[1]});
}

}  // namespace accublas::cuda::converting
