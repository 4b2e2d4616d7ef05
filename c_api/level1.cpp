// Products and norms of vectors: fold the sign of increments into views, one call.
#include "c_api/views.hpp"
#include "lib/runtime/dispatch.hpp"

using namespace accublas;

namespace {

template <class T>
accublas_status dot(accublas_context* ctx, std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                    T* result, bool conjugate_x, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    run_dot(context, Dot<T>{n > 0 ? n : 0, view(n, x, incx), view(n, y, incy), result, conjugate_x}, options);
  });
}

template <class E>
accublas_status nrm2(accublas_context* ctx, std::int64_t n, const E* x, std::int64_t incx, RealOf<E>* result,
                     const accublas_options* options) {
  return guarded(ctx, [&](Context& context) { run_norm(context, norm_view(Norm::nrm2, n, x, incx, result), options); });
}

template <class E>
accublas_status asum(accublas_context* ctx, std::int64_t n, const E* x, std::int64_t incx, RealOf<E>* result,
                     const accublas_options* options) {
  return guarded(ctx, [&](Context& context) { run_norm(context, norm_view(Norm::asum, n, x, incx, result), options); });
}

template <class T>
accublas_status mixed_dot(accublas_context* ctx, std::int64_t n, const T* addend, const float* x, std::int64_t incx,
                          const float* y, std::int64_t incy, T* result, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    run_mixed_dot(context, MixedDot<T>{n > 0 ? n : 0, T{}, view(n, x, incx), view(n, y, incy), result}, addend,
                  options);
  });
}

}  // namespace

#include "c_api/level1_functions.inc"
