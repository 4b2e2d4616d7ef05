// TRSM and TRSV in cr and dot2 (docs/modes.md, "TRSM and TRSV"): one sweep over all unknowns. dot2 differs in the sums
// alone: they are GEMV's pairs, taken as exact.
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/trsm/sweep.hpp"

namespace accublas::cpu {

template <class E>
void solve(const TriangularSystem<E>& system, const Mode& mode, Execution& execution) {
  const bool dot2 = mode.kind == ACCUBLAS_MODE_DOT2;
  Sweep<E> sweep(system.order, system.sides, dot2, execution);
  if (execution.workspace.rehearses()) return;
  sweep.solve(system, 0, system.order);
  if (!dot2) put_bound(execution.report, rounded_once<RealOf<E>>());
}

#define ACCUBLAS_INSTANTIATE(E) template void solve(const TriangularSystem<E>&, const Mode&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
