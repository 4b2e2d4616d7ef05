// How a line is scaled in a pass, and what Ziv's test must know of the error: the same functions for conversion and
// reconstruction, and in tests.
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
