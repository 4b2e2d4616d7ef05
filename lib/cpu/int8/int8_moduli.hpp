// How many moduli a pass takes. No bit of a result depends on it.
#pragma once

#include "lib/cpu/int8/int8_call.hpp"

namespace accublas::cpu {

/// Moduli for fixed:t, by the largest norms of a' and b'.
template <class T>
int int8_fixed_moduli(const Int8Call<T>& call, int t);

/// The same, or one less where that is enough for all but few pairs of lines by their norms, and for these by sum
/// abs(a') abs(b') itself. Only where the lines of one side lie contiguous; those of the other are copied.
template <class T>
int int8_fewest_moduli(const Int8Call<T>& call, int t);

/// cr: fewest moduli that leave at most a small part of the elements undecided, from sampled elements of the wanted
/// tiles; at least `least`.
template <class T>
int int8_cr_moduli(const Int8Call<T>& call, int least);

/// cr: the bits of the two sides that so many moduli hold, whatever the norms.
void int8_split_bits(int moduli, Index k, int& row_bits, int& col_bits);

}  // namespace accublas::cpu
