// The products of level 3 beside GEMM under their BLAS names.
#include "lib/call/level3.hpp"

#include "c_api/blas/described.hpp"
#include "lib/cpu/level3_calls.hpp"

namespace accublas::blas {
namespace {

/// A routine: its numbers, what BLAS has alpha and beta as, and the arguments as column-major F77 has them.
template <Level3Kind of_kind, class E>
struct Level3Call : Level3<E>,
                    Names<E, level3_routine(static_cast<int>(of_kind), is_complex<E>, is_single_precision<E>)> {
  using Alpha = std::conditional_t<of_kind == Level3Kind::herk, RealOf<E>, E>;
  using Beta = std::conditional_t<of_kind == Level3Kind::herk || of_kind == Level3Kind::her2k, RealOf<E>, E>;
  static constexpr Level3Kind which = of_kind;
  /// b and beta: null where the routine has none.
  template <class OfProduct, class OfC>
  Level3Call(const Level3Shape& shape, OfProduct alpha, const void* a, const void* b, OfC beta, void* c)
      : Level3<E>{shape,           number<E>(alpha),  static_cast<const E*>(a), static_cast<const E*>(b),
                  number<E>(beta), static_cast<E*>(c)} {}
};

template <Level3Kind kind, class E>
int first_bad(const Level3Call<kind, E>& l) {
  return check_level3(ACCUBLAS_COL_MAJOR, l).number;
}

template <Level3Kind kind, class E>
void run(const Level3Call<kind, E>& l) {
  const bool small = cpu::fits_blas(l);
  const E alpha = conjugate_if(l.conjugate_alpha, l.alpha);
  const auto on_real = [&](const cpu::RealBlas& blas) {
    Level3<E> call = l;
    call.alpha = alpha;
    cpu::call_level3(blas, call);
  };
  if (small)
    if (const auto* blas = accublas_private_native(l.served, l.rows(), l.n, l.inner())) return on_real(*blas);
  serve(
      is_in_place(kind) || !(l.beta == 0), small,
      [&](const accublas_options* options) {
        return accublas_private_level3(l, is_single_precision<E>, &alpha, l.a, l.b, &l.beta, l.c, options);
      },
      on_real);
}

/// What CBLAS says of a side, a triangle, a transposition or a diagonal that is none.
template <Level3Kind kind, class E>
CblasComplaint bad_transpose(const Level3Call<kind, E>& l) {
  int number = 1;
  if constexpr (is_symm(kind) || is_in_place(kind))
    if (++number; !valid_side(l.side)) return {number, "Illegal Side setting, %d\n", l.side};
  if (++number; !valid_uplo(l.uplo)) return {number, "Illegal Uplo setting, %d\n", l.uplo};
  if constexpr (!is_symm(kind))
    if (++number; !valid_transpose_a(l)) return {number, "Illegal Trans setting, %d\n", l.transa};
  if constexpr (kind == Level3Kind::gemmt)
    if (++number; !valid_transpose(l.transb)) return {number, "Illegal Trans setting, %d\n", l.transb};
  if constexpr (is_in_place(kind))
    if (++number; !valid_diag(l.diag)) return {number, "Illegal Diag setting, %d\n", l.diag};
  return {};
}

template <Level3Kind kind, class E>
void transpose(Level3Call<kind, E>& l) {
  l.transpose();
}

}  // namespace
}  // namespace accublas::blas

#define F77_SYMM(name, Int, spelling, type)                                                                         \
  extern "C" ACCUBLAS_API void name(const char* side, const char* uplo, const Int* m, const Int* n,                 \
                                    const type::Alpha* alpha, const type::Number* a, const Int* lda,                \
                                    const type::Number* b, const Int* ldb, const type::Beta* beta, type::Number* c, \
                                    const Int* ldc) {                                                               \
    using namespace accublas;                                                                                       \
    blas::f77(blas::Spelling::spelling,                                                                             \
              type(shape_with_side(type::which, type::has_complex, blas::f77_side(*side), blas::f77_uplo(*uplo),    \
                                   ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, *m, *n, *lda, *ldb, *ldc),                 \
                   *alpha, a, b, *beta, c));                                                                        \
  }
