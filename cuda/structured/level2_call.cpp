#include "cuda/structured/level2_call.hpp"

#include "cuda/core/cublas.hpp"
#include "cuda/native/native_call.hpp"
#include "cuda/structured/update.hpp"
#include "cuda/structured/vector_product.hpp"
#include "cuda/trsm/solve_by_sums.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

template <class E>
void level2_call(State& state, const Call<Level2<E>, E>& call, Execution& execution) {
  const Level2<E>& l = call.problem;
  if (call.alpha.on_device && !is_triangular(l.kind))
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                "routines of level 2 other than GEMV need alpha and beta in host memory on a GPU");
  // BLAS cannot express an operand that is conjugated without being transposed, or the reverse.
  if (call.engine == ACCUBLAS_ENGINE_NATIVE && !l.conjugated && !(l.alpha == 0))
    return with_cublas(state, execution, 0, [&](Cublas& cublas, std::byte*) {
      cublas.scalars_on_device(false);
      cublas.level2(l);
    });
  if (l.kind == Operation::trsv) {
    if (call.engine == ACCUBLAS_ENGINE_INT8)
      throw Error(ACCUBLAS_ERROR_ENGINE, "engine int8 cannot compute TRSV; those that can are auto, native, sums");
    return solve_by_sums<E>(state, system_of(l), nullptr, call.mode, execution);
  }
  Product<E> p = product_of(l);
  if (is_update(l.kind)) {
    state.begin_native_call(execution.report.level);
    state.phase(&accublas_report_t::ms_product);
    update(state.model(), p, state.cuda_stream());
    return state.end_call();
  }
  // A product that is transposed is x^T A^T.
  const Matrix<E> y = p.transposed ? p.c.transposed() : p.c;
  const accublas::Operand<E> a = p.transposed ? p.b.transposed() : p.a;
  const Matrix<const E> x = p.transposed ? p.a.stored.transposed() : p.b.stored;
  vector_product(state, VectorProduct<E>{l.n, l.n, a, x.col(0), y.col(0)}, ScalarArgument<E>{&p.alpha, false},
                 ScalarArgument<E>{&p.beta, false}, call.mode, call.engine, execution);
}

#define ACCUBLAS_INSTANTIATE(E) template void level2_call(State&, const Call<Level2<E>, E>&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
