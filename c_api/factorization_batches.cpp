// Batched factorizations and solutions of the C interface: they check the arguments and make one call.
#include <type_traits>

#include "c_api/unchecked.hpp"
#include "lib/lapack/qr_forms.hpp"

using namespace accublas;

namespace {

/// These functions return the matrices of an operand: the first one and a stride, or an array of pointers.
template <class E>
Matrices<E> matrices(const void* first, std::int64_t stride) {
  return {static_cast<E*>(const_cast<void*>(first)), stride, nullptr};
}
template <class E, class T>
Matrices<E> matrices(T* const* pointers, std::int64_t) {
  return {nullptr, 0, static_cast<E* const*>(static_cast<const void*>(pointers))};
}

/// Factorizations and solutions. `shape` is in the caller's layout. A routine without B passes nullptr for it. Matrices
/// that a routine only reads are not written.
template <class E, class A, class B>
accublas_status factorization_batch(accublas_context* ctx, accublas_layout layout, const FactorizationShape& shape, A a,
                                    Pivots pivots, B b, std::int64_t* info, const accublas_options* options) {
  constexpr bool by_pointers = std::is_pointer_v<std::remove_pointer_t<A>>;
  return guarded(ctx, [&](Context& context) {
    require(check_factorization_batch(layout, shape, by_pointers));
    if (has_info(shape.kind) && shape.batch_count > 0 && !info) bad_argument("info", "a pointer, not NULL");
    Factorization<E> one{shape};
    one.info = info;
    one.pivots = pivots;
    E* const nowhere = nullptr;
    one.a = view(layout, ACCUBLAS_NO_TRANS, one.rows(), shape.n, nowhere, shape.lda);
    if (has_solution(shape.kind)) one.b = view(layout, ACCUBLAS_NO_TRANS, shape.n, shape.nrhs, nowhere, shape.ldb);
    const FactorizationBatch<E> batch{one, shape.batch_count, matrices<E>(a, shape.stride_a),
                                      matrices<E>(b, shape.stride_b)};
    run_factorization_batch(context, batch, options);
  });
}

/// GEQRF of a batch.
template <class E, class A>
accublas_status orthogonal_batch(accublas_context* ctx, accublas_layout layout, const OrthogonalShape& shape, A a,
                                 std::int64_t stride, void* tau, std::int64_t count, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_orthogonal(layout, shape));
    if (count < 0) bad_argument("batch_count", "at least 0");
    const bool by_columns = layout == ACCUBLAS_COL_MAJOR, by_pointers = std::is_pointer_v<std::remove_pointer_t<A>>;
    if (!by_pointers &&
        matrices_coincide(count, stride, by_columns ? shape.m : shape.n, by_columns ? shape.n : shape.m, shape.lda))
      bad_argument("stride_a", "such that no elements of two results coincide");
    if (by_pointers && count > 0 && shape.reflectors() > 0) require_pointer("a", a);
    Orthogonal<E> one{shape};
    one.by_rows = !by_columns;
    one.tau = static_cast<E*>(tau);
    one.a = view(layout, ACCUBLAS_NO_TRANS, shape.m, shape.n, static_cast<E*>(nullptr), shape.lda);
    run_geqrf_batch(context, OrthogonalBatch<E>{one, count, matrices<E>(a, stride)}, options);
  });
}

}  // namespace

#include "c_api/factorization_batches_functions.inc"
