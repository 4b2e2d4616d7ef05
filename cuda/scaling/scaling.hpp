// Defines how a line is scaled in a pass, and the error terms for Ziv's test. Conversion, reconstruction and tests
// share these functions.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "lib/numerics/escalation.hpp"

namespace accublas::cuda {

ACCUBLAS_HD inline int line_scale(const PassPlan& plan, const Lines& lines, Index i, int bits) {
  return accublas::line_scale(lines.norm[i], lines.exponent[i], bits, plan.interval || plan.equal_norms);
}

ACCUBLAS_HD inline LineError line_error(const Lines& lines, Index i, int scale, bool row) {
  return accublas::line_error(lines.norm[i], lines.lambda[i], lines.exponent[i], lines.last_bit[i], scale, lines.k,
                              row);
}

}  // namespace accublas::cuda
