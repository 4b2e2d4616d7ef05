// Level 2 beside GEMV under its BLAS names.
#include "lib/call/level2.hpp"

#include "c_api/blas/described.hpp"
#include "lib/cpu/level2_calls.hpp"

namespace accublas::blas {
namespace {

/// A routine: its numbers, what BLAS has alpha as, and the arguments as column-major F77 has them.
template <Level2Kind of_kind, class E>
struct Level2Call : Level2<E>,
                    Names<E, level2_routine(static_cast<int>(of_kind), is_complex<E>, is_single_precision<E>)> {
  using Alpha = std::conditional_t<of_kind == Level2Kind::her, RealOf<E>, E>;
  static constexpr Level2Kind which = of_kind;

  /// Null: what the routine has not.
  template <class Factor, class Beta>
  Level2Call(const Level2Shape& shape, Factor alpha, const void* a, const void* x, const void* y, Beta beta, void* c)
      : Level2<E>{shape} {
    if constexpr (!std::is_null_pointer_v<Factor>) this->alpha = number<E>(alpha);
    if constexpr (!std::is_null_pointer_v<Beta>) this->beta = number<E>(beta);
    this->a = static_cast<const E*>(a);
    this->x = static_cast<const E*>(x);
    this->y = static_cast<const E*>(y);
    this->c = static_cast<E*>(c);
  }
};

template <Level2Kind kind, class E>
int first_bad(const Level2Call<kind, E>& l) {
  return check_level2(ACCUBLAS_COL_MAJOR, l).number;
}

template <Level2Kind kind, class E>
void run(const Level2Call<kind, E>& l) {
  const bool small = cpu::fits_blas(l);
  const auto on_real = [&](const cpu::RealBlas& blas) { cpu::call_level2<E>(blas, l); };
  if (small)
    if (const auto* blas = accublas_private_native(l.served, l.rows(), l.cols(), l.inner())) return on_real(*blas);
  serve(
      !is_symv(kind) || !(l.beta == 0), small,
      [&](const accublas_options* options) {
        return accublas_private_level2(l, is_single_precision<E>, &l.alpha, l.a, l.x, l.y, &l.beta, l.c, options);
      },
      on_real);
}

/// What CBLAS says of a triangle, a transposition or a diagonal that is none.
template <Level2Kind kind, class E>
CblasComplaint bad_transpose(const Level2Call<kind, E>& l) {
  if constexpr (is_ger(kind)) return {};
  if (!valid_uplo(l.uplo)) return {2, "Illegal Uplo setting, %d\n", l.uplo};
  if constexpr (is_triangular(kind)) {
    if (!valid_transpose(l.trans)) return {3, "Illegal TransA setting, %d\n", l.trans};
    if (!valid_diag(l.diag)) return {4, "Illegal Diag setting, %d\n", l.diag};
  }
  return {};
}

template <Level2Kind kind, class E>
void transpose(Level2Call<kind, E>& l) {
  l.transpose();
}

}  // namespace
}  // namespace accublas::blas

#define SHAPE(type, uplo, trans, diag, m, n, lda, incx, incy) \
  accublas::Level2Shape { type::which, type::has_complex, uplo, trans, diag, m, n, lda, incx, incy }
#define TRIANGLE_SHAPE(type, uplo, n, lda, incx, incy) \
  SHAPE(type, uplo, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, 0, n, lda, incx, incy)

#define F77_SYMV(name, Int, spelling, type)                                                                          \
  extern "C" ACCUBLAS_API void name(const char* uplo, const Int* n, const type::Alpha* alpha, const type::Number* a, \
                                    const Int* lda, const type::Number* x, const Int* incx, const type::Alpha* beta, \
                                    type::Number* y, const Int* incy) {                                              \
    using namespace accublas;                                                                                        \
    blas::f77(blas::Spelling::spelling, type(TRIANGLE_SHAPE(type, blas::f77_uplo(*uplo), *n, *lda, *incx, *incy),    \
                                             *alpha, a, x, nullptr, *beta, y));                                      \
  }
