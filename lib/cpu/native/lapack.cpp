// Engine native: LAPACK.
#include <algorithm>

#include "lib/cpu/lapack_calls.hpp"
#include "lib/cpu/native/operands.hpp"

namespace accublas::cpu {

/// Calls LAPACK's routine. Row-major operands are copied, as in LAPACKE, and so are pivots whose integers have another
/// width than LAPACK's.
template <class E>
void native_factorization(const Factorization<E>& f, Execution& execution) {
  const RealBlas& blas = real_blas();
  require_sizes("routines of LAPACK", {f.m, f.n, f.nrhs});
  Factorization<E> call = f;
  Compact<E> operands(execution);
  const Triangle part = !has_uplo(f.kind)          ? Triangle::all
                        : f.uplo == ACCUBLAS_UPPER ? Triangle::upper
                                                   : Triangle::lower;
  operands.columns(call.a, call.lda, f.rows(), f.n, {{part, f.diag == ACCUBLAS_NON_UNIT}, true, has_factor(f.kind)});
  operands.columns(call.b, call.ldb, f.n, f.nrhs, result_of(Triangle::all, true));
  const bool copied_pivots = !has_uplo(f.kind) && f.pivots.narrow != blas.narrow_integers;
  if (copied_pivots) {
    call.pivots = {execution.workspace.take<std::int64_t>(static_cast<std::size_t>(f.order())), blas.narrow_integers};
    if (!finds_pivots(f.kind) && !execution.workspace.rehearses())
      for (Index i = 0; i < f.order(); ++i) call.pivots.put(i, f.pivots.at(i));
  }
  if (f.kind == Operation::getri) {
    const Index least = std::max<Index>(f.n, 1), room = static_cast<Index>(execution.workspace.available() / sizeof(E));
    call.lwork = std::max(least, std::min(f.best_work(), room / least * least));
    call.work = execution.workspace.take<E>(static_cast<std::size_t>(call.lwork));
  }
  if (execution.workspace.rehearses()) return;
  {
    PhaseTimer timer(execution, &accublas_report_t::ms_product);
    f.put_info(call_lapack(blas, call));
  }
  if (copied_pivots && finds_pivots(f.kind))
    for (Index i = 0; i < f.order(); ++i) f.pivots.put(i, call.pivots.at(i));
  operands.put_back();
}

namespace {

/// Returns the lwork that LAPACK's workspace query asks for, limited to half of the workspace that is left.
template <class E>
Index work_of(const RealBlas& blas, Orthogonal<E> call, const Execution& execution) {
  E best{};
  call.work = &best;
  call.lwork = -1;
  call_lapack(blas, call);
  double numbers = 0;
  if constexpr (is_complex<E>)
    numbers = static_cast<double>(best.re);
  else
    numbers = static_cast<double>(best);
  const Index room = static_cast<Index>(execution.workspace.available() / sizeof(E)) / 2;
  return std::max(call.least_work(), std::min({static_cast<Index>(numbers), room, int_max}));
}

/// Computes ORMQR. LAPACK's routine writes the ones of its reflectors into A for a while, but A is only read here. So
/// the routine gets copies of A's columns, as many at a time as the workspace holds.
template <class E>
void apply_reflectors(const RealBlas& blas, const Orthogonal<E>& o, Execution& execution) {
  const Index rows = o.a_rows(), room = static_cast<Index>(execution.workspace.available() / sizeof(E)) / rows;
  const Index blocks = room / 64 * 64, width = std::min(o.k, std::max<Index>(blocks > 0 ? blocks : room, 1));
  E* const space = execution.workspace.take<E>(static_cast<std::size_t>(rows * width));
  if (execution.workspace.rehearses()) return;
  const bool left = o.side == ACCUBLAS_LEFT, forwards = left == (o.trans != ACCUBLAS_NO_TRANS);
  const Index panels = ceil_div(o.k, width);
  for (Index step = 0; step < panels; ++step) {
    const Index first = (forwards ? step : panels - 1 - step) * width;
    Orthogonal<E> panel = o;
    panel.k = std::min(width, o.k - first);
    (left ? panel.m : panel.n) -= first;
    panel.a = {space, 1, rows - first};
    panel.lda = rows - first;
    panel.tau = o.tau + first;
    panel.c = left ? o.c.block(first, 0) : o.c.block(0, first);
    copy_matrix(o.a.block(first, first), panel.a, rows - first, panel.k, execution, false, {Triangle::lower});
    PhaseTimer timer(execution, &accublas_report_t::ms_product);
    call_lapack(blas, panel);
  }
}

}  // namespace

template <class E>
void native_orthogonal(const Orthogonal<E>& o, Execution& execution) {
  const RealBlas& blas = real_blas();
  require_sizes("routines of LAPACK", {o.m, o.n, o.k, o.nrhs});
  const bool reads_a = o.kind == Operation::ormqr;
  Orthogonal<E> call = o;
  Compact<E> operands(execution);
  Use of_a = result_of(Triangle::all, true);
  // OpenBLAS's GELS reads beyond the rows of a complex matrix that has more columns than rows.
  of_a.padded = is_complex<E> && o.kind == Operation::gels && o.m < o.n;
  if (reads_a)
    call.lda = o.a_rows();
  else
    operands.columns(call.a, call.lda, o.a_rows(), o.a_cols(), of_a);
  if (o.has_c()) operands.columns(call.c, call.ldc, o.c_rows(), o.c_cols(), result_of(Triangle::all, true));
  call.lwork = work_of(blas, call, execution);
  call.work = execution.workspace.take<E>(static_cast<std::size_t>(call.lwork));
  if (reads_a) {
    apply_reflectors(blas, call, execution);
  } else if (!execution.workspace.rehearses()) {
    PhaseTimer timer(execution, &accublas_report_t::ms_product);
    const std::int64_t info = call_lapack(blas, call);
    if (o.info) *o.info = info;
  }
  operands.put_back();
}

#define ACCUBLAS_INSTANTIATE(E)                                            \
  template void native_factorization(const Factorization<E>&, Execution&); \
  template void native_orthogonal(const Orthogonal<E>&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
