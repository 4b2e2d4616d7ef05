// LAPACK's factorizations, the solutions and inverses by them: check, views of the caller's matrices, one call.
#include "c_api/boundary.hpp"
#include "c_api/private.hpp"
#include "c_api/views.hpp"
#include "lib/call/factorization.hpp"
#include "lib/call/overlap.hpp"
#include "lib/dispatch.hpp"
#include "lib/lapack/inverses.hpp"

using namespace accublas;

namespace {

/// `shape` is as the caller's layout has it; what a routine lacks is null. A and B that it only reads are not written.
template <class E>
accublas_status factorization(accublas_context* ctx, accublas_layout layout, const FactorizationShape& shape,
                              const void* a, Pivots pivots, void* b, std::int64_t* info,
                              const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_factorization(layout, shape));
    if (has_info(shape.kind) && !info) bad_argument("info", "a pointer, not NULL");
    std::int64_t unused = 0;
    Factorization<E> call{shape};
    call.info = info ? info : &unused;
    call.pivots = pivots;
    call.a = view(layout, ACCUBLAS_NO_TRANS, call.rows(), shape.n, static_cast<E*>(const_cast<void*>(a)), shape.lda);
    if (has_solution(shape.kind))
      call.b = view(layout, ACCUBLAS_NO_TRANS, shape.n, shape.nrhs, static_cast<E*>(b), shape.ldb);
    if (context.operands_are_apart()) {
      const bool only_read = shape.kind == FactorizationKind::potrs || shape.kind == FactorizationKind::getrs;
      const Triangle part = !has_uplo(shape.kind)          ? Triangle::all
                            : shape.uplo == ACCUBLAS_UPPER ? Triangle::upper
                                                           : Triangle::lower;
      const std::int64_t order = has_uplo(shape.kind) ? 0 : call.order();
      const Footprint pivots_at = pivots.narrow ? footprint(static_cast<const std::int32_t*>(pivots.data), order)
                                                : footprint(static_cast<const std::int64_t*>(pivots.data), order);
      require_apart({{"a", footprint(call.a, call.rows(), shape.n, part, shape.diag == ACCUBLAS_UNIT), !only_read},
                     {"ipiv", pivots_at, finds_pivots(shape.kind)},
                     {"b", footprint(call.b, shape.n, shape.nrhs), true},
                     {"info", footprint(info, info ? 1 : 0), true}});
    }
    is_inverse(shape.kind) ? run_inverse(context, call, options) : run_factorization(context, call, options);
  });
}

/// As LAPACK has its integers here.
Pivots wide(const std::int64_t* ipiv) { return {const_cast<std::int64_t*>(ipiv), false}; }

constexpr FactorizationShape cholesky(FactorizationKind kind, bool complex, accublas_uplo uplo, std::int64_t n,
                                      std::int64_t nrhs, std::int64_t lda, std::int64_t ldb) {
  return {kind, complex, uplo, ACCUBLAS_NO_TRANS, 0, n, nrhs, lda, ldb};
}
constexpr FactorizationShape lu(FactorizationKind kind, bool complex, accublas_transpose trans, std::int64_t m,
                                std::int64_t n, std::int64_t nrhs, std::int64_t lda, std::int64_t ldb) {
  return {kind, complex, ACCUBLAS_UPPER, trans, m, n, nrhs, lda, ldb};
}

constexpr FactorizationShape inverse(FactorizationKind kind, bool complex, accublas_uplo uplo, accublas_diag diag,
                                     std::int64_t n, std::int64_t lda) {
  return {kind, complex, uplo, ACCUBLAS_NO_TRANS, 0, n, 0, lda, 0, diag};
}

}  // namespace

accublas_status accublas_private_factorization(const FactorizationShape& shape, bool single, void* a,
                                               const Pivots& pivots, void* b, std::int64_t* info,
                                               const accublas_options* options) noexcept {
  const auto run = [&](auto number) {
    return factorization<decltype(number)>(nullptr, ACCUBLAS_COL_MAJOR, shape, a, pivots, b, info, options);
  };
  if (shape.complex) return single ? run(Complex<float>{}) : run(Complex<double>{});
  return single ? run(float{}) : run(double{});
}