#define CBLAS_SYMV(name, Int, spelling, type)                                                                   \
  extern "C" ACCUBLAS_API void name(                                                                            \
      accublas_layout layout, accublas_uplo uplo, Int n, type::Passed<type::Alpha> alpha, const type::Array* a, \
      Int lda, const type::Array* x, Int incx, type::Passed<type::Alpha> beta, type::Array* y, Int incy) {      \
    using namespace accublas;                                                                                   \
    blas::cblas(blas::Spelling::spelling, layout,                                                               \
                type(TRIANGLE_SHAPE(type, uplo, n, lda, incx, incy), alpha, a, x, nullptr, beta, y));           \
  }
#define F77_TRMV(name, Int, spelling, type)                                                                    \
  extern "C" ACCUBLAS_API void name(const char* uplo, const char* trans, const char* diag, const Int* n,       \
                                    const type::Number* a, const Int* lda, type::Number* x, const Int* incx) { \
    using namespace accublas;                                                                                  \
    blas::f77(blas::Spelling::spelling, type(SHAPE(type, blas::f77_uplo(*uplo), blas::f77_transpose(*trans),   \
                                                   blas::f77_diag(*diag), 0, *n, *lda, *incx, 1),              \
                                             nullptr, a, nullptr, nullptr, nullptr, x));                       \
  }
#define CBLAS_TRMV(name, Int, spelling, type)                                                                        \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_uplo uplo, accublas_transpose trans,            \
                                    accublas_diag diag, Int n, const type::Array* a, Int lda, type::Array* x,        \
                                    Int incx) {                                                                      \
    using namespace accublas;                                                                                        \
    blas::cblas(blas::Spelling::spelling, layout,                                                                    \
                type(SHAPE(type, uplo, trans, diag, 0, n, lda, incx, 1), nullptr, a, nullptr, nullptr, nullptr, x)); \
  }
#define F77_GER(name, Int, spelling, type)                                                                        \
  extern "C" ACCUBLAS_API void name(const Int* m, const Int* n, const type::Alpha* alpha, const type::Number* x,  \
                                    const Int* incx, const type::Number* y, const Int* incy, type::Number* a,     \
                                    const Int* lda) {                                                             \
    using namespace accublas;                                                                                     \
    blas::f77(blas::Spelling::spelling,                                                                           \
              type(SHAPE(type, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, *m, *n, *lda, *incx, *incy), \
                   *alpha, nullptr, x, y, nullptr, a));                                                           \
  }
#define CBLAS_GER(name, Int, spelling, type)                                                                          \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, Int m, Int n, type::Passed<type::Alpha> alpha,            \
                                    const type::Array* x, Int incx, const type::Array* y, Int incy, type::Array* a,   \
                                    Int lda) {                                                                        \
    using namespace accublas;                                                                                         \
    blas::cblas(blas::Spelling::spelling, layout,                                                                     \
                type(SHAPE(type, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, m, n, lda, incx, incy), alpha, \
                     nullptr, x, y, nullptr, a));                                                                     \
  }
#define F77_SYR(name, Int, spelling, type)                                                                            \
  extern "C" ACCUBLAS_API void name(const char* uplo, const Int* n, const type::Alpha* alpha, const type::Number* x,  \
                                    const Int* incx, type::Number* a, const Int* lda) {                               \
    using namespace accublas;                                                                                         \
    blas::f77(blas::Spelling::spelling, type(TRIANGLE_SHAPE(type, blas::f77_uplo(*uplo), *n, *lda, *incx, 1), *alpha, \
                                             nullptr, x, nullptr, nullptr, a));                                       \
  }
#define CBLAS_SYR(name, Int, spelling, type)                                                                         \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_uplo uplo, Int n,                               \
                                    type::Passed<type::Alpha> alpha, const type::Array* x, Int incx, type::Array* a, \
                                    Int lda) {                                                                       \
    using namespace accublas;                                                                                        \
    blas::cblas(blas::Spelling::spelling, layout,                                                                    \
                type(TRIANGLE_SHAPE(type, uplo, n, lda, incx, 1), alpha, nullptr, x, nullptr, nullptr, a));          \
  }
