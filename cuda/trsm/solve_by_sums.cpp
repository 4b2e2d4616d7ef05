#include "cuda/trsm/solve_by_sums.hpp"

#include "cuda/trsm/unknown_sums.hpp"
#include "lib/call/accuracy.hpp"

namespace accublas::cuda {

template <class E>
void solve_by_sums(State& state, const TriangularSystem<E>& system, const E* alpha, const Mode& mode,
                   Execution& execution) {
  const bool dot2 = mode.kind == ACCUBLAS_MODE_DOT2;
  if (!dot2) put_bound(execution.report, rounded_once<RealOf<E>>());
  UnknownSums<E> sums(state, system, alpha, dot2, execution);
  sums.run([&](auto& steps) { sums.solve_all(steps); }, [](Carver&) {});
}

template void solve_by_sums(State&, const TriangularSystem<double>&, const double*, const Mode&, Execution&);
template void solve_by_sums(State&, const TriangularSystem<float>&, const float*, const Mode&, Execution&);
template void solve_by_sums(State&, const TriangularSystem<Complex<double>>&, const Complex<double>*, const Mode&,
                            Execution&);
template void solve_by_sums(State&, const TriangularSystem<Complex<float>>&, const Complex<float>*, const Mode&,
                            Execution&);

}  // namespace accublas::cuda