// The exported names, of each routine the form with options and the one without; `type` as accublas.h has it, `E` as
// the library does.
#define ACCUBLAS_DEFINE_POTRF(name, type, E)                                                                         \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n, \
                                       type* a, int64_t lda, int64_t* info, const accublas_options* options) {       \
    const FactorizationShape shape = cholesky(FactorizationKind::potrf, is_complex<E>, uplo, n, 0, lda, 0);          \
    return factorization<E>(ctx, layout, shape, a, {}, nullptr, info, options);                                      \
  }                                                                                                                  \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n,      \
                                  type* a, int64_t lda, int64_t* info) {                                             \
    return accublas_##name##_ex(ctx, layout, uplo, n, a, lda, info, nullptr);                                        \
  }
#define ACCUBLAS_DEFINE_POTRS(name, type, E)                                                                         \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n, \
                                       int64_t nrhs, const type* a, int64_t lda, type* b, int64_t ldb,               \
                                       const accublas_options* options) {                                            \
    const FactorizationShape shape = cholesky(FactorizationKind::potrs, is_complex<E>, uplo, n, nrhs, lda, ldb);     \
    return factorization<E>(ctx, layout, shape, a, {}, b, nullptr, options);                                         \
  }                                                                                                                  \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n,      \
                                  int64_t nrhs, const type* a, int64_t lda, type* b, int64_t ldb) {                  \
    return accublas_##name##_ex(ctx, layout, uplo, n, nrhs, a, lda, b, ldb, nullptr);                                \
  }
#define ACCUBLAS_DEFINE_POSV(name, type, E)                                                                          \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n, \
                                       int64_t nrhs, type* a, int64_t lda, type* b, int64_t ldb, int64_t* info,      \
                                       const accublas_options* options) {                                            \
    const FactorizationShape shape = cholesky(FactorizationKind::posv, is_complex<E>, uplo, n, nrhs, lda, ldb);      \
    return factorization<E>(ctx, layout, shape, a, {}, b, info, options);                                            \
  }                                                                                                                  \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n,      \
                                  int64_t nrhs, type* a, int64_t lda, type* b, int64_t ldb, int64_t* info) {         \
    return accublas_##name##_ex(ctx, layout, uplo, n, nrhs, a, lda, b, ldb, info, nullptr);                          \
  }
#define ACCUBLAS_DEFINE_GETRF(name, type, E)                                                                          \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n, type* a,  \
                                       int64_t lda, int64_t* ipiv, int64_t* info, const accublas_options* options) {  \
    const FactorizationShape shape = lu(FactorizationKind::getrf, is_complex<E>, ACCUBLAS_NO_TRANS, m, n, 0, lda, 0); \
    return factorization<E>(ctx, layout, shape, a, wide(ipiv), nullptr, info, options);                               \
  }                                                                                                                   \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n, type* a,       \
                                  int64_t lda, int64_t* ipiv, int64_t* info) {                                        \
    return accublas_##name##_ex(ctx, layout, m, n, a, lda, ipiv, info, nullptr);                                      \
  }
#define ACCUBLAS_DEFINE_GETRS(name, type, E)                                                                          \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,       \
                                       int64_t n, int64_t nrhs, const type* a, int64_t lda, const int64_t* ipiv,      \
                                       type* b, int64_t ldb, const accublas_options* options) {                       \
    const FactorizationShape shape = lu(FactorizationKind::getrs, is_complex<E>, trans, 0, n, nrhs, lda, ldb);        \
    return factorization<E>(ctx, layout, shape, a, wide(ipiv), b, nullptr, options);                                  \
  }                                                                                                                   \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_transpose trans, int64_t n, \
                                  int64_t nrhs, const type* a, int64_t lda, const int64_t* ipiv, type* b,             \
                                  int64_t ldb) {                                                                      \
    return accublas_##name##_ex(ctx, layout, trans, n, nrhs, a, lda, ipiv, b, ldb, nullptr);                          \
  }
#define ACCUBLAS_DEFINE_GESV(name, type, E)                                                                        \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs,     \
                                       type* a, int64_t lda, int64_t* ipiv, type* b, int64_t ldb, int64_t* info,   \
                                       const accublas_options* options) {                                          \
    const FactorizationShape shape =                                                                               \
        lu(FactorizationKind::gesv, is_complex<E>, ACCUBLAS_NO_TRANS, 0, n, nrhs, lda, ldb);                       \
    return factorization<E>(ctx, layout, shape, a, wide(ipiv), b, info, options);                                  \
  }                                                                                                                \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs, type* a, \
                                  int64_t lda, int64_t* ipiv, type* b, int64_t ldb, int64_t* info) {               \
    return accublas_##name##_ex(ctx, layout, n, nrhs, a, lda, ipiv, b, ldb, info, nullptr);                        \
  }
