// The panels of an operand of cr's GEMM by sums, with facts about their lines.
#pragma once

#include "lib/base/integers.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cpu {

/// The panels of an operand, and CrLines of their lines, in one piece of memory.
struct CrPanels {
  Index lines, k;  ///< lines of a panel, and their terms
  double *entries, *largest, *last_bit;
  double* unscale;  ///< a factor of every line that undoes its scaling, if entries are scaled
  std::uint64_t* nonzero;

  static Index words(Index k) { return ceil_div(k, 64); }
  static Index bytes(Index lines, Index k) { return round_up(lines * (k + words(k) + 3), 8) * 8; }
  CrPanels(unsigned char* memory, Index panel_lines, Index all_lines, Index terms)
      : lines(panel_lines),
        k(terms),
        entries(reinterpret_cast<double*>(memory)),
        largest(entries + all_lines * k),
        last_bit(largest + all_lines),
        unscale(last_bit + all_lines),
        nonzero(reinterpret_cast<std::uint64_t*>(unscale + all_lines)) {}
  /// Returns facts about the lines of one panel from `line` on.
  CrLines known(Index line) const {
    return {largest + line, last_bit + line, nonzero + line / lines * lines * words(k) + line % lines};
  }
  double* entry(Index line) const { return entries + line / lines * lines * k + line % lines; }
};

/// Returns CrTile::error for compensated sums of k products of numbers of type T.
template <class T>
double compensated_error(Index k) {
  // The second factor covers the roundings of the sum of magnitudes.
  return dot2_bound(dot2_depth_gemm(k), k, unit_roundoff<T>()).componentwise * (1 + static_cast<double>(k) * 0x1p-51);
}

}  // namespace accublas::cpu
