// Bounds of products by slabs (cuda/int8/slabs.hpp): the bits of a slab's integers, the error of rounding to them, and
// terms that are left out.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

/// The least number of moduli for which a product by slabs can pay, and the largest one, whose integers fit in three
/// limbs (cuda/int8/entry_limbs.hpp).
inline constexpr int least_slab_moduli = 10, most_slab_moduli = 32;

/// The exponents of entries are stored in 16 bits (SlabArrays of cuda/int8/slab_shape.hpp), and no_term stands for
/// zeros. A sum of two exponents is below no_term_sum if one of them is no_term.
inline constexpr std::int16_t no_term = -16000;
inline constexpr int no_term_sum = -8000;

/// Returns whether some terms of a tile of C matter, if they are below 2^bound. All terms are below 2^largest. The tile
/// has a term of at least 2^least, unless least < no_term_sum: then none is known. Terms that are 85 bits below 2^least
/// move a sum of at least 2^least by some 2^-20 of its last place.
ACCUBLAS_HD inline bool terms_matter(int bound, int largest, int least) {
  constexpr int usual_range = 50, left_out = 85;
  return bound >= no_term_sum && bound >= (least < no_term_sum ? largest - usual_range : least) - left_out;
}

/// Returns an upper bound of the magnitude of a sum of at most `terms` terms that are left out, each below 2^exponent.
/// The sums of decide_by_tiles reach 2^1016, so terms that are 85 bits smaller must have a bound.
ACCUBLAS_HD inline double left_out_bound(int exponent, std::int64_t terms) {
  if (exponent < no_term_sum) return 0;
  if (exponent > 960) return infinite_bound;
  return static_cast<double>(terms) * power_of_two(exponent < -1000 ? -1000 : exponent);
}

/// Returns the largest `bits` for which sums of `terms` products of integers up to 2^bits stay within 2^log2_capacity.
ACCUBLAS_HD inline int slab_bits(double log2_capacity, std::int64_t terms) {
  return static_cast<int>(floor((log2_capacity - log2(static_cast<double>(terms)) - 1e-6) / 2));
}

/// Returns an upper bound of the difference between a slab's sum of x y and the sum of x' y'. Here x and y are the
/// scaled entries of a row and a column, and the integers x' and y' are within (1/2) (1 + 2^-30) of them. The
/// difference of a term is x y - x' y' = x (y - y') + (x - x') y - (x - x') (y - y'). So the bound is half of the sums
/// of abs(x) and abs(y), plus a quarter of the number of terms. row_size and col_size are upper bounds of these two
/// sums. If one of them is zero, all products are zero.
ACCUBLAS_HD inline float slab_error(float row_size, float col_size, std::int64_t terms) {
  if (row_size == 0 || col_size == 0) return 0;
  // The factor covers three roundings of single precision.
  return (0.5f * (row_size + col_size) + 0.25f * static_cast<float>(terms)) * (1 + 0x1p-20f);
}

}  // namespace accublas
