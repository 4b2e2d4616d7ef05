// LAPACK's QR factorization, what is made of its reflectors, and least squares under their LAPACK names. LAPACKE's
// routines call these.
#include "lib/call/orthogonal.hpp"

#include "c_api/blas/described.hpp"
#include "lib/cpu/lapack_calls.hpp"

namespace accublas::blas {
namespace {

template <OrthogonalKind of_kind, class E>
struct OrthogonalCall : Orthogonal<E>,
                        Names<E, orthogonal_routine(static_cast<int>(of_kind), is_complex<E>, is_single_precision<E>)> {
  static constexpr OrthogonalKind which = of_kind;
  /// What the routine lacks is null; what it only reads is not written.
  OrthogonalCall(const OrthogonalShape& shape, const E* a_data, const E* tau_data, E* c_data, E* work_data,
                 std::int64_t work_length)
      : Orthogonal<E>{shape} {
    this->a = {const_cast<E*>(a_data), 1, shape.lda};
    this->c = {c_data, 1, shape.ldc};
    this->tau = const_cast<E*>(tau_data);
    this->work = work_data;
    this->lwork = work_length;
  }
};

/// As LAPACK has it, a bad argument is -number in *info, and lwork = -1 asks how much workspace is best.
template <OrthogonalKind kind, class E, class Int>
void lapack(Spelling spelling, OrthogonalCall<kind, E> o, Int* info) {
  const bool query = o.lwork == -1;
  if (const int bad = check_orthogonal(ACCUBLAS_COL_MAJOR, o, !query && o.lwork < o.least_work()).number) {
    *info = static_cast<Int>(-bad);
    return f77_error(o.f77_name, bad, spelling);
  }
  std::int64_t result = 0;
  if (!query) {
    o.info = &result;
    const bool small = cpu::fits_blas(o) && cpu::fits_integers(o.lwork);
    const auto on_real = [&](const cpu::RealBlas& blas) { result = cpu::call_lapack(blas, o); };
    const std::int64_t inner = kind == OrthogonalKind::gels ? o.nrhs : o.reflectors();
    // LAPACK's ORMQR writes into A for a while, which the engine keeps as it is.
    const bool direct = small && kind != OrthogonalKind::ormqr;
    if (const auto* const blas = direct ? accublas_private_native(o.served, o.m, o.n, inner) : nullptr) {
      on_real(*blas);
    } else {
      serve(
          true, small,
          [&](const accublas_options* options) {
            return accublas_private_orthogonal(o, is_single_precision<E>, o.a.data, o.tau, o.c.data, &result, options);
          },
          on_real);
    }
  }
  o.work[0] = E{length_of<RealOf<E>>(o.work_for_blocks())};
  *info = static_cast<Int>(result);
}

}  // namespace
}  // namespace accublas::blas

#define F77_GEQRF(name, Int, spelling, type)                                                                        \
  extern "C" ACCUBLAS_API void name(const Int* m, const Int* n, type::Number* a, const Int* lda, type::Number* tau, \
                                    type::Number* work, const Int* lwork, Int* info) {                              \
    using namespace accublas;                                                                                       \
    blas::lapack(blas::Spelling::spelling,                                                                          \
                 type({type::which, type::has_complex, ACCUBLAS_LEFT, ACCUBLAS_NO_TRANS, *m, *n, 0, 0, *lda, 0}, a, \
                      tau, nullptr, work, *lwork),                                                                  \
                 info);                                                                                             \
  }
#define F77_ORGQR(name, Int, spelling, type)                                                                         \
  extern "C" ACCUBLAS_API void name(const Int* m, const Int* n, const Int* k, type::Number* a, const Int* lda,       \
                                    const type::Number* tau, type::Number* work, const Int* lwork, Int* info) {      \
    using namespace accublas;                                                                                        \
    blas::lapack(blas::Spelling::spelling,                                                                           \
                 type({type::which, type::has_complex, ACCUBLAS_LEFT, ACCUBLAS_NO_TRANS, *m, *n, *k, 0, *lda, 0}, a, \
                      tau, nullptr, work, *lwork),                                                                   \
                 info);                                                                                              \
  }
#define F77_ORMQR(name, Int, spelling, type)                                                                           \
  extern "C" ACCUBLAS_API void name(const char* side, const char* trans, const Int* m, const Int* n, const Int* k,     \
                                    const type::Number* a, const Int* lda, const type::Number* tau, type::Number* c,   \
                                    const Int* ldc, type::Number* work, const Int* lwork, Int* info) {                 \
    using namespace accublas;                                                                                          \
    blas::lapack(blas::Spelling::spelling,                                                                             \
                 type({type::which, type::has_complex, blas::f77_side(*side), blas::f77_transpose(*trans), *m, *n, *k, \
                       0, *lda, *ldc},                                                                                 \
                      a, tau, c, work, *lwork),                                                                        \
                 info);                                                                                                \
  }
#define F77_GELS(name, Int, spelling, type)                                                                          \
  extern "C" ACCUBLAS_API void name(const char* trans, const Int* m, const Int* n, const Int* nrhs, type::Number* a, \
                                    const Int* lda, type::Number* b, const Int* ldb, type::Number* work,             \
                                    const Int* lwork, Int* info) {                                                   \
    using namespace accublas;                                                                                        \
    blas::lapack(blas::Spelling::spelling,                                                                           \
                 type({type::which, type::has_complex, ACCUBLAS_LEFT, blas::f77_transpose(*trans), *m, *n, 0, *nrhs, \
                       *lda, *ldb},                                                                                  \
                      a, nullptr, b, work, *lwork),                                                                  \
                 info);                                                                                              \
  }

#define ACCUBLAS_LAPACK_ENTRY(spelling, Int, prefix, f77_suffix, cblas_suffix, F77, routine, type) \
  F77(prefix##routine##f77_suffix, Int, spelling, type)
#define ACCUBLAS_ORTHOGONAL_NAMES(F77, routine, kind, ...)                  \
  namespace accublas::blas {                                                \
  using routine##_call = OrthogonalCall<OrthogonalKind::kind, __VA_ARGS__>; \
  }                                                                         \
  ACCUBLAS_BLAS_SPELLINGS(ACCUBLAS_LAPACK_ENTRY, F77, routine, accublas::blas::routine##_call)
#define ACCUBLAS_ORTHOGONAL_ROUTINES(p, q, E)               \
  ACCUBLAS_ORTHOGONAL_NAMES(F77_GEQRF, p##geqrf, geqrf, E)  \
  ACCUBLAS_ORTHOGONAL_NAMES(F77_ORGQR, p##q##gqr, orgqr, E) \
  ACCUBLAS_ORTHOGONAL_NAMES(F77_ORMQR, p##q##mqr, ormqr, E) \
  ACCUBLAS_ORTHOGONAL_NAMES(F77_GELS, p##gels, gels, E)

ACCUBLAS_ORTHOGONAL_ROUTINES(d, or, double)
ACCUBLAS_ORTHOGONAL_ROUTINES(s, or, float)
ACCUBLAS_ORTHOGONAL_ROUTINES(z, un, accublas::Complex<double>)
ACCUBLAS_ORTHOGONAL_ROUTINES(c, un, accublas::Complex<float>)
