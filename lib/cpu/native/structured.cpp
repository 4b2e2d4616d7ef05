// Engine native: the routines of level 2 other than GEMV, and those of level 3 other than GEMM.
#include "lib/cpu/level2_calls.hpp"
#include "lib/cpu/level3_calls.hpp"
#include "lib/cpu/native/operands.hpp"

namespace accublas::cpu {

template <class E>
void native_level2(const Level2<E>& l, Execution& execution) {
  const RealBlas& blas = real_blas();
  require_sizes("routines of level 2", {l.m, l.n});
  Level2<E> call = l;
  Compact<E> operands(execution);
  if (is_update(l.kind)) {
    operands.columns(call.c, call.lda, l.rows(), l.n, result_of(l.wanted(), true));
  } else {
    operands.columns(call.a, call.lda, l.n, l.n, {{l.part(), l.diag == ACCUBLAS_NON_UNIT}});
    operands.vector(call.c, is_triangular(l.kind) ? call.incx : call.incy, l.n,
                    result_of(Triangle::all, is_triangular(l.kind) || !(l.beta == 0)));
  }
  operands.vector(call.x, call.incx, length_of_x(l), {});
  operands.vector(call.y, call.incy, l.n, {});
  if (execution.workspace.rehearses()) return;
  {
    PhaseTimer timer(execution, &accublas_report_t::ms_product);
    call_level2(blas, call);
  }
  operands.put_back();
}

template <class E>
void native_level3(const Level3<E>& l, Execution& execution) {
  const RealBlas& blas = real_blas();
  require_sizes("products of level 3", {l.m, l.n, l.k});
  const bool sides = is_symm(l.kind) || is_in_place(l.kind);
  Level3<E> call = l;
  Compact<E> operands(execution);
  if (sides)
    operands.columns(call.a, call.lda, l.order(), l.order(),
                     {{l.part(), !is_in_place(l.kind) || l.diag == ACCUBLAS_NON_UNIT}});
  else
    operands.columns(call.a, call.lda, tall_a(l) ? l.n : l.k, tall_a(l) ? l.k : l.n, {});
  operands.columns(call.b, call.ldb, sides ? l.m : tall_b(l) ? l.n : l.k, sides || !tall_b(l) ? l.n : l.k, {});
  operands.columns(call.c, is_in_place(l.kind) ? call.ldb : call.ldc, l.rows(), l.n,
                   result_of(l.wanted(), is_in_place(l.kind) || !(l.beta == 0)));
  if (execution.workspace.rehearses()) return;
  {
    PhaseTimer timer(execution, &accublas_report_t::ms_product);
    call_level3(blas, call);
  }
  operands.put_back();
}

#define ACCUBLAS_INSTANTIATE(E)                              \
  template void native_level2(const Level2<E>&, Execution&); \
  template void native_level3(const Level3<E>&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