#define CBLAS_SYMM(name, Int, spelling, type)                                                                          \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_side side, accublas_uplo uplo, Int m, Int n,      \
                                    type::Passed<type::Alpha> alpha, const type::Array* a, Int lda,                    \
                                    const type::Array* b, Int ldb, type::Passed<type::Beta> beta, type::Array* c,      \
                                    Int ldc) {                                                                         \
    using namespace accublas;                                                                                          \
    blas::cblas(blas::Spelling::spelling, layout,                                                                      \
                type(shape_with_side(type::which, type::has_complex, side, uplo, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, \
                                     m, n, lda, ldb, ldc),                                                             \
                     alpha, a, b, beta, c));                                                                           \
  }
#define F77_SYRK(name, Int, spelling, type)                                                                    \
  extern "C" ACCUBLAS_API void name(const char* uplo, const char* trans, const Int* n, const Int* k,           \
                                    const type::Alpha* alpha, const type::Number* a, const Int* lda,           \
                                    const type::Beta* beta, type::Number* c, const Int* ldc) {                 \
    using namespace accublas;                                                                                  \
    blas::f77(blas::Spelling::spelling,                                                                        \
              type(shape_with_triangle(type::which, type::has_complex, blas::f77_uplo(*uplo),                  \
                                       blas::f77_transpose(*trans), ACCUBLAS_NO_TRANS, *n, *k, *lda, 0, *ldc), \
                   *alpha, a, nullptr, *beta, c));                                                             \
  }
#define CBLAS_SYRK(name, Int, spelling, type)                                                                        \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_uplo uplo, accublas_transpose trans, Int n,     \
                                    Int k, type::Passed<type::Alpha> alpha, const type::Array* a, Int lda,           \
                                    type::Passed<type::Beta> beta, type::Array* c, Int ldc) {                        \
    using namespace accublas;                                                                                        \
    blas::cblas(                                                                                                     \
        blas::Spelling::spelling, layout,                                                                            \
        type(shape_with_triangle(type::which, type::has_complex, uplo, trans, ACCUBLAS_NO_TRANS, n, k, lda, 0, ldc), \
             alpha, a, nullptr, beta, c));                                                                           \
  }
#define F77_SYR2K(name, Int, spelling, type)                                                                        \
  extern "C" ACCUBLAS_API void name(const char* uplo, const char* trans, const Int* n, const Int* k,                \
                                    const type::Alpha* alpha, const type::Number* a, const Int* lda,                \
                                    const type::Number* b, const Int* ldb, const type::Beta* beta, type::Number* c, \
                                    const Int* ldc) {                                                               \
    using namespace accublas;                                                                                       \
    blas::f77(blas::Spelling::spelling,                                                                             \
              type(shape_with_triangle(type::which, type::has_complex, blas::f77_uplo(*uplo),                       \
                                       blas::f77_transpose(*trans), ACCUBLAS_NO_TRANS, *n, *k, *lda, *ldb, *ldc),   \
                   *alpha, a, b, *beta, c));                                                                        \
  }
#define CBLAS_SYR2K(name, Int, spelling, type)                                                                         \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_uplo uplo, accublas_transpose trans, Int n,       \
                                    Int k, type::Passed<type::Alpha> alpha, const type::Array* a, Int lda,             \
                                    const type::Array* b, Int ldb, type::Passed<type::Beta> beta, type::Array* c,      \
                                    Int ldc) {                                                                         \
    using namespace accublas;                                                                                          \
    blas::cblas(                                                                                                       \
        blas::Spelling::spelling, layout,                                                                              \
        type(shape_with_triangle(type::which, type::has_complex, uplo, trans, ACCUBLAS_NO_TRANS, n, k, lda, ldb, ldc), \
             alpha, a, b, beta, c));                                                                                   \
  }
#define F77_TRMM(name, Int, spelling, type)                                                                      \
  extern "C" ACCUBLAS_API void name(const char* side, const char* uplo, const char* transa, const char* diag,    \
                                    const Int* m, const Int* n, const type::Alpha* alpha, const type::Number* a, \
                                    const Int* lda, type::Number* b, const Int* ldb) {                           \
    using namespace accublas;                                                                                    \
    blas::f77(blas::Spelling::spelling,                                                                          \
              type(shape_with_side(type::which, type::has_complex, blas::f77_side(*side), blas::f77_uplo(*uplo), \
                                   blas::f77_transpose(*transa), blas::f77_diag(*diag), *m, *n, *lda, *ldb, 0),  \
                   *alpha, a, nullptr, nullptr, b));                                                             \
  }
