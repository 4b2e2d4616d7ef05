// Levels 1 and 2 under their names: DOT, NRM2, ASUM, GEMV and the rest of level 2.
#include "c_api/cublas/serve.hpp"
#include "lib/call/level2.hpp"

namespace accublas::cublas {
namespace {

Request request(cublasHandle_t handle, Routine routine, const Level2Shape& s) {
  const std::int64_t rows = is_ger(s.kind) ? s.m : s.n;
  return {handle,
          routine,
          rows,
          is_update(s.kind) ? s.n : 1,
          is_update(s.kind) ? 1 : s.n,
          !check_level2(ACCUBLAS_COL_MAJOR, s) && rows > 0 && s.n > 0};
}

}  // namespace
}  // namespace accublas::cublas

#define DEFINE_DOT(stem, name, Int, routine, E)                                                                    \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, Int n, const E* x, Int incx, const E* y,      \
                                              Int incy, E* result) {                                               \
    using namespace accublas;                                                                                      \
    using namespace accublas::cublas;                                                                              \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                    \
    return serve(                                                                                                  \
        {handle, routine_named(#routine), 1, 1, n, n > 0}, real,                                                   \
        [&](Call& call) { return accublas_##routine(call.context(), n, x, incx, y, incy, result); }, handle, n, x, \
        incx, y, incy, result);                                                                                    \
  }
#define DEFINE_NORM(stem, name, Int, routine, E, R)                                                             \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, Int n, const E* x, Int incx, R* result) {  \
    using namespace accublas;                                                                                   \
    using namespace accublas::cublas;                                                                           \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                 \
    return serve(                                                                                               \
        {handle, routine_named(#routine), 1, 1, n, n > 0 && incx > 0}, real,                                    \
        [&](Call& call) { return accublas_##routine(call.context(), n, x, incx, result); }, handle, n, x, incx, \
        result);                                                                                                \
  }
#define DEFINE_GEMV(stem, name, Int, routine, E)                                                                   \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, Int m, Int n,        \
                                              const E* alpha, const E* a, Int lda, const E* x, Int incx,           \
                                              const E* beta, E* y, Int incy) {                                     \
    using namespace accublas;                                                                                      \
    using namespace accublas::cublas;                                                                              \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                    \
    const accublas_transpose op = transpose_of(trans);                                                             \
    const bool plain = op == ACCUBLAS_NO_TRANS,                                                                    \
               good = !check_gemv(ACCUBLAS_COL_MAJOR, op, m, n, lda, incx, incy) && m > 0 && n > 0;                \
    return serve(                                                                                                  \
        {handle, routine_named(#routine), plain ? m : n, 1, plain ? n : m, good}, real,                            \
        [&](Call& call) {                                                                                          \
          return accublas_##routine(call.context(), ACCUBLAS_COL_MAJOR, op, m, n, alpha, a, lda, x, incx, beta, y, \
                                    incy);                                                                         \
        },                                                                                                         \
        handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);                                               \
  }
#define DEFINE_SYMV(stem, name, Int, routine, kind, E)                                                                \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, Int n, const E* alpha,    \
                                              const E* a, Int lda, const E* x, Int incx, const E* beta, E* y,         \
                                              Int incy) {                                                             \
    using namespace accublas;                                                                                         \
    using namespace accublas::cublas;                                                                                 \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                       \
    const Level2Shape shape{Operation::kind,                                                                          \
                            complex_numbers<E>,                                                                       \
                            uplo_of(uplo),                                                                            \
                            ACCUBLAS_NO_TRANS,                                                                        \
                            ACCUBLAS_NON_UNIT,                                                                        \
                            0,                                                                                        \
                            n,                                                                                        \
                            lda,                                                                                      \
                            incx,                                                                                     \
                            incy};                                                                                    \
    return serve(                                                                                                     \
        request(handle, routine_named(#routine), shape), real,                                                        \
        [&](Call& call) {                                                                                             \
          return with_factors(call, alpha, beta, [&](const E* of_product, const E* of_y) {                            \
            return accublas_##routine(call.context(), ACCUBLAS_COL_MAJOR, shape.uplo, n, of_product, a, lda, x, incx, \
                                      of_y, y, incy);                                                                 \
          });                                                                                                         \
        },                                                                                                            \
        handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy);                                                      \
  }
#define DEFINE_TRMV(stem, name, Int, routine, kind, E)                                                               \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
                                              cublasDiagType_t diag, Int n, const E* a, Int lda, E* x, Int incx) {   \
    using namespace accublas;                                                                                        \
    using namespace accublas::cublas;                                                                                \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                      \
    const Level2Shape shape{                                                                                         \
        Operation::kind, complex_numbers<E>, uplo_of(uplo), transpose_of(trans), diag_of(diag), 0, n, lda, incx};    \
    return serve(                                                                                                    \
        request(handle, routine_named(#routine), shape), real,                                                       \
        [&](Call& call) {                                                                                            \
          call.factors_are_on_host();                                                                                \
          return accublas_##routine(call.context(), ACCUBLAS_COL_MAJOR, shape.uplo, shape.trans, shape.diag, n, a,   \
                                    lda, x, incx);                                                                   \
        },                                                                                                           \
        handle, uplo, trans, diag, n, a, lda, x, incx);                                                              \
  }
#define DEFINE_GER(stem, name, Int, routine, kind, E)                                                              \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, Int m, Int n, const E* alpha, const E* x,     \
                                              Int incx, const E* y, Int incy, E* a, Int lda) {                     \
    using namespace accublas;                                                                                      \
    using namespace accublas::cublas;                                                                              \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                    \
    const Level2Shape shape{Operation::kind,                                                                       \
                            complex_numbers<E>,                                                                    \
                            ACCUBLAS_UPPER,                                                                        \
                            ACCUBLAS_NO_TRANS,                                                                     \
                            ACCUBLAS_NON_UNIT,                                                                     \
                            m,                                                                                     \
                            n,                                                                                     \
                            lda,                                                                                   \
                            incx,                                                                                  \
                            incy};                                                                                 \
    return serve(                                                                                                  \
        request(handle, routine_named(#routine), shape), real,                                                     \
        [&](Call& call) {                                                                                          \
          return with_factors(call, alpha, static_cast<const E*>(nullptr), [&](const E* factor, const E*) {        \
            return accublas_##routine(call.context(), ACCUBLAS_COL_MAJOR, m, n, factor, x, incx, y, incy, a, lda); \
          });                                                                                                      \
        },                                                                                                         \
        handle, m, n, alpha, x, incx, y, incy, a, lda);                                                            \
  }
#define DEFINE_SYR(stem, name, Int, routine, kind, E, R)                                                            \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, Int n, const R* alpha,  \
                                              const E* x, Int incx, E* a, Int lda) {                                \
    using namespace accublas;                                                                                       \
    using namespace accublas::cublas;                                                                               \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                     \
    const Level2Shape shape{                                                                                        \
        Operation::kind, complex_numbers<E>, uplo_of(uplo), ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, 0, n, lda, incx}; \
    return serve(                                                                                                   \
        request(handle, routine_named(#routine), shape), real,                                                      \
        [&](Call& call) {                                                                                           \
          return with_factors(call, alpha, static_cast<const R*>(nullptr), [&](const R* factor, const R*) {         \
            return accublas_##routine(call.context(), ACCUBLAS_COL_MAJOR, shape.uplo, n, factor, x, incx, a, lda);  \
          });                                                                                                       \
        },                                                                                                          \
        handle, uplo, n, alpha, x, incx, a, lda);                                                                   \
  }
#define DEFINE_SYR2(stem, name, Int, routine, kind, E)                                                                \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, Int n, const E* alpha,    \
                                              const E* x, Int incx, const E* y, Int incy, E* a, Int lda) {            \
    using namespace accublas;                                                                                         \
    using namespace accublas::cublas;                                                                                 \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                       \
    const Level2Shape shape{Operation::kind,                                                                          \
                            complex_numbers<E>,                                                                       \
                            uplo_of(uplo),                                                                            \
                            ACCUBLAS_NO_TRANS,                                                                        \
                            ACCUBLAS_NON_UNIT,                                                                        \
                            0,                                                                                        \
                            n,                                                                                        \
                            lda,                                                                                      \
                            incx,                                                                                     \
                            incy};                                                                                    \
    return serve(                                                                                                     \
        request(handle, routine_named(#routine), shape), real,                                                        \
        [&](Call& call) {                                                                                             \
          return with_factors(call, alpha, static_cast<const E*>(nullptr), [&](const E* factor, const E*) {           \
            return accublas_##routine(call.context(), ACCUBLAS_COL_MAJOR, shape.uplo, n, factor, x, incx, y, incy, a, \
                                      lda);                                                                           \
          });                                                                                                         \
        },                                                                                                            \
        handle, uplo, n, alpha, x, incx, y, incy, a, lda);                                                            \
  }

/// P: cuBLAS's letters, p: accublas's; the norms have letters of their own.
#define ACCUBLAS_VECTORS(P, p, E, Norm, norm, R)                              \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_NORM, cublas##Norm##nrm2_v2, norm##nrm2, E, R) \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_NORM, cublas##Norm##asum_v2, norm##asum, E, R) \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_GEMV, cublas##P##gemv_v2, p##gemv, E)          \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_TRMV, cublas##P##trmv_v2, p##trmv, trmv, E)    \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_TRMV, cublas##P##trsv_v2, p##trsv, trsv, E)
#define ACCUBLAS_REAL_VECTORS(P, p, E)                                     \
  ACCUBLAS_VECTORS(P, p, E, P, p, E)                                       \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_DOT, cublas##P##dot_v2, p##dot, E)          \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_GER, cublas##P##ger_v2, p##ger, ger, E)     \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYMV, cublas##P##symv_v2, p##symv, symv, E) \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYR, cublas##P##syr_v2, p##syr, syr, E, E)  \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYR2, cublas##P##syr2_v2, p##syr2, syr2, E)
#define ACCUBLAS_COMPLEX_VECTORS(P, p, E, Norm, norm, R)                   \
  ACCUBLAS_VECTORS(P, p, E, Norm, norm, R)                                 \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_DOT, cublas##P##dotu_v2, p##dotu, E)        \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_DOT, cublas##P##dotc_v2, p##dotc, E)        \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_GER, cublas##P##geru_v2, p##geru, ger, E)   \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_GER, cublas##P##gerc_v2, p##gerc, gerc, E)  \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYMV, cublas##P##hemv_v2, p##hemv, hemv, E) \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYR, cublas##P##her_v2, p##her, her, E, R)  \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYR2, cublas##P##her2_v2, p##her2, her2, E)
ACCUBLAS_REAL_VECTORS(D, d, double)
ACCUBLAS_REAL_VECTORS(S, s, float)
ACCUBLAS_COMPLEX_VECTORS(Z, z, cuDoubleComplex, Dz, dz, double)
ACCUBLAS_COMPLEX_VECTORS(C, c, cuComplex, Sc, sc, float)
