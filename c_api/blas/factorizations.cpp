// LAPACK's factorizations, the solutions and inverses by them under their LAPACK names. LAPACKE's routines call these.
#include <algorithm>

#include "c_api/blas/described.hpp"
#include "lib/call/factorization.hpp"
#include "lib/cpu/lapack_calls.hpp"

namespace accublas::blas {
namespace {

template <FactorizationKind of_kind, class E>
struct FactorizationCall
    : Factorization<E>,
      Names<E, factorization_routine(static_cast<int>(of_kind), is_complex<E>, is_single_precision<E>)> {
  static constexpr FactorizationKind which = of_kind;
  /// What the routine lacks is null.
  template <class Int>
  FactorizationCall(const FactorizationShape& shape, E* a, Int* ipiv, E* b)
      : Factorization<E>{shape, {a, 1, shape.lda}, {b, 1, shape.ldb}, {ipiv, sizeof(Int) == sizeof(std::int32_t)}} {}
};

/// As LAPACK has it, a bad argument is -number in *info.
template <FactorizationKind kind, class E, class Int>
void lapack(Spelling spelling, const FactorizationCall<kind, E>& f, Int* info) {
  if (const int bad = check_factorization(ACCUBLAS_COL_MAJOR, f).number) {
    *info = static_cast<Int>(-bad);
    return f77_error(f.f77_name, bad, spelling);
  }
  std::int64_t result = 0;
  // Arrays of integers are the caller's: they must be as wide as the real BLAS's.
  const int integer_bytes = has_uplo(kind) ? 0 : f.pivots.narrow ? 4 : 8;
  const auto on_real = [&](const cpu::RealBlas& blas) {
    if (integer_bytes > 0 && integer_bytes != blas.integer_bytes()) std::abort();
    result = cpu::call_lapack(blas, f);
  };
  const bool small = cpu::fits_blas(f);
  if (const auto* const blas = small ? accublas_private_native(f.served, f.rows(), has_solution(kind) ? f.nrhs : f.n,
                                                               f.order(), integer_bytes)
                                     : nullptr) {
    on_real(*blas);
  } else {
    serve(
        true, small,
        [&](const accublas_options* options) {
          return accublas_private_factorization(f, is_single_precision<E>, f.a.data, f.pivots, f.b.data, &result,
                                                options);
        },
        on_real);
  }
  *info = static_cast<Int>(result);
}

/// GETRI, whose work only the real LAPACK needs. lwork = -1 asks what is best for it, rounded up in work's type.
template <class E, class Int>
void lapack_with_work(Spelling spelling, FactorizationCall<FactorizationKind::getri, E> f, E* work, Int lwork,
                      Int* info) {
  const Index least = std::max<Index>(f.n, 1), best = cpu::lapack_work(f);
  int bad = check_factorization(ACCUBLAS_COL_MAJOR, f).number;
  if (bad == 0 && lwork != -1 && lwork < least) bad = 6;
  if (bad != 0) {
    *info = static_cast<Int>(-bad);
    return f77_error(f.f77_name, bad, spelling);
  }
  const E told{length_of<RealOf<E>>(best)};
  work[0] = told;
  *info = 0;
  if (lwork == -1) return;
  f.work = work;
  f.lwork = std::min<Index>(lwork, best) / least * least;
  lapack(spelling, f, info);
  work[0] = told;
}

}  // namespace
}  // namespace accublas::blas

// A that a solution only reads is not written.
#define F77_POTRF(name, Int, spelling, type)                                                                         \
  extern "C" ACCUBLAS_API void name(const char* uplo, const Int* n, type::Number* a, const Int* lda, Int* info) {    \
    using namespace accublas;                                                                                        \
    blas::lapack(blas::Spelling::spelling,                                                                           \
                 type({type::which, type::has_complex, blas::f77_uplo(*uplo), ACCUBLAS_NO_TRANS, 0, *n, 0, *lda, 0}, \
                      a, static_cast<Int*>(nullptr), nullptr),                                                       \
                 info);                                                                                              \
  }
#define F77_POTRS(name, Int, spelling, type)                                                                       \
  extern "C" ACCUBLAS_API void name(const char* uplo, const Int* n, const Int* nrhs, const type::Number* a,        \
                                    const Int* lda, type::Number* b, const Int* ldb, Int* info) {                  \
    using namespace accublas;                                                                                      \
    blas::lapack(                                                                                                  \
        blas::Spelling::spelling,                                                                                  \
        type({type::which, type::has_complex, blas::f77_uplo(*uplo), ACCUBLAS_NO_TRANS, 0, *n, *nrhs, *lda, *ldb}, \
             const_cast<type::Number*>(a), static_cast<Int*>(nullptr), b),                                         \
        info);                                                                                                     \
  }
#define F77_POSV(name, Int, spelling, type)                                                                           \
  extern "C" ACCUBLAS_API void name(const char* uplo, const Int* n, const Int* nrhs, type::Number* a, const Int* lda, \
                                    type::Number* b, const Int* ldb, Int* info) {                                     \
    using namespace accublas;                                                                                         \
    blas::lapack(                                                                                                     \
        blas::Spelling::spelling,                                                                                     \
        type({type::which, type::has_complex, blas::f77_uplo(*uplo), ACCUBLAS_NO_TRANS, 0, *n, *nrhs, *lda, *ldb}, a, \
             static_cast<Int*>(nullptr), b),                                                                          \
        info);                                                                                                        \
  }
