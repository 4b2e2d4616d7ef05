// dot2's DOT of complex vectors. Each component is the tree of a real DOT (components.hpp), whose blocks read the
// entries in place.
#include "lib/cpu/dot2/dot2.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/structured/components.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/exact_sum.hpp"

namespace accublas::cpu {

template <class T>
void dot2_complex_dot(const Dot<Complex<T>>& dot, Execution& execution) {
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  const Index terms = 2 * dot.n;
  dot2_report_bound(dot2_depth_dot(terms), terms, T(1), execution.report);
  const Entries<T> x = row_entries(dot.x);
  Complex<T> result;
  for (const bool imaginary : {false, true}) {
    const Entries<T> y = column_entries(dot.y, imaginary, dot.conjugate_x);
    const Dot2Pair pair = dot2_pair(Dot2Sum<T>{Dot2Terms::products, terms, x, y}, execution);
    if (execution.workspace.rehearses()) return;
    T& component = imaginary ? result.im : result.re;
    if (is_finite(pair)) {
      component = dot2_sum<T>(pair);
    } else {
      ExactSum<T> sum;
      sum.add(0, terms, x, y);
      component = sum.finish(T(1), T(0), nullptr);
    }
  }
  *dot.result = result;
}

template void dot2_complex_dot(const Dot<Complex<double>>&, Execution&);
template void dot2_complex_dot(const Dot<Complex<float>>&, Execution&);
}  // namespace accublas::cpu
