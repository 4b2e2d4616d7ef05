// The number of moduli of a product beyond double precision, by sampled elements. CPU and GPU share it. No bit of a
// result depends on it.
#pragma once

#include <limits>

#include "lib/numerics/capacity.hpp"
#include "lib/numerics/escalation.hpp"
#include "lib/quad/number.hpp"

namespace accublas::quad {

/// The least number of moduli whose integers the kernels write out.
inline constexpr int least_moduli = 15;

/// Returns the number of moduli that costs least; 0 if sums of all elements cost less and `forced` is false. A term of
/// an exact sum takes as long as `exact_term` terms modulo a p. row_part(bits) and col_part(bits) are the parts of the
/// lines that drop bits, times 2^-bits.
template <class RowPart, class ColPart>
int cheapest_moduli(const UndecidedSample* samples, int found, RowPart&& row_part, ColPart&& col_part, Index k,
                    double exact_term, bool forced) {
  int best = forced ? max_moduli : 0;
  double least = forced ? std::numeric_limits<double>::infinity() : exact_term;
  for (int moduli = least_moduli; moduli <= max_moduli; ++moduli) {
    int row_bits, col_bits;
    split_bits(capacity_of(int8_capacity(moduli)), most_relative_norm, most_relative_norm, k, row_bits, col_bits);
    const double of_rows = row_part(row_bits), of_cols = col_part(col_bits);
    double chance = 0;
    for (int i = 0; i < found; ++i) chance += samples[i].chance(of_rows, of_cols);
    const double cost = moduli + (found > 0 ? chance / found : 0) * exact_term;
    if (cost < least) {
      least = cost;
      best = moduli;
    }
  }
  return best;
}

}  // namespace accublas::quad
