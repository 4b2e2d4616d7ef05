// cr's DOT of binary32 vectors with a result or an addend of another type (dsdot, sdsdot). A grid sum is rounded by
// Ziv's test, or an exact accumulator computes a result that this does not decide.
#include <algorithm>

#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/exact_sum.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas::cpu {

template <class T>
void cr_mixed_dot(const MixedDot<T>& d, Execution& execution) {
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  put_bound(execution.report, rounded_once<T>());
  const auto rows = kernels_for<CrKernels<float>>(execution.isa).rows[static_cast<int>(Speed::full)];
  float x[VectorTuning::packed_terms], y[VectorTuning::packed_terms];
  TripleSum sum{0, 0, 0, 0};
  for (Index p = 0; p < d.n; p += VectorTuning::packed_terms) {
    const Index terms = std::min(VectorTuning::packed_terms, d.n - p);
    for (Index i = 0; i < terms; ++i) x[i] = d.x[p + i], y[i] = d.y[p + i];
    TripleSum part;
    rows(1, terms, x, terms, y, {}, &part);
    triple_add(sum, part);
  }
  const T one = 1;
  if (ziv_test(one, sum, d.addend == 0 ? T(0) : one, d.addend, d.result)) return;
  ExactSum<T> exact;
  exact.add(0, d.n, d.x, d.y);
  *d.result = exact.finish(one, d.addend == 0 ? T(0) : one, &d.addend);
  ++execution.report.undecided;
}

template void cr_mixed_dot(const MixedDot<double>&, Execution&);
template void cr_mixed_dot(const MixedDot<float>&, Execution&);

}  // namespace accublas::cpu
