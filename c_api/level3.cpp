// The products of level 3 beside GEMM: check, turn a row-major call into the column-major one, one call.
#include "lib/call/level3.hpp"

#include "c_api/boundary.hpp"
#include "c_api/private.hpp"
#include "c_api/views.hpp"
#include "lib/dispatch.hpp"

using namespace accublas;

namespace {

/// `shape` is as the caller's layout has it. alpha and beta, of type A and B, are BLAS's: real in some Hermitian
/// products. TRMM's and TRSM's B is `c`.
template <class E, class A, class B>
accublas_status level3(accublas_context* ctx, accublas_layout layout, const Level3Shape& shape, const void* alpha,
                       const void* a, const void* b, const void* beta, void* c, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_level3(layout, shape));
    Level3<E> call{shape};
    call.a = static_cast<const E*>(a);
    call.b = static_cast<const E*>(b);
    call.c = static_cast<E*>(c);
    if (layout == ACCUBLAS_ROW_MAJOR) call.transpose();
    run_level3(context, call, static_cast<const A*>(alpha), static_cast<const B*>(beta), options);
  });
}

}  // namespace

accublas_status accublas_private_level3(const Level3Shape& shape, bool single, const void* alpha, const void* a,
                                        const void* b, const void* beta, void* c,
                                        const accublas_options* options) noexcept {
  const auto run = [&](auto number) {
    using E = decltype(number);
    return level3<E, E, E>(nullptr, ACCUBLAS_COL_MAJOR, shape, alpha, a, b, beta, c, options);
  };
  if (shape.complex) return single ? run(Complex<float>{}) : run(Complex<double>{});
  return single ? run(float{}) : run(double{});
}

// The exported names, of each routine the form with options and the one without. `type` as accublas.h has it, `E` as
// the library does, A and B those of alpha and beta.
#define ACCUBLAS_DEFINE_SYMM(name, which, type, E)                                                                   \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,            \
                                       accublas_uplo uplo, int64_t m, int64_t n, const type* alpha, const type* a,   \
                                       int64_t lda, const type* b, int64_t ldb, const type* beta, type* c,           \
                                       int64_t ldc, const accublas_options* options) {                               \
    const Level3Shape shape = shape_with_side(Level3Kind::which, is_complex<E>, side, uplo, ACCUBLAS_NO_TRANS,       \
                                              ACCUBLAS_NON_UNIT, m, n, lda, ldb, ldc);                               \
    return level3<E, E, E>(ctx, layout, shape, alpha, a, b, beta, c, options);                                       \
  }                                                                                                                  \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_side side,                 \
                                  accublas_uplo uplo, int64_t m, int64_t n, const type* alpha, const type* a,        \
                                  int64_t lda, const type* b, int64_t ldb, const type* beta, type* c, int64_t ldc) { \
    return accublas_##name##_ex(ctx, layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, nullptr);        \
  }
#define ACCUBLAS_DEFINE_SYRK(name, which, type, factor, E, A)                                                         \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,             \
                                       accublas_transpose trans, int64_t n, int64_t k, const factor* alpha,           \
                                       const type* a, int64_t lda, const factor* beta, type* c, int64_t ldc,          \
                                       const accublas_options* options) {                                             \
    const Level3Shape shape =                                                                                         \
        shape_with_triangle(Level3Kind::which, is_complex<E>, uplo, trans, ACCUBLAS_NO_TRANS, n, k, lda, 0, ldc);     \
    return level3<E, A, A>(ctx, layout, shape, alpha, a, nullptr, beta, c, options);                                  \
  }                                                                                                                   \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,                  \
                                  accublas_transpose trans, int64_t n, int64_t k, const factor* alpha, const type* a, \
                                  int64_t lda, const factor* beta, type* c, int64_t ldc) {                            \
    return accublas_##name##_ex(ctx, layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc, nullptr);                \
  }
