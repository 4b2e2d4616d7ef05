// Level 2 beside GEMV, and the DOTs of single precision summed in double: check, turn a row-major call into the
// column-major one, one call.
#include "lib/call/level2.hpp"

#include "c_api/boundary.hpp"
#include "c_api/private.hpp"
#include "c_api/views.hpp"
#include "lib/dispatch.hpp"

using namespace accublas;

namespace {

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

template <class T>
accublas_status mixed_dot(accublas_context* ctx, std::int64_t n, const T* addend, const float* x, std::int64_t incx,
                          const float* y, std::int64_t incy, T* result, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    run_mixed_dot(context, MixedDot<T>{n > 0 ? n : 0, T{}, view(n, x, incx), view(n, y, incy), result}, addend,
                  options);
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

// The exported names, of each routine the form with options and the one without. `type` as accublas.h has it, `E` as
// the library does, `factor` and A alpha's.
#define ACCUBLAS_DEFINE_SYMV(name, which, type, E)                                                                   \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n, \
                                       const type* alpha, const type* a, int64_t lda, const type* x, int64_t incx,   \
                                       const type* beta, type* y, int64_t incy, const accublas_options* options) {   \
    const Level2Shape shape{                                                                                         \
        Level2Kind::which, is_complex<E>, uplo, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, 0, n, lda, incx, incy};        \
    return level2<E, E>(ctx, layout, shape, alpha, a, x, nullptr, beta, y, options);                                 \
  }                                                                                                                  \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n,      \
                                  const type* alpha, const type* a, int64_t lda, const type* x, int64_t incx,        \
                                  const type* beta, type* y, int64_t incy) {                                         \
    return accublas_##name##_ex(ctx, layout, uplo, n, alpha, a, lda, x, incx, beta, y, incy, nullptr);               \
  }
#define ACCUBLAS_DEFINE_TRMV(name, which, type, E)                                                                     \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,              \
                                       accublas_transpose trans, accublas_diag diag, int64_t n, const type* a,         \
                                       int64_t lda, type* x, int64_t incx, const accublas_options* options) {          \
    const Level2Shape shape{Level2Kind::which, is_complex<E>, uplo, trans, diag, 0, n, lda, incx};                     \
    return level2<E, E>(ctx, layout, shape, nullptr, a, nullptr, nullptr, nullptr, x, options);                        \
  }                                                                                                                    \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,                   \
                                  accublas_transpose trans, accublas_diag diag, int64_t n, const type* a, int64_t lda, \
                                  type* x, int64_t incx) {                                                             \
    return accublas_##name##_ex(ctx, layout, uplo, trans, diag, n, a, lda, x, incx, nullptr);                          \
  }
#define ACCUBLAS_DEFINE_GER(name, which, type, E)                                                                   \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,         \
                                       const type* alpha, const type* x, int64_t incx, const type* y, int64_t incy, \
                                       type* a, int64_t lda, const accublas_options* options) {                     \
    const Level2Shape shape{Level2Kind::which,                                                                      \
                            is_complex<E>,                                                                          \
                            ACCUBLAS_UPPER,                                                                         \
                            ACCUBLAS_NO_TRANS,                                                                      \
                            ACCUBLAS_NON_UNIT,                                                                      \
                            m,                                                                                      \
                            n,                                                                                      \
                            lda,                                                                                    \
                            incx,                                                                                   \
                            incy};                                                                                  \
    return level2<E, E>(ctx, layout, shape, alpha, nullptr, x, y, nullptr, a, options);                             \
  }                                                                                                                 \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,              \
                                  const type* alpha, const type* x, int64_t incx, const type* y, int64_t incy,      \
                                  type* a, int64_t lda) {                                                           \
    return accublas_##name##_ex(ctx, layout, m, n, alpha, x, incx, y, incy, a, lda, nullptr);                       \
  }
