// The panels of an operand of cr's GEMM by sums, with facts about their lines.
#pragma once

#include <algorithm>

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

/// Entries of two lines are scaled to magnitudes below 2^scaled_top each, so that their products leave the chains room.
constexpr int scaled_top = 440;
/// Returns e such that 2^e scales a line to entries below 2^top without losing bits, or to more if it has smaller ones.
/// abs(x) < 2^exponent for all entries x, which are multiples of 2^last_bit. A line of zeros, for which both are zero,
/// is not scaled.
inline int exact_scale(int exponent, int last_bit, int top) {
  return exponent == last_bit ? 0 : std::max(top - exponent, -1074 - last_bit);
}
/// Returns by how much a line that is scaled so exceeds 2^scaled_top. Lines of the other operand are scaled to that
/// much less.
inline int scaled_excess(int exponent, int last_bit) {
  return std::max(0, exponent + exact_scale(exponent, last_bit, scaled_top) - scaled_top);
}

/// Returns the grids of chains over k terms.
inline Grid grid_of_terms(Index k) { return Grid{ceil_log2(k) + 1}; }

/// Returns a tile with k terms and their grids; other members are zero.
template <class T>
CrTile<T> tile_of_terms(Index k) {
  const Grid grid = grid_of_terms(k);
  CrTile<T> tile{};
  tile.k = k;
  tile.base1 = grid.base1();
  tile.base2 = grid.base2();
  tile.quantum2 = grid.quantum2();
  return tile;
}

/// Returns CrTile::error of a speed for k products of numbers of type T.
template <class T>
double tile_error(Speed speed, Index k) {
  const double terms = static_cast<double>(k);
  if (speed == Speed::full) return grid_of_terms(k).error(terms, terms);
  if (speed == Speed::swift && sizeof(T) == sizeof(double)) return grid_of_terms(k).swift_error(terms);
  // The second factor covers the roundings of the sum of magnitudes.
  const double relative = dot2_bound(dot2_depth_gemm(k), k, unit_roundoff<T>()).componentwise * (1 + terms * 0x1p-51);
  return speed == Speed::swift ? relative * terms : relative;
}

}  // namespace accublas::cpu
