// An entry's scaled integer a' in limbs, for the kernels that take residues of it. Device code.
#pragma once

#include "cuda/core/arithmetic.hpp"
#include "cuda/int8/convert_tiles.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda::converting {

/// a' is the sum of limb[i] 2^(int8_limb_bits i); word: the same integers modulo 2^32.
template <int Limbs>
struct EntryLimbs {
  double limb[Limbs];
  std::uint32_t word[Limbs];
};

/// The line's scale is 2^(scale - int8_limb_bits (Limbs - 1)). What the top limb leaves is exact, at most 1/2, and
/// gives the next ones; the last is rounded to nearest even, and with it a', since the others are even in its units.
template <int Limbs, class T>
__device__ __forceinline__ EntryLimbs<Limbs> take_apart(T entry, const LineScale& line) {
  EntryLimbs<Limbs> e;
  double x = line.wanted ? entry * line.first : 0, scale = line.second;
#pragma unroll
  for (int i = Limbs - 1; i >= 0; --i) {
    const double rounded = __fma_rn(x, scale, round_to_integer);
    e.word[i] = low_word(rounded);
    e.limb[i] = rounded - round_to_integer;
    x = __fma_rn(x, scale, -e.limb[i]);
    scale = static_cast<double>(1ll << int8_limb_bits);
  }
  return e;
}

/// Returns the limbs that a real integer up to 2^bits takes. A single limb is at most 2^51; of several, the top one is
/// at most 2^43.
__device__ inline int real_limbs(int bits) {
  return bits <= 51 ? 1 : bits <= int8_limb_bits + 43 ? 2 : bits <= 2 * int8_limb_bits + 43 ? 3 : 4;
}

}  // namespace accublas::cuda::converting
