// LAPACK's factorizations and the solutions and inverses that use them, in the C interface: check, views of the
// caller's matrices, one call.
#include "c_api/unchecked.hpp"
#include "lib/call/overlap.hpp"

using namespace accublas;

namespace {

/// `shape` is in the caller's layout. An operand that the routine lacks is null. A and B are not written if the routine
/// only reads them.
template <class E>
accublas_status factorization(accublas_context* ctx, accublas_layout layout, const FactorizationShape& shape,
                              const void* a, Pivots pivots, void* b, std::int64_t* info,
                              const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_factorization(layout, shape));
    if (has_info(shape.kind) && !info) bad_argument("info", "a pointer, not NULL");
    std::int64_t unused = 0;
    Factorization<E> call{shape};
    call.info = info ? info : &unused;
    call.pivots = pivots;
    call.a = view(layout, ACCUBLAS_NO_TRANS, call.rows(), shape.n, static_cast<E*>(const_cast<void*>(a)), shape.lda);
    if (has_solution(shape.kind))
      call.b = view(layout, ACCUBLAS_NO_TRANS, shape.n, shape.nrhs, static_cast<E*>(b), shape.ldb);
    if (context.operands_are_apart()) {
      const bool only_read = shape.kind == Operation::potrs || shape.kind == Operation::getrs;
      const Triangle part = !has_uplo(shape.kind)          ? Triangle::all
                            : shape.uplo == ACCUBLAS_UPPER ? Triangle::upper
                                                           : Triangle::lower;
      const std::int64_t order = has_uplo(shape.kind) ? 0 : call.order();
      const Footprint pivots_at = pivots.narrow ? footprint(static_cast<const std::int32_t*>(pivots.data), order)
                                                : footprint(static_cast<const std::int64_t*>(pivots.data), order);
      require_apart({{"a", footprint(call.a, call.rows(), shape.n, part, shape.diag == ACCUBLAS_UNIT), !only_read},
                     {"ipiv", pivots_at, finds_pivots(shape.kind)},
                     {"b", footprint(call.b, shape.n, shape.nrhs), true},
                     {"info", footprint(info, info ? 1 : 0), true}});
    }
    run_unchecked(context, layout, call, nullptr, nullptr, options);
  });
}

}  // namespace

#include "c_api/factorizations_functions.inc"
#include "c_api/inverses_functions.inc"