#define F77_GETRF(name, Int, spelling, type)                                                                      \
  extern "C" ACCUBLAS_API void name(const Int* m, const Int* n, type::Number* a, const Int* lda, Int* ipiv,       \
                                    Int* info) {                                                                  \
    using namespace accublas;                                                                                     \
    blas::lapack(blas::Spelling::spelling,                                                                        \
                 type({type::which, type::has_complex, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, *m, *n, 0, *lda, 0}, a, \
                      ipiv, nullptr),                                                                             \
                 info);                                                                                           \
  }
#define F77_GETRS(name, Int, spelling, type)                                                                          \
  extern "C" ACCUBLAS_API void name(const char* trans, const Int* n, const Int* nrhs, const type::Number* a,          \
                                    const Int* lda, const Int* ipiv, type::Number* b, const Int* ldb, Int* info) {    \
    using namespace accublas;                                                                                         \
    blas::lapack(                                                                                                     \
        blas::Spelling::spelling,                                                                                     \
        type({type::which, type::has_complex, ACCUBLAS_UPPER, blas::f77_transpose(*trans), 0, *n, *nrhs, *lda, *ldb}, \
             const_cast<type::Number*>(a), const_cast<Int*>(ipiv), b),                                                \
        info);                                                                                                        \
  }
#define F77_GESV(name, Int, spelling, type)                                                                          \
  extern "C" ACCUBLAS_API void name(const Int* n, const Int* nrhs, type::Number* a, const Int* lda, Int* ipiv,       \
                                    type::Number* b, const Int* ldb, Int* info) {                                    \
    using namespace accublas;                                                                                        \
    blas::lapack(blas::Spelling::spelling,                                                                           \
                 type({type::which, type::has_complex, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, 0, *n, *nrhs, *lda, *ldb}, \
                      a, ipiv, b),                                                                                   \
                 info);                                                                                              \
  }
#define F77_TRTRI(name, Int, spelling, type)                                                                           \
  extern "C" ACCUBLAS_API void name(const char* uplo, const char* diag, const Int* n, type::Number* a, const Int* lda, \
                                    Int* info) {                                                                       \
    using namespace accublas;                                                                                          \
    blas::lapack(blas::Spelling::spelling,                                                                             \
                 type({type::which, type::has_complex, blas::f77_uplo(*uplo), ACCUBLAS_NO_TRANS, 0, *n, 0, *lda, 0,    \
                       blas::f77_diag(*diag)},                                                                         \
                      a, static_cast<Int*>(nullptr), nullptr),                                                         \
                 info);                                                                                                \
  }
#define F77_LAUUM F77_POTRF
#define F77_POTRI F77_POTRF
#define F77_GETRI(name, Int, spelling, type)                                                            \
  extern "C" ACCUBLAS_API void name(const Int* n, type::Number* a, const Int* lda, const Int* ipiv,     \
                                    type::Number* work, const Int* lwork, Int* info) {                  \
    using namespace accublas;                                                                           \
    blas::lapack_with_work(                                                                             \
        blas::Spelling::spelling,                                                                       \
        type({type::which, type::has_complex, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, 0, *n, 0, *lda, 0}, a, \
             const_cast<Int*>(ipiv), nullptr),                                                          \
        work, *lwork, info);                                                                            \
  }

#define ACCUBLAS_LAPACK_ENTRY(spelling, Int, prefix, f77_suffix, cblas_suffix, F77, routine, type) \
  F77(prefix##routine##f77_suffix, Int, spelling, type)
#define ACCUBLAS_LAPACK_NAMES(F77, routine, kind, ...)                            \
  namespace accublas::blas {                                                      \
  using routine##_call = FactorizationCall<FactorizationKind::kind, __VA_ARGS__>; \
  }                                                                               \
  ACCUBLAS_BLAS_SPELLINGS(ACCUBLAS_LAPACK_ENTRY, F77, routine, accublas::blas::routine##_call)
#define ACCUBLAS_LAPACK_ROUTINES(p, E)                 \
  ACCUBLAS_LAPACK_NAMES(F77_POTRF, p##potrf, potrf, E) \
  ACCUBLAS_LAPACK_NAMES(F77_POTRS, p##potrs, potrs, E) \
  ACCUBLAS_LAPACK_NAMES(F77_POSV, p##posv, posv, E)    \
  ACCUBLAS_LAPACK_NAMES(F77_GETRF, p##getrf, getrf, E) \
  ACCUBLAS_LAPACK_NAMES(F77_GETRS, p##getrs, getrs, E) \
  ACCUBLAS_LAPACK_NAMES(F77_GESV, p##gesv, gesv, E)    \
  ACCUBLAS_LAPACK_NAMES(F77_TRTRI, p##trtri, trtri, E) \
  ACCUBLAS_LAPACK_NAMES(F77_LAUUM, p##lauum, lauum, E) \
  ACCUBLAS_LAPACK_NAMES(F77_POTRI, p##potri, potri, E) \
  ACCUBLAS_LAPACK_NAMES(F77_GETRI, p##getri, getri, E)

ACCUBLAS_LAPACK_ROUTINES(d, double)
ACCUBLAS_LAPACK_ROUTINES(s, float)
ACCUBLAS_LAPACK_ROUTINES(z, accublas::Complex<double>)
ACCUBLAS_LAPACK_ROUTINES(c, accublas::Complex<float>)
