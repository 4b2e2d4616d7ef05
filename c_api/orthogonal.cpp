// LAPACK's QR factorization, the routines that use its reflectors, and least squares in the C interface: check, views
// of the caller's matrices, one call.
#include "c_api/unchecked.hpp"
#include "lib/call/overlap.hpp"
#include "lib/lapack/qr_forms.hpp"

using namespace accublas;

namespace {

/// `shape` is in the caller's layout. An operand that the routine lacks is null. ORMQR's A is not written, nor is a tau
/// that is only read.
template <class E>
accublas_status orthogonal(accublas_context* ctx, accublas_layout layout, const OrthogonalShape& shape, const void* a,
                           const void* tau, void* c, std::int64_t* info, const accublas_options* options) {
  using enum Operation;
  return guarded(ctx, [&](Context& context) {
    require(check_orthogonal(layout, shape));
    if (shape.kind == gels && !info) bad_argument("info", "a pointer, not NULL");
    Orthogonal<E> call{shape};
    call.by_rows = layout == ACCUBLAS_ROW_MAJOR;
    call.info = info;
    call.tau = static_cast<E*>(const_cast<void*>(tau));
    call.a = view(layout, ACCUBLAS_NO_TRANS, shape.a_rows(), shape.a_cols(), static_cast<E*>(const_cast<void*>(a)),
                  shape.lda);
    if (shape.has_c())
      call.c = view(layout, ACCUBLAS_NO_TRANS, shape.c_rows(), shape.c_cols(), static_cast<E*>(c), shape.ldc);
    if (context.operands_are_apart())
      require_apart({{"a", footprint(call.a, shape.a_rows(), shape.a_cols()), shape.kind != ormqr},
                     {"tau", footprint(call.tau, shape.has_tau() ? shape.reflectors() : 0), shape.kind == geqrf},
                     {shape.kind == gels ? "b" : "c", footprint(call.c, shape.c_rows(), shape.c_cols()), true},
                     {"info", footprint(info, info ? 1 : 0), true}});
    run_unchecked(context, layout, call, nullptr, nullptr, options);
  });
}

template <class E>
accublas_status qr_explicit(accublas_context* ctx, accublas_layout layout, std::int64_t m, std::int64_t n, void* a,
                            std::int64_t lda, void* r, std::int64_t ldr, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    const OrthogonalShape shape{.kind = Operation::geqrf, .complex = is_complex<E>, .m = m, .n = n, .lda = lda};
    if (valid(layout) && m >= 0 && n > m) bad_argument("n", "from 0 to m");
    require(check_orthogonal(layout, shape));
    if (bad_ld(layout, n, n, ldr)) require({"ldr"});
    Orthogonal<E> call{shape};
    call.by_rows = layout == ACCUBLAS_ROW_MAJOR;
    call.a = view(layout, ACCUBLAS_NO_TRANS, m, n, static_cast<E*>(a), lda);
    const Matrix<E> to = view(layout, ACCUBLAS_NO_TRANS, n, n, static_cast<E*>(r), ldr);
    if (context.operands_are_apart())
      require_apart({{"a", footprint(call.a, m, n), true}, {"r", footprint(to, n, n), true}});
    run_qr_explicit(context, call, to, options);
  });
}

}  // namespace

#include "c_api/orthogonal_functions.inc"