#define F77_SYR2(name, Int, spelling, type)                                                                          \
  extern "C" ACCUBLAS_API void name(const char* uplo, const Int* n, const type::Alpha* alpha, const type::Number* x, \
                                    const Int* incx, const type::Number* y, const Int* incy, type::Number* a,        \
                                    const Int* lda) {                                                                \
    using namespace accublas;                                                                                        \
    blas::f77(blas::Spelling::spelling, type(TRIANGLE_SHAPE(type, blas::f77_uplo(*uplo), *n, *lda, *incx, *incy),    \
                                             *alpha, nullptr, x, y, nullptr, a));                                    \
  }
#define CBLAS_SYR2(name, Int, spelling, type)                                                            \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_uplo uplo, Int n,                   \
                                    type::Passed<type::Alpha> alpha, const type::Array* x, Int incx,     \
                                    const type::Array* y, Int incy, type::Array* a, Int lda) {           \
    using namespace accublas;                                                                            \
    blas::cblas(blas::Spelling::spelling, layout,                                                        \
                type(TRIANGLE_SHAPE(type, uplo, n, lda, incx, incy), alpha, nullptr, x, y, nullptr, a)); \
  }

#define ACCUBLAS_LEVEL2_NAMES(F77, CBLAS, routine, kind, ...)       \
  namespace accublas::blas {                                        \
  using routine##_call = Level2Call<Level2Kind::kind, __VA_ARGS__>; \
  }                                                                 \
  ACCUBLAS_BLAS_NAMES(F77, CBLAS, routine, accublas::blas::routine##_call)
#define ACCUBLAS_TRIANGULAR_ROUTINES(p, E)                      \
  ACCUBLAS_LEVEL2_NAMES(F77_TRMV, CBLAS_TRMV, p##trmv, trmv, E) \
  ACCUBLAS_LEVEL2_NAMES(F77_TRMV, CBLAS_TRMV, p##trsv, trsv, E)
#define ACCUBLAS_REAL_ROUTINES(p, E)                            \
  ACCUBLAS_TRIANGULAR_ROUTINES(p, E)                            \
  ACCUBLAS_LEVEL2_NAMES(F77_GER, CBLAS_GER, p##ger, ger, E)     \
  ACCUBLAS_LEVEL2_NAMES(F77_SYMV, CBLAS_SYMV, p##symv, symv, E) \
  ACCUBLAS_LEVEL2_NAMES(F77_SYR, CBLAS_SYR, p##syr, syr, E)     \
  ACCUBLAS_LEVEL2_NAMES(F77_SYR2, CBLAS_SYR2, p##syr2, syr2, E)
#define ACCUBLAS_COMPLEX_ROUTINES(p, E)                         \
  ACCUBLAS_TRIANGULAR_ROUTINES(p, E)                            \
  ACCUBLAS_LEVEL2_NAMES(F77_GER, CBLAS_GER, p##geru, ger, E)    \
  ACCUBLAS_LEVEL2_NAMES(F77_GER, CBLAS_GER, p##gerc, gerc, E)   \
  ACCUBLAS_LEVEL2_NAMES(F77_SYMV, CBLAS_SYMV, p##hemv, hemv, E) \
  ACCUBLAS_LEVEL2_NAMES(F77_SYR, CBLAS_SYR, p##her, her, E)     \
  ACCUBLAS_LEVEL2_NAMES(F77_SYR2, CBLAS_SYR2, p##her2, her2, E)

ACCUBLAS_REAL_ROUTINES(d, double)
ACCUBLAS_REAL_ROUTINES(s, float)
ACCUBLAS_COMPLEX_ROUTINES(z, accublas::Complex<double>)
ACCUBLAS_COMPLEX_ROUTINES(c, accublas::Complex<float>)
