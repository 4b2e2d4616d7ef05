// POTRF, GETRF and the solutions by them in cr (docs/factorizations.md). Every element is defined by those before it,
// so that blocks and threads change no bit. Cholesky's factorization and the rows of U are unknowns of triangular
// systems (lib/cpu/trsm/sweep.hpp); columns of L, whose pivots are chosen, panels (lib/cpu/lu_cholesky/panel.hpp).
#include <optional>

#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/lu_cholesky/panel.hpp"
#include "lib/cpu/trsm/sweep.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {

namespace {

/// Columns `begin` to n - 1 of X, X^H X = A, whose rows before `begin` are known. Returns the first column without a
/// pivot, or n.
template <class E>
Index factor_cholesky(const Matrix<E>& x, Index begin, Index n, Sweep<E>& sweep) {
  for (Index first = begin, end = 0; first < n; first = end) {
    end = std::min(n, first + Sweep<E>::most_together);
    if (const Index most = sweep.together(end)) end = std::min(end, first + most);
    const Index known = sweep.factor(x, first, end);
    const TriangularSystem<E> rest = Sweep<E>::cholesky_system(x, end, end, n);
    if (rest.sides > 0) sweep.solve(rest, first, known);
    if (known < end) return known;
  }
  return n;
}

template <class E>
Index factor_lu(const Factorization<E>& f, Panel<E>& panel, Sweep<E>& sweep, Execution& execution) {
  const Operand<E> l{{f.a.data, f.a.row_stride, f.a.col_stride}, false, Structure::triangular, Triangle::lower, true};
  Index info = 0;
  for (Index first = 0, end = 0; first < f.order(); first = end) {
    end = std::min(f.order(), first + panel.width());
    const Index none = panel.factor(first, end, f.pivots);
    if (none >= 0 && info == 0) info = none + 1;
    swap_rows_outside(f.a, f.n, first, end, f.pivots, first, end - first, execution.threads);
    if (end < f.n) sweep.solve({end, f.n - end, E{1}, l, f.a.block(0, end)}, first, end);
  }
  return info;
}

/// B has the solution in its place.
template <class E>
void solve_systems(const Factorization<E>& f, const std::array<Operand<E>, 2>& matrices, Sweep<E>& sweep) {
  for (const Operand<E>& m : matrices) sweep.solve({f.n, f.nrhs, E{1}, m, f.b}, 0, f.n);
}

/// op(A) X = B with the rows of A exchanged, A = L U.
template <class E>
void solve_lu(const Factorization<E>& f, Sweep<E>& sweep) {
  const bool plain = f.trans == ACCUBLAS_NO_TRANS;
  if (plain) swap_rows(f.b, 0, f.nrhs, f.pivots, 0, f.n, false);
  solve_systems(f, lu_solves(f), sweep);
  if (!plain) swap_rows(f.b, 0, f.nrhs, f.pivots, 0, f.n, true);
}

}  // namespace

template <class E>
void factorize(const Factorization<E>& f, Execution& execution) {
  put_bound(execution.report, rounded_once<RealOf<E>>());
  std::optional<Panel<E>> panel;
  if (f.kind == Operation::getrf || f.kind == Operation::gesv)
    panel.emplace(f.a, f.rows(), f.order(), tuning().triangular.lu_columns, execution);
  Sweep<E> sweep(f.order(), std::max(has_factor(f.kind) ? f.n : 1, f.nrhs), false, execution);
  if (execution.workspace.rehearses()) return;
  Index info = 0;
  if (is_cholesky(f.kind)) {
    if (has_factor(f.kind))
      if (const Index known = factor_cholesky(f.cholesky_factor(), 0, f.n, sweep); known < f.n) info = known + 1;
    if (has_solution(f.kind) && info == 0) solve_systems(f, cholesky_solves(f), sweep);
  } else {
    if (panel) info = factor_lu(f, *panel, sweep, execution);
    if (has_solution(f.kind) && info == 0) solve_lu(f, sweep);
  }
  f.put_info(info);
}

template <class E>
void run_step(const SubstitutionStep<E>& step, Execution& execution) {
  Sweep<E>(step.end, step.system.sides, false, execution).solve(step.system, step.first, step.end);
}

template <class E>
void run_step(CholeskyStep<E>& step, Execution& execution) {
  Sweep<E> sweep(step.end, step.end - step.first, false, execution);
  step.known = factor_cholesky(step.x, step.first, step.end, sweep);
}

template <class E>
void run_step(PanelStep<E>& step, Execution& execution) {
  const Index width = step.end - step.first;
  Panel<E> panel(step.a, std::max(step.rows, width), step.end, width, execution);
  if (panel.width() < width) execution.workspace.refuse();
  step.none = panel.factor(step.first, step.end, step.rows, step.u, *step.shared);
}

#define ACCUBLAS_INSTANTIATE(E)                                   \
  template void factorize(const Factorization<E>&, Execution&);   \
  template void run_step(const SubstitutionStep<E>&, Execution&); \
  template void run_step(CholeskyStep<E>&, Execution&);           \
  template void run_step(PanelStep<E>&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