#define ACCUBLAS_DEFINE_SYR2K(name, which, type, factor, E, B)                                                         \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,              \
                                       accublas_transpose trans, int64_t n, int64_t k, const type* alpha,              \
                                       const type* a, int64_t lda, const type* b, int64_t ldb, const factor* beta,     \
                                       type* c, int64_t ldc, const accublas_options* options) {                        \
    const Level3Shape shape =                                                                                          \
        shape_with_triangle(Level3Kind::which, is_complex<E>, uplo, trans, ACCUBLAS_NO_TRANS, n, k, lda, ldb, ldc);    \
    return level3<E, E, B>(ctx, layout, shape, alpha, a, b, beta, c, options);                                         \
  }                                                                                                                    \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,                   \
                                  accublas_transpose trans, int64_t n, int64_t k, const type* alpha, const type* a,    \
                                  int64_t lda, const type* b, int64_t ldb, const factor* beta, type* c, int64_t ldc) { \
    return accublas_##name##_ex(ctx, layout, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc, nullptr);         \
  }
#define ACCUBLAS_DEFINE_TRMM(name, which, type, E)                                                                     \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,              \
                                       accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m,   \
                                       int64_t n, const type* alpha, const type* a, int64_t lda, type* b, int64_t ldb, \
                                       const accublas_options* options) {                                              \
    const Level3Shape shape =                                                                                          \
        shape_with_side(Level3Kind::which, is_complex<E>, side, uplo, transa, diag, m, n, lda, ldb, 0);                \
    return level3<E, E, E>(ctx, layout, shape, alpha, a, nullptr, nullptr, b, options);                                \
  }                                                                                                                    \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_side side,                   \
                                  accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m,        \
                                  int64_t n, const type* alpha, const type* a, int64_t lda, type* b, int64_t ldb) {    \
    return accublas_##name##_ex(ctx, layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb, nullptr);          \
  }
#define ACCUBLAS_DEFINE_GEMMT(name, type, E)                                                                       \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,          \
                                       accublas_transpose transa, accublas_transpose transb, int64_t n, int64_t k, \
                                       const type* alpha, const type* a, int64_t lda, const type* b, int64_t ldb,  \
                                       const type* beta, type* c, int64_t ldc, const accublas_options* options) {  \
    const Level3Shape shape =                                                                                      \
        shape_with_triangle(Level3Kind::gemmt, is_complex<E>, uplo, transa, transb, n, k, lda, ldb, ldc);          \
    return level3<E, E, E>(ctx, layout, shape, alpha, a, b, beta, c, options);                                     \
  }                                                                                                                \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,               \
                                  accublas_transpose transa, accublas_transpose transb, int64_t n, int64_t k,      \
                                  const type* alpha, const type* a, int64_t lda, const type* b, int64_t ldb,       \
                                  const type* beta, type* c, int64_t ldc) {                                        \
    return accublas_##name##_ex(ctx, layout, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc,      \
                                nullptr);                                                                          \
  }

#define ACCUBLAS_DEFINE_LEVEL3(prefix, type, E)                 \
  ACCUBLAS_DEFINE_SYMM(prefix##symm, symm, type, E)             \
  ACCUBLAS_DEFINE_SYRK(prefix##syrk, syrk, type, type, E, E)    \
  ACCUBLAS_DEFINE_SYR2K(prefix##syr2k, syr2k, type, type, E, E) \
  ACCUBLAS_DEFINE_TRMM(prefix##trmm, trmm, type, E)             \
  ACCUBLAS_DEFINE_TRMM(prefix##trsm, trsm, type, E)             \
  ACCUBLAS_DEFINE_GEMMT(prefix##gemmt, type, E)
#define ACCUBLAS_DEFINE_HERMITIAN(prefix, real, T)                    \
  ACCUBLAS_DEFINE_SYMM(prefix##hemm, hemm, void, Complex<T>)          \
  ACCUBLAS_DEFINE_SYRK(prefix##herk, herk, void, real, Complex<T>, T) \
  ACCUBLAS_DEFINE_SYR2K(prefix##her2k, her2k, void, real, Complex<T>, T)
ACCUBLAS_DEFINE_LEVEL3(d, double, double)
ACCUBLAS_DEFINE_LEVEL3(s, float, float)
ACCUBLAS_DEFINE_LEVEL3(z, void, Complex<double>)
ACCUBLAS_DEFINE_LEVEL3(c, void, Complex<float>)
ACCUBLAS_DEFINE_HERMITIAN(z, double, double)
ACCUBLAS_DEFINE_HERMITIAN(c, float, float)
