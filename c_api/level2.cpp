// Level 2: check, fold layout, transposition and sign of increments into views (GEMV), or turn a row-major call into
// the column-major one, one call.
#include "lib/call/level2.hpp"

#include "c_api/boundary.hpp"
#include "c_api/private.hpp"
#include "c_api/views.hpp"
#include "lib/runtime/dispatch.hpp"

using namespace accublas;

namespace {

template <class T>
accublas_status gemv(accublas_context* ctx, accublas_layout layout, accublas_transpose trans, std::int64_t m,
                     std::int64_t n, const T* alpha, const T* a, std::int64_t lda, const T* x, std::int64_t incx,
                     const T* beta, T* y, std::int64_t incy, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemv(layout, trans, m, n, lda, incx, incy));
    const bool plain = trans == ACCUBLAS_NO_TRANS;
    const std::int64_t outputs = plain ? m : n, terms = plain ? n : m;
    run_gemv(context,
             Gemv<T>{outputs, terms, T{}, view(layout, trans, outputs, terms, a, lda), view(terms, x, incx), T{},
                     view(outputs, y, incy), trans == ACCUBLAS_CONJ_TRANS},
             alpha, beta, options);
  });
}

template <class T>
accublas_status gemv_strided(accublas_context* ctx, std::int64_t m, std::int64_t n, const T* alpha, const T* a,
                             std::int64_t rsa, std::int64_t csa, const T* x, std::int64_t incx, const T* beta, T* y,
                             std::int64_t incy, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemv_strided(m, n, incx, incy));
    run_gemv(context, Gemv<T>{m, n, T{}, view(m, n, a, rsa, csa), view(n, x, incx), T{}, view(m, y, incy)}, alpha, beta,
             options);
  });
}

/// `shape` is as the caller's layout has it. alpha and beta, of type A and E, are BLAS's: alpha is real in HER. `c` is
/// what the routine overwrites.
template <class E, class A>
accublas_status level2(accublas_context* ctx, accublas_layout layout, const Level2Shape& shape, const void* alpha,
                       const void* a, const void* x, const void* y, const void* beta, void* c,
                       const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_level2(layout, shape));
    Level2<E> call{shape};
    call.a = static_cast<const E*>(a);
    call.x = static_cast<const E*>(x);
    call.y = static_cast<const E*>(y);
    call.c = static_cast<E*>(c);
    // An increment that leads nowhere may be any.
    if ((is_ger(call.kind) ? call.m : call.n) <= 1) call.incx = 1;
    if (call.n <= 1) call.incy = 1;
    if (layout == ACCUBLAS_ROW_MAJOR) call.transpose();
    run_level2(context, call, static_cast<const A*>(alpha), static_cast<const E*>(beta), options);
  });
}

}  // namespace

accublas_status accublas_private_level2(const Level2Shape& shape, bool single, const void* alpha, const void* a,
                                        const void* x, const void* y, const void* beta, void* c,
                                        const accublas_options* options) noexcept {
  const auto run = [&](auto number) {
    using E = decltype(number);
    return level2<E, E>(nullptr, ACCUBLAS_COL_MAJOR, shape, alpha, a, x, y, beta, c, options);
  };
  if (shape.complex) return single ? run(Complex<float>{}) : run(Complex<double>{});
  return single ? run(float{}) : run(double{});
}

#include "c_api/level2_functions.inc"
