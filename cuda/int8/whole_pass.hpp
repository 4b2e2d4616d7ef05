// The plan of a pass over all of C in one block, where bits and moduli are known.
#pragma once

#include "cuda/core/call_state.hpp"

namespace accublas::cuda {

/// Returns a pass with real residues whose sides have these bits. `interval`: bits may be dropped.
inline PassPlan whole_pass(bool interval, int row_bits, int col_bits, int moduli, Index block_rows, Index block_cols) {
  PassPlan plan{};
  plan.active = 1;
  plan.interval = interval;
  plan.elements = Elements::all;
  plan.row_bits = plan.row_peak = row_bits;
  plan.col_bits = plan.col_peak = col_bits;
  plan.moduli = moduli;
  plan.block_rows = block_rows;
  plan.block_cols = block_cols;
  plan.residues = ResidueKind::real;
  return plan;
}

}  // namespace accublas::cuda