#define CBLAS_TRMM(name, Int, spelling, type)                                                                        \
  extern "C" ACCUBLAS_API void name(                                                                                 \
      accublas_layout layout, accublas_side side, accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, \
      Int m, Int n, type::Passed<type::Alpha> alpha, const type::Array* a, Int lda, type::Array* b, Int ldb) {       \
    using namespace accublas;                                                                                        \
    blas::cblas(blas::Spelling::spelling, layout,                                                                    \
                type(shape_with_side(type::which, type::has_complex, side, uplo, transa, diag, m, n, lda, ldb, 0),   \
                     alpha, a, nullptr, nullptr, b));                                                                \
  }
#define F77_GEMMT(name, Int, spelling, type)                                                                          \
  extern "C" ACCUBLAS_API void name(const char* uplo, const char* transa, const char* transb, const Int* n,           \
                                    const Int* k, const type::Alpha* alpha, const type::Number* a, const Int* lda,    \
                                    const type::Number* b, const Int* ldb, const type::Beta* beta, type::Number* c,   \
                                    const Int* ldc) {                                                                 \
    using namespace accublas;                                                                                         \
    blas::f77(                                                                                                        \
        blas::Spelling::spelling,                                                                                     \
        type(shape_with_triangle(type::which, type::has_complex, blas::f77_uplo(*uplo), blas::f77_transpose(*transa), \
                                 blas::f77_transpose(*transb), *n, *k, *lda, *ldb, *ldc),                             \
             *alpha, a, b, *beta, c));                                                                                \
  }
#define CBLAS_GEMMT(name, Int, spelling, type)                                                                       \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_uplo uplo, accublas_transpose transa,           \
                                    accublas_transpose transb, Int n, Int k, type::Passed<type::Alpha> alpha,        \
                                    const type::Array* a, Int lda, const type::Array* b, Int ldb,                    \
                                    type::Passed<type::Beta> beta, type::Array* c, Int ldc) {                        \
    using namespace accublas;                                                                                        \
    blas::cblas(blas::Spelling::spelling, layout,                                                                    \
                type(shape_with_triangle(type::which, type::has_complex, uplo, transa, transb, n, k, lda, ldb, ldc), \
                     alpha, a, b, beta, c));                                                                         \
  }

#define ACCUBLAS_LEVEL3_NAMES(F77, CBLAS, routine, kind, ...)       \
  namespace accublas::blas {                                        \
  using routine##_call = Level3Call<Level3Kind::kind, __VA_ARGS__>; \
  }                                                                 \
  ACCUBLAS_BLAS_NAMES(F77, CBLAS, routine, accublas::blas::routine##_call)
#define ACCUBLAS_LEVEL3_ROUTINES(p, E)                              \
  ACCUBLAS_LEVEL3_NAMES(F77_SYMM, CBLAS_SYMM, p##symm, symm, E)     \
  ACCUBLAS_LEVEL3_NAMES(F77_SYRK, CBLAS_SYRK, p##syrk, syrk, E)     \
  ACCUBLAS_LEVEL3_NAMES(F77_SYR2K, CBLAS_SYR2K, p##syr2k, syr2k, E) \
  ACCUBLAS_LEVEL3_NAMES(F77_TRMM, CBLAS_TRMM, p##trmm, trmm, E)     \
  ACCUBLAS_LEVEL3_NAMES(F77_TRMM, CBLAS_TRMM, p##trsm, trsm, E)     \
  ACCUBLAS_LEVEL3_NAMES(F77_GEMMT, CBLAS_GEMMT, p##gemmt, gemmt, E)
#define ACCUBLAS_HERMITIAN_ROUTINES(p, E)                       \
  ACCUBLAS_LEVEL3_NAMES(F77_SYMM, CBLAS_SYMM, p##hemm, hemm, E) \
  ACCUBLAS_LEVEL3_NAMES(F77_SYRK, CBLAS_SYRK, p##herk, herk, E) \
  ACCUBLAS_LEVEL3_NAMES(F77_SYR2K, CBLAS_SYR2K, p##her2k, her2k, E)

ACCUBLAS_LEVEL3_ROUTINES(d, double)
ACCUBLAS_LEVEL3_ROUTINES(s, float)
ACCUBLAS_LEVEL3_ROUTINES(z, accublas::Complex<double>)
ACCUBLAS_LEVEL3_ROUTINES(c, accublas::Complex<float>)
ACCUBLAS_HERMITIAN_ROUTINES(z, accublas::Complex<double>)
ACCUBLAS_HERMITIAN_ROUTINES(c, accublas::Complex<float>)
