// Level 2 in the C interface: check, one call.
#include "c_api/unchecked.hpp"

using namespace accublas;

namespace {

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

/// `shape` is in the caller's layout. `c` is the operand that the routine overwrites.
template <class E>
accublas_status level2(accublas_context* ctx, accublas_layout layout, const Level2Shape& shape, const void* alpha,
                       const void* a, const void* x, const void* y, const void* beta, void* c,
                       const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_level2(layout, shape));
    run_unchecked(context, layout, Level2<E>{shape, E{1}, as<E>(a), as<E>(x), as<E>(y), E{1}, as<E>(c)}, alpha, beta,
                  options);
  });
}

}  // namespace

#include "c_api/level2_functions.inc"