#define ACCUBLAS_DEFINE_TRTRI(name, type, E)                                                               \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,  \
                                       accublas_diag diag, int64_t n, type* a, int64_t lda, int64_t* info, \
                                       const accublas_options* options) {                                  \
    const FactorizationShape shape = inverse(FactorizationKind::trtri, is_complex<E>, uplo, diag, n, lda); \
    return factorization<E>(ctx, layout, shape, a, {}, nullptr, info, options);                            \
  }                                                                                                        \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,       \
                                  accublas_diag diag, int64_t n, type* a, int64_t lda, int64_t* info) {    \
    return accublas_##name##_ex(ctx, layout, uplo, diag, n, a, lda, info, nullptr);                        \
  }
#define ACCUBLAS_DEFINE_LAUUM(name, type, E)                                                                         \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n, \
                                       type* a, int64_t lda, const accublas_options* options) {                      \
    const FactorizationShape shape =                                                                                 \
        inverse(FactorizationKind::lauum, is_complex<E>, uplo, ACCUBLAS_NON_UNIT, n, lda);                           \
    return factorization<E>(ctx, layout, shape, a, {}, nullptr, nullptr, options);                                   \
  }                                                                                                                  \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n,      \
                                  type* a, int64_t lda) {                                                            \
    return accublas_##name##_ex(ctx, layout, uplo, n, a, lda, nullptr);                                              \
  }
#define ACCUBLAS_DEFINE_POTRI(name, type, E)                                                                         \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n, \
                                       type* a, int64_t lda, int64_t* info, const accublas_options* options) {       \
    const FactorizationShape shape =                                                                                 \
        inverse(FactorizationKind::potri, is_complex<E>, uplo, ACCUBLAS_NON_UNIT, n, lda);                           \
    return factorization<E>(ctx, layout, shape, a, {}, nullptr, info, options);                                      \
  }                                                                                                                  \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, int64_t n,      \
                                  type* a, int64_t lda, int64_t* info) {                                             \
    return accublas_##name##_ex(ctx, layout, uplo, n, a, lda, info, nullptr);                                        \
  }
#define ACCUBLAS_DEFINE_GETRI(name, type, E)                                                                           \
  accublas_status accublas_##name##_ex(accublas_context* ctx, accublas_layout layout, int64_t n, type* a, int64_t lda, \
                                       const int64_t* ipiv, int64_t* info, const accublas_options* options) {          \
    const FactorizationShape shape =                                                                                   \
        inverse(FactorizationKind::getri, is_complex<E>, ACCUBLAS_UPPER, ACCUBLAS_NON_UNIT, n, lda);                   \
    return factorization<E>(ctx, layout, shape, a, wide(ipiv), nullptr, info, options);                                \
  }                                                                                                                    \
  accublas_status accublas_##name(accublas_context* ctx, accublas_layout layout, int64_t n, type* a, int64_t lda,      \
                                  const int64_t* ipiv, int64_t* info) {                                                \
    return accublas_##name##_ex(ctx, layout, n, a, lda, ipiv, info, nullptr);                                          \
  }

#define ACCUBLAS_DEFINE_FACTORIZATIONS(prefix, type, E) \
  ACCUBLAS_DEFINE_POTRF(prefix##potrf, type, E)         \
  ACCUBLAS_DEFINE_POTRS(prefix##potrs, type, E)         \
  ACCUBLAS_DEFINE_POSV(prefix##posv, type, E)           \
  ACCUBLAS_DEFINE_GETRF(prefix##getrf, type, E)         \
  ACCUBLAS_DEFINE_GETRS(prefix##getrs, type, E)         \
  ACCUBLAS_DEFINE_GESV(prefix##gesv, type, E)           \
  ACCUBLAS_DEFINE_TRTRI(prefix##trtri, type, E)         \
  ACCUBLAS_DEFINE_LAUUM(prefix##lauum, type, E)         \
  ACCUBLAS_DEFINE_POTRI(prefix##potri, type, E)         \
  ACCUBLAS_DEFINE_GETRI(prefix##getri, type, E)
ACCUBLAS_DEFINE_FACTORIZATIONS(d, double, double)
ACCUBLAS_DEFINE_FACTORIZATIONS(s, float, float)
ACCUBLAS_DEFINE_FACTORIZATIONS(z, void, Complex<double>)
ACCUBLAS_DEFINE_FACTORIZATIONS(c, void, Complex<float>)