#define ACCUBLAS_DEFINE_SYR(name, which, type, factor, E, A)                                                         \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n, \
                                       const factor* alpha, const type* x, int64_t incx, type* a, int64_t lda,       \
                                       const accublas_options* options) {                                            \
    const Level2Shape shape{                                                                                         \
        Level2Kind::which, is_complex<E>, uplo, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, 0, n, lda, incx};              \
    return level2<E, A>(ctx, layout, shape, alpha, nullptr, x, nullptr, nullptr, a, options);                        \
  }                                                                                                                  \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n,      \
                                  const factor* alpha, const type* x, int64_t incx, type* a, int64_t lda) {          \
    return accublas_##name##_ex(ctx, layout, uplo, n, alpha, x, incx, a, lda, nullptr);                              \
  }
#define ACCUBLAS_DEFINE_SYR2(name, which, type, E)                                                                   \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n, \
                                       const type* alpha, const type* x, int64_t incx, const type* y, int64_t incy,  \
                                       type* a, int64_t lda, const accublas_options* options) {                      \
    const Level2Shape shape{                                                                                         \
        Level2Kind::which, is_complex<E>, uplo, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, 0, n, lda, incx, incy};        \
    return level2<E, E>(ctx, layout, shape, alpha, nullptr, x, y, nullptr, a, options);                              \
  }                                                                                                                  \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n,      \
                                  const type* alpha, const type* x, int64_t incx, const type* y, int64_t incy,       \
                                  type* a, int64_t lda) {                                                            \
    return accublas_##name##_ex(ctx, layout, uplo, n, alpha, x, incx, y, incy, a, lda, nullptr);                     \
  }

#define ACCUBLAS_DEFINE_TRIANGULAR(prefix, type, E) \
  ACCUBLAS_DEFINE_TRMV(prefix##trmv, trmv, type, E) \
  ACCUBLAS_DEFINE_TRMV(prefix##trsv, trsv, type, E)
#define ACCUBLAS_DEFINE_REAL(prefix, T)             \
  ACCUBLAS_DEFINE_TRIANGULAR(prefix, T, T)          \
  ACCUBLAS_DEFINE_GER(prefix##ger, ger, T, T)       \
  ACCUBLAS_DEFINE_SYMV(prefix##symv, symv, T, T)    \
  ACCUBLAS_DEFINE_SYR(prefix##syr, syr, T, T, T, T) \
  ACCUBLAS_DEFINE_SYR2(prefix##syr2, syr2, T, T)
#define ACCUBLAS_DEFINE_COMPLEX(prefix, T)                      \
  ACCUBLAS_DEFINE_TRIANGULAR(prefix, void, Complex<T>)          \
  ACCUBLAS_DEFINE_GER(prefix##geru, ger, void, Complex<T>)      \
  ACCUBLAS_DEFINE_GER(prefix##gerc, gerc, void, Complex<T>)     \
  ACCUBLAS_DEFINE_SYMV(prefix##hemv, hemv, void, Complex<T>)    \
  ACCUBLAS_DEFINE_SYR(prefix##her, her, void, T, Complex<T>, T) \
  ACCUBLAS_DEFINE_SYR2(prefix##her2, her2, void, Complex<T>)
ACCUBLAS_DEFINE_REAL(d, double)
ACCUBLAS_DEFINE_REAL(s, float)
ACCUBLAS_DEFINE_COMPLEX(z, double)
ACCUBLAS_DEFINE_COMPLEX(c, float)

accublas_status accublas_dsdot_ex(accublas_context* ctx, int64_t n, const float* x, int64_t incx, const float* y,
                                  int64_t incy, double* result, const accublas_options* options) {
  return mixed_dot<double>(ctx, n, nullptr, x, incx, y, incy, result, options);
}
accublas_status accublas_dsdot(accublas_context* ctx, int64_t n, const float* x, int64_t incx, const float* y,
                               int64_t incy, double* result) {
  return accublas_dsdot_ex(ctx, n, x, incx, y, incy, result, nullptr);
}
accublas_status accublas_sdsdot_ex(accublas_context* ctx, int64_t n, const float* sb, const float* x, int64_t incx,
                                   const float* y, int64_t incy, float* result, const accublas_options* options) {
  return mixed_dot<float>(ctx, n, sb, x, incx, y, incy, result, options);
}
accublas_status accublas_sdsdot(accublas_context* ctx, int64_t n, const float* sb, const float* x, int64_t incx,
                                const float* y, int64_t incy, float* result) {
  return accublas_sdsdot_ex(ctx, n, sb, x, incx, y, incy, result, nullptr);
}
