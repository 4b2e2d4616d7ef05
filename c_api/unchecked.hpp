// Runs calls whose arguments are checked: converts BLAS's arguments to the library's problems. alpha and beta are
// BLAS's, in the memory of the pointer mode. They are real in some Hermitian routines, and null if the routine has
// none.
#pragma once

#include "c_api/views.hpp"
#include "lib/call/level1.hpp"
#include "lib/lapack/inverses.hpp"
#include "lib/lapack/orthogonal.hpp"
#include "lib/runtime/dispatch.hpp"

namespace accublas {

/// Returns the C interface's ipiv.
inline Pivots pivots(const std::int64_t* ipiv) { return {const_cast<std::int64_t*>(ipiv), false}; }

/// `alpha` holds SDSDOT's addend.
template <class E>
void run_unchecked(Context& context, accublas_layout, const Level1<E>& l, const void* alpha, const void*,
                   const accublas_options* options) {
  const std::int64_t n = l.inner();
  const E *const x = as<E>(l.x), *const y = as<E>(l.y);
  E* const result = as<E>(l.result);
  if (is_norm(l.kind)) {
    const Norm norm = l.kind == Operation::nrm2 ? Norm::nrm2 : Norm::asum;
    run_norm(context, norm_view(norm, n, x, l.incx, as<RealOf<E>>(l.result)), options);
  } else if (l.kind != Operation::mixed_dot) {
    run_dot(context, Dot<E>{n, view(n, x, l.incx), view(n, y, l.incy), result, l.kind == Operation::dotc}, options);
  } else if constexpr (!is_complex<E>) {
    run_mixed_dot(context,
                  MixedDot<E>{n, E{}, view(n, as<float>(l.x), l.incx), view(n, as<float>(l.y), l.incy), result},
                  as<E>(alpha), options);
  }
}

template <class E>
void run_unchecked(Context& context, accublas_layout layout, Level2<E> l, const void* alpha, const void* beta,
                   const accublas_options* options) {
  if (l.kind == Operation::gemv) {
    const std::int64_t outputs = length_of_y(l), terms = length_of_x(l);
    return run_gemv(
        context,
        Gemv<E>{outputs, terms, E{}, view(layout, l.trans, outputs, terms, l.a, l.lda), view(terms, l.x, l.incx), E{},
                view(outputs, l.c, l.incy), l.trans == ACCUBLAS_CONJ_TRANS || l.conjugated},
        as<E>(alpha), as<E>(beta), options);
  }
  // The increment of a vector with at most one element is never used and may be any number.
  if (length_of_x(l) <= 1) l.incx = 1;
  if (length_of_y(l) <= 1) l.incy = 1;
  if (layout == ACCUBLAS_ROW_MAJOR) l.transpose();
  if constexpr (is_complex<E>)
    if (l.kind == Operation::her) return run_level2(context, l, as<RealOf<E>>(alpha), as<E>(beta), options);
  run_level2(context, l, as<E>(alpha), as<E>(beta), options);
}

/// Makes a product row-major again, whose caller transposed it: the terms of a complex sum of dot2 have the order of
/// the caller's operands.
template <class E, template <class> class Product>
void undo_transposition(accublas_layout& layout, Product<E>& product) {
  if (!is_complex<E> || !product.transposed_call) return;
  product.transpose();
  layout = ACCUBLAS_ROW_MAJOR;
}

template <class E>
void run_unchecked(Context& context, accublas_layout layout, Level3<E> l, const void* alpha, const void* beta,
                   const accublas_options* options) {
  if (l.kind == Operation::gemm) {
    undo_transposition(layout, l);
    return run_gemm(context, gemm_view(layout, l.transa, l.transb, l.m, l.n, l.k, l.a, l.lda, l.b, l.ldb, l.c, l.ldc),
                    as<E>(alpha), as<E>(beta), options);
  }
  if (layout == ACCUBLAS_ROW_MAJOR) l.transpose();
  if constexpr (is_complex<E>) {
    using Real = RealOf<E>;
    if (l.real_alpha()) return run_level3(context, l, as<Real>(alpha), as<Real>(beta), options);
    if (l.real_beta()) return run_level3(context, l, as<E>(alpha), as<Real>(beta), options);
  }
  run_level3(context, l, as<E>(alpha), as<E>(beta), options);
}

template <class E>
void run_unchecked(Context& context, accublas_layout layout, BatchCall<E> s, const void* alpha, const void* beta,
                   const accublas_options* options) {
  undo_transposition(layout, s);
  const Gemm<E> shape =
      gemm_view<E>(layout, s.transa, s.transb, s.m, s.n, s.k, nullptr, s.lda, nullptr, s.ldb, nullptr, s.ldc);
  run_gemm_batched(context, GemmBatch<E>{shape, s.batch_count, s.a, s.b, s.c}, as<E>(alpha), as<E>(beta), options);
}

template <class E>
void run_unchecked(Context& context, accublas_layout, Factorization<E> f, const void*, const void*,
                   const accublas_options* options) {
  f.a = view(f.rows(), f.n, f.a.data, f.a.row_stride, f.a.col_stride);
  f.b = view(f.n, f.nrhs, f.b.data, f.b.row_stride, f.b.col_stride);
  is_inverse(f.kind) ? run_inverse(context, f, options) : run_factorization(context, f, options);
}

template <class E>
void run_unchecked(Context& context, accublas_layout, Orthogonal<E> o, const void*, const void*,
                   const accublas_options* options) {
  o.a = view(o.a_rows(), o.a_cols(), o.a.data, o.a.row_stride, o.a.col_stride);
  o.c = view(o.c_rows(), o.c_cols(), o.c.data, o.c.row_stride, o.c.col_stride);
  run_orthogonal(context, o, options);
}

}  // namespace accublas
