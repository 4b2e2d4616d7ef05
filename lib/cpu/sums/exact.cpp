// cr by exact accumulators: slow, readable and right for every input. This is the twin of every engine that computes
// cr, and computes the elements that these leave undecided.
#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/exact_sum.hpp"
#include "lib/numerics/finish_root.hpp"
#include "lib/numerics/long_accumulator.hpp"
#include "lib/numerics/result_exceptions.hpp"

namespace accublas::cpu {

template <class T>
T exact_element(Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, const T* c) {
  ExactSum<T> sum;
  sum.add(0, k, row, col);
  return sum.finish(alpha, beta, c);
}

template <class T>
void signal_element(T result, Index k, T alpha, Vector<const T> row, Vector<const T> col, T beta, T c) {
  if (is_finite(result)) return;
  OperandKinds operands;
  operands.add(alpha);
  if (!is_zero(beta)) {
    operands.add(beta);
    operands.add(c);
  }
  for (Index p = 0; p < k; ++p) {
    operands.add(row[p]);
    operands.add(col[p]);
  }
  signal_exceptions(operands.exceptions_of(result));
}

template <class T>
void exact_gemm(const Gemm<T>& g, Execution& execution) {
  PhaseTimer timer(execution, &accublas_report_t::ms_exact);
  put_bound(execution.report, rounded_once<T>());
  // Tasks of some ten microseconds, of consecutive elements of C by columns.
  const Index elements = g.m * g.n;
  const Index per_task = 1 + 2048 / (g.k + 32);
  parallel_for(ceil_div(elements, per_task), execution.threads, [&](Index task, int) {
    const Index end = (task + 1) * per_task < elements ? (task + 1) * per_task : elements;
    for (Index e = task * per_task; e < end; ++e) {
      const Index i = e % g.m, j = e / g.m;
      T* c = &g.c(i, j);
      *c = exact_element<T>(g.k, g.alpha, g.a.row(i), g.b.col(j), g.beta, c);
    }
  });
}

namespace {

/// Calls add(x_i) for the entries before the first Inf or NaN. Returns true if all are finite; otherwise *special is
/// the norm, Inf or NaN.
template <class T, class Add>
bool add_finite(Index n, const Entries<T>& x, T* special, Add add) {
  bool all_finite = true, any_nan = false;
  for (Index i = 0; i < n; ++i) {
    const T a = x[i];
    all_finite &= is_finite(a);
    any_nan |= is_nan(a);
    if (all_finite) add(a);
  }
  *special = any_nan ? canonical_nan<T>() : from_bits<T>(FloatFormat<T>::infinity);
  return all_finite;
}

}  // namespace

template <class T>
T exact_nrm2(Index n, const Entries<T>& x) {
  LongAccumulator sum;
  T special;
  if (!add_finite(n, x, &special, [&](T a) { sum.add_product(a, a); })) return special;
  return finish_root<T>(sum.value(), false, LongAccumulator::min_exponent);
}

template <class T>
T exact_asum(Index n, const Entries<T>& x) {
  LongAccumulator sum;
  T special;
  if (!add_finite(n, x, &special, [&](T a) { sum.add(a < 0 ? -a : a); })) return special;
  return finish(T(1), sum, T(0), T(0));
}

#define ACCUBLAS_INSTANTIATE(T)                                                      \
  template T exact_element(Index, T, Vector<const T>, Vector<const T>, T, const T*); \
  template void signal_element(T, Index, T, Vector<const T>, Vector<const T>, T, T); \
  template void exact_gemm(const Gemm<T>&, Execution&);                              \
  template T exact_nrm2(Index, const Entries<T>&);                                   \
  template T exact_asum(Index, const Entries<T>&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
