// The batched routines of the C interface: they check the arguments and make one call.
#include "c_api/unchecked.hpp"

using namespace accublas;

namespace {

/// The operands are arrays of pointers, or the first matrices.
template <class E, class Operand>
accublas_status batched(accublas_context* ctx, accublas_layout layout, const BatchShape& shape, const void* alpha,
                        Operand* a, Operand* b, const void* beta, const void* c, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    const BatchCall<E> call = batch_call<E>(shape, a, b, c);
    require(check_batch(layout, call));
    run_unchecked(context, layout, call, alpha, beta, options);
  });
}

}  // namespace

#include "c_api/batched_functions.inc"
