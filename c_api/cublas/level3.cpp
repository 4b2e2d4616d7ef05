// The other products of level 3 and TRSM under their names.
#include "lib/call/level3.hpp"

#include "c_api/cublas/serve.hpp"

namespace accublas::cublas {
namespace {

Request request(cublasHandle_t handle, Routine routine, const Level3Shape& s) {
  const bool sides = is_symm(s.kind) || is_in_place(s.kind);
  const std::int64_t rows = sides ? s.m : s.n;
  return {
      handle, routine, rows, s.n, sides ? s.order() : s.k, !check_level3(ACCUBLAS_COL_MAJOR, s) && rows > 0 && s.n > 0};
}

}  // namespace
}  // namespace accublas::cublas

#define DEFINE_SYMM(stem, name, Int, routine, kind, E)                                                                \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,    \
                                              Int m, Int n, const E* alpha, const E* a, Int lda, const E* b, Int ldb, \
                                              const E* beta, E* c, Int ldc) {                                         \
    using namespace accublas;                                                                                         \
    using namespace accublas::cublas;                                                                                 \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                       \
    const Level3Shape shape = shape_with_side(Operation::kind, complex_numbers<E>, side_of(side), uplo_of(uplo),      \
                                              ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, m, n, lda, ldb, ldc);             \
    return serve(                                                                                                     \
        request(handle, routine_named(#routine), shape), real,                                                        \
        [&](Call& call) {                                                                                             \
          return accublas_##routine(call.context(), ACCUBLAS_COL_MAJOR, shape.side, shape.uplo, m, n, alpha, a, lda,  \
                                    b, ldb, beta, c, ldc);                                                            \
        },                                                                                                            \
        handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);                                               \
  }
#define DEFINE_SYRK(stem, name, Int, routine, kind, E, R)                                                              \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,   \
                                              Int n, Int k, const R* alpha, const E* a, Int lda, const R* beta, E* c,  \
                                              Int ldc) {                                                               \
    using namespace accublas;                                                                                          \
    using namespace accublas::cublas;                                                                                  \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                        \
    const Level3Shape shape = shape_with_triangle(Operation::kind, complex_numbers<E>, uplo_of(uplo),                  \
                                                  transpose_of(trans), ACCUBLAS_NO_TRANS, n, k, lda, 0, ldc);          \
    return serve(                                                                                                      \
        request(handle, routine_named(#routine), shape), real,                                                         \
        [&](Call& call) {                                                                                              \
          return accublas_##routine(call.context(), ACCUBLAS_COL_MAJOR, shape.uplo, shape.transa, n, k, alpha, a, lda, \
                                    beta, c, ldc);                                                                     \
        },                                                                                                             \
        handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);                                                       \
  }
#define DEFINE_SYR2K(stem, name, Int, routine, kind, E, R)                                                            \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,  \
                                              Int n, Int k, const E* alpha, const E* a, Int lda, const E* b, Int ldb, \
                                              const R* beta, E* c, Int ldc) {                                         \
    using namespace accublas;                                                                                         \
    using namespace accublas::cublas;                                                                                 \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                       \
    const Level3Shape shape = shape_with_triangle(Operation::kind, complex_numbers<E>, uplo_of(uplo),                 \
                                                  transpose_of(trans), ACCUBLAS_NO_TRANS, n, k, lda, ldb, ldc);       \
    return serve(                                                                                                     \
        request(handle, routine_named(#routine), shape), real,                                                        \
        [&](Call& call) {                                                                                             \
          const auto run = [&](const E* of_product, const R* of_c) {                                                  \
            return accublas_##routine(call.context(), ACCUBLAS_COL_MAJOR, shape.uplo, shape.transa, n, k, of_product, \
                                      a, lda, b, ldb, of_c, c, ldc);                                                  \
          };                                                                                                          \
          return is_hermitian(Operation::kind) ? with_factors(call, alpha, beta, run) : run(alpha, beta);             \
        },                                                                                                            \
        handle, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                              \
  }
/// Out of place: B is copied to C where that is another matrix.
#define DEFINE_TRMM(stem, name, Int, routine, E)                                                                       \
  extern "C" ACCUBLAS_API cublasStatus_t name(                                                                         \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,                    \
      cublasDiagType_t diag, Int m, Int n, const E* alpha, const E* a, Int lda, const E* b, Int ldb, E* c, Int ldc) {  \
    using namespace accublas;                                                                                          \
    using namespace accublas::cublas;                                                                                  \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                        \
    const Level3Shape shape = shape_with_side(Operation::trmm, complex_numbers<E>, side_of(side), uplo_of(uplo),       \
                                              transpose_of(trans), diag_of(diag), m, n, lda, ldb, 0);                  \
    Request asked = request(handle, routine_named(#routine), shape);                                                   \
    asked.serves = asked.serves && ldc >= m && (b != c || ldb == ldc);                                                 \
    return serve(                                                                                                      \
        asked, real,                                                                                                   \
        [&](Call& call) {                                                                                              \
          constexpr std::int64_t bytes = sizeof(E);                                                                    \
          if (b != c && b && c && !copy_matrix(m * bytes, n, b, ldb * bytes, c, ldc * bytes, call.stream()))           \
            return accublas_set_last_error(call.context(), ACCUBLAS_ERROR_DEVICE, "TRMM: B could not be copied to C"); \
          return accublas_##routine(call.context(), ACCUBLAS_COL_MAJOR, shape.side, shape.uplo, shape.transa,          \
                                    shape.diag, m, n, alpha, a, lda, c, ldc);                                          \
        },                                                                                                             \
        handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c, ldc);                                         \
  }
#define DEFINE_TRSM(stem, name, Int, routine, E)                                                                   \
  extern "C" ACCUBLAS_API cublasStatus_t name(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, \
                                              cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n,        \
                                              const E* alpha, const E* a, Int lda, E* b, Int ldb) {                \
    using namespace accublas;                                                                                      \
    using namespace accublas::cublas;                                                                              \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                    \
    const Level3Shape shape = shape_with_side(Operation::trsm, complex_numbers<E>, side_of(side), uplo_of(uplo),   \
                                              transpose_of(trans), diag_of(diag), m, n, lda, ldb, 0);              \
    return serve(                                                                                                  \
        request(handle, routine_named(#routine), shape), real,                                                     \
        [&](Call& call) {                                                                                          \
          return accublas_##routine(call.context(), ACCUBLAS_COL_MAJOR, shape.side, shape.uplo, shape.transa,      \
                                    shape.diag, m, n, alpha, a, lda, b, ldb);                                      \
        },                                                                                                         \
        handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);                                             \
  }

/// P: cuBLAS's letter, p: accublas's.
#define ACCUBLAS_LEVEL3(P, p, E)                                                  \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYMM, cublas##P##symm_v2, p##symm, symm, E)        \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYRK, cublas##P##syrk_v2, p##syrk, syrk, E, E)     \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYR2K, cublas##P##syr2k_v2, p##syr2k, syr2k, E, E) \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_TRMM, cublas##P##trmm_v2, p##trmm, E)              \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_TRSM, cublas##P##trsm_v2, p##trsm, E)
#define ACCUBLAS_HERMITIAN(P, p, E, R)                                        \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYMM, cublas##P##hemm_v2, p##hemm, hemm, E)    \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYRK, cublas##P##herk_v2, p##herk, herk, E, R) \
  ACCUBLAS_CUBLAS_NAMES(DEFINE_SYR2K, cublas##P##her2k_v2, p##her2k, her2k, E, R)
ACCUBLAS_LEVEL3(D, d, double)
ACCUBLAS_LEVEL3(S, s, float)
ACCUBLAS_LEVEL3(Z, z, cuDoubleComplex)
ACCUBLAS_LEVEL3(C, c, cuComplex)
ACCUBLAS_HERMITIAN(Z, z, cuDoubleComplex, double)
ACCUBLAS_HERMITIAN(C, c, cuComplex, float)
