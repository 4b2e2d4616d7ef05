// How many moduli a pass takes. No bit of a result depends on it.
#pragma once

#include <cmath>

#include "lib/cpu/int8/int8_call.hpp"
#include "lib/numerics/escalation.hpp"

namespace accublas::cpu {

/// Moduli for fixed:t, by the largest norms of a' and b'.
template <class T>
int int8_fixed_moduli(const Int8Call<T>& call, int t);

/// Returns the number of moduli of `int8_fixed_moduli`, or one less if that suffices for all but few pairs of lines by
/// their norms, and for these few by sum abs(a') abs(b') itself. It tries one less only if the lines of one side lie
/// contiguous; the lines of the other side are copied.
template <class T>
int int8_fewest_moduli(const Int8Call<T>& call, int t);

/// Returns whether the vector kernels leave many elements to slow code: all of them, if alpha or beta is far from 1 in
/// magnitude, or sampled ones, whose sums lie near an end of the range. Sums compute such products faster.
template <class T>
bool int8_at_ends(const Int8Call<T>& call);

/// Returns, for cr, the fewest moduli that leave at most a small part of the elements undecided, but at least `least`.
/// It estimates this part from sampled elements of the wanted tiles. It returns 0 if sums, which compute only a `share`
/// of the elements, are faster than the moduli that would suffice.
template <class T>
int int8_cr_moduli(const Int8Call<T>& call, int least, double share);

/// cr: the bits of the two sides that so many moduli hold, whatever the norms.
void int8_split_bits(int moduli, Index k, int& row_bits, int& col_bits);

/// How many lines drop bits.
class DroppingLines {
 public:
  explicit DroppingLines(const Int8Lines& lines) : lines_(lines.count) {
    for (Index i = 0; i < lines.count; ++i)
      if (lines.norm[i] > 0) ++needs_[line_needs(lines.needed_bits(i), lines.norm[i])];
    for (int b = most_needs; b > 0; --b) needs_[b - 1] += needs_[b];
  }

  /// Their part of all lines with so many bits, times 2^-bits.
  double part(int bits) const {
    return std::ldexp(static_cast<double>(needs_[bits + 1]) / static_cast<double>(lines_), -bits);
  }

 private:
  Index lines_;
  std::int32_t needs_[most_needs + 1] = {};  ///< lines that need so many bits or more
};

}  // namespace accublas::cpu
