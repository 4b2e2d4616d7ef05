// Whether fixed:T of a product is faster by sums of rounded entries than by residues.
#pragma once

#include <algorithm>

#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {

/// Returns whether sums of entries rounded to `bits` bits multiply m x k by k x n numbers faster than residues. The
/// time of residues grows with the bits, that of the sums does not. If one of the three is small, sums take less time
/// than converting the operands to residues, or than rounding the results of residues.
inline bool fixed_sums_are_faster(Index m, Index n, Index k, int bits, bool single, Isa isa) {
  const EngineTuning& most = tuning(isa).engine;
  const double order = bits * (single ? most.sgemm_fixed : most.dgemm_fixed);
  const double terms = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (k > most.deep_terms) return false;
  return terms <= cube(order) ||
         (std::min({m, n, k}) <= most.narrow && terms <= (single ? most.sgemm_cr : most.dgemm_cr));
}

}  // namespace accublas::cpu
