// The names of the PBLAS and of ScaLAPACK. Arguments are passed on as they come; the hidden lengths of characters are
// not declared.
#include <exception>

#include "c_api/pblas/grid.hpp"
#include "c_api/pblas/host_arrays.hpp"
#include "c_api/pblas/routines.hpp"
#include "include/accublas.h"

namespace accublas::pblas {
namespace {

/// Calls ScaLAPACK's own routine.
template <class... Arguments>
void hand_over(const char* name, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(real_routine(name))(arguments...);
}

/// Computes a call. `routine` is a function of routines.hpp.
template <class Routine, class... Arguments>
void compute(const char* name, Routine&& routine, Arguments... arguments) {
  const auto on_host = [&](Arguments... own) {
    if (!routine(own...)) hand_over(name, own...);
  };
  try {
    with_host_arrays(name, on_host, arguments...);
  } catch (const std::exception& error) {
    fail(name, error.what());
  }
}

}  // namespace

#define ACCUBLAS_PBLAS_ENTRY(symbol, routine, E, parameters, ...)                                   \
  extern "C" ACCUBLAS_API void symbol parameters {                                                  \
    compute(                                                                                        \
        #symbol, [](auto... arguments) { return routine<E>(#symbol, arguments...); }, __VA_ARGS__); \
  }
#define ACCUBLAS_PBLAS_MATRIX(constant, E, name) \
  constant E *name, const int *i##name, const int *j##name, const int *desc##name
#define ACCUBLAS_PBLAS_VECTOR(constant, E, name) ACCUBLAS_PBLAS_MATRIX(constant, E, name), const int* inc##name

#define ACCUBLAS_PBLAS_GEMM(p, E)                                                                               \
  ACCUBLAS_PBLAS_ENTRY(p##gemm_, gemm, E,                                                                       \
                       (const char* transa, const char* transb, const int* m, const int* n, const int* k,       \
                        const E* alpha, ACCUBLAS_PBLAS_MATRIX(const, E, a), ACCUBLAS_PBLAS_MATRIX(const, E, b), \
                        const E* beta, ACCUBLAS_PBLAS_MATRIX(, E, c)),                                          \
                       transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, descc)
#define ACCUBLAS_PBLAS_SYMM(p, stem, E)                                                                        \
  ACCUBLAS_PBLAS_ENTRY(p##stem##_, stem, E,                                                                    \
                       (const char* side, const char* uplo, const int* m, const int* n, const E* alpha,        \
                        ACCUBLAS_PBLAS_MATRIX(const, E, a), ACCUBLAS_PBLAS_MATRIX(const, E, b), const E* beta, \
                        ACCUBLAS_PBLAS_MATRIX(, E, c)),                                                        \
                       side, uplo, m, n, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, descc)
#define ACCUBLAS_PBLAS_SYRK(p, stem, E, T)                                                                 \
  ACCUBLAS_PBLAS_ENTRY(p##stem##_, stem, E,                                                                \
                       (const char* uplo, const char* trans, const int* n, const int* k, const T* alpha,   \
                        ACCUBLAS_PBLAS_MATRIX(const, E, a), const T* beta, ACCUBLAS_PBLAS_MATRIX(, E, c)), \
                       uplo, trans, n, k, alpha, a, ia, ja, desca, beta, c, ic, jc, descc)
#define ACCUBLAS_PBLAS_TRIANGULAR(p, stem, E)                                                                \
  ACCUBLAS_PBLAS_ENTRY(                                                                                      \
      p##stem##_, stem, E,                                                                                   \
      (const char* side, const char* uplo, const char* transa, const char* diag, const int* m, const int* n, \
       const E* alpha, ACCUBLAS_PBLAS_MATRIX(const, E, a), ACCUBLAS_PBLAS_MATRIX(, E, b)),                   \
      side, uplo, transa, diag, m, n, alpha, a, ia, ja, desca, b, ib, jb, descb)
#define ACCUBLAS_PBLAS_GEMV(p, E)                                                                         \
  ACCUBLAS_PBLAS_ENTRY(                                                                                   \
      p##gemv_, gemv, E,                                                                                  \
      (const char* trans, const int* m, const int* n, const E* alpha, ACCUBLAS_PBLAS_MATRIX(const, E, a), \
       ACCUBLAS_PBLAS_VECTOR(const, E, x), const E* beta, ACCUBLAS_PBLAS_VECTOR(, E, y)),                 \
      trans, m, n, alpha, a, ia, ja, desca, x, ix, jx, descx, incx, beta, y, iy, jy, descy, incy)
#define ACCUBLAS_PBLAS_DOT(p, stem, E)                                                                                 \
  ACCUBLAS_PBLAS_ENTRY(                                                                                                \
      p##stem##_, stem, E,                                                                                             \
      (const int* n, E* result, ACCUBLAS_PBLAS_VECTOR(const, E, x), ACCUBLAS_PBLAS_VECTOR(const, E, y)), n, result, x, \
      ix, jx, descx, incx, y, iy, jy, descy, incy)
#define ACCUBLAS_PBLAS_NRM2(symbol, E)                                                                            \
  ACCUBLAS_PBLAS_ENTRY(symbol, nrm2, E, (const int* n, RealOf<E>* result, ACCUBLAS_PBLAS_VECTOR(const, E, x)), n, \
                       result, x, ix, jx, descx, incx)

#define ACCUBLAS_PBLAS_OF_CHOLESKY(p, E)                                                                               \
  ACCUBLAS_PBLAS_ENTRY(p##potrf_, potrf, E,                                                                            \
                       (const char* uplo, const int* n, ACCUBLAS_PBLAS_MATRIX(, E, a), int* info), uplo, n, a, ia, ja, \
                       desca, info)                                                                                    \
  ACCUBLAS_PBLAS_ENTRY(p##potrs_, potrs, E,                                                                            \
                       (const char* uplo, const int* n, const int* nrhs, ACCUBLAS_PBLAS_MATRIX(const, E, a),           \
                        ACCUBLAS_PBLAS_MATRIX(, E, b), int* info),                                                     \
                       uplo, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, info)                                        \
  ACCUBLAS_PBLAS_ENTRY(p##posv_, posv, E,                                                                              \
                       (const char* uplo, const int* n, const int* nrhs, ACCUBLAS_PBLAS_MATRIX(, E, a),                \
                        ACCUBLAS_PBLAS_MATRIX(, E, b), int* info),                                                     \
                       uplo, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, info)
#define ACCUBLAS_PBLAS_OF_LU(p, E)                                                                                     \
  ACCUBLAS_PBLAS_ENTRY(p##getrf_, getrf, E,                                                                            \
                       (const int* m, const int* n, ACCUBLAS_PBLAS_MATRIX(, E, a), int* ipiv, int* info), m, n, a, ia, \
                       ja, desca, ipiv, info)                                                                          \
  ACCUBLAS_PBLAS_ENTRY(p##getrs_, getrs, E,                                                                            \
                       (const char* trans, const int* n, const int* nrhs, ACCUBLAS_PBLAS_MATRIX(const, E, a),          \
                        const int* ipiv, ACCUBLAS_PBLAS_MATRIX(, E, b), int* info),                                    \
                       trans, n, nrhs, a, ia, ja, desca, ipiv, b, ib, jb, descb, info)                                 \
  ACCUBLAS_PBLAS_ENTRY(p##gesv_, gesv, E,                                                                              \
                       (const int* n, const int* nrhs, ACCUBLAS_PBLAS_MATRIX(, E, a), int* ipiv,                       \
                        ACCUBLAS_PBLAS_MATRIX(, E, b), int* info),                                                     \
                       n, nrhs, a, ia, ja, desca, ipiv, b, ib, jb, descb, info)

#define ACCUBLAS_PBLAS_TYPE(p, E)       \
  ACCUBLAS_PBLAS_OF_CHOLESKY(p, E)      \
  ACCUBLAS_PBLAS_OF_LU(p, E)            \
  ACCUBLAS_PBLAS_GEMM(p, E)             \
  ACCUBLAS_PBLAS_SYMM(p, symm, E)       \
  ACCUBLAS_PBLAS_SYRK(p, syrk, E, E)    \
  ACCUBLAS_PBLAS_TRIANGULAR(p, trmm, E) \
  ACCUBLAS_PBLAS_TRIANGULAR(p, trsm, E) \
  ACCUBLAS_PBLAS_GEMV(p, E)
#define ACCUBLAS_PBLAS_COMPLEX(p, E)         \
  ACCUBLAS_PBLAS_SYMM(p, hemm, E)            \
  ACCUBLAS_PBLAS_SYRK(p, herk, E, RealOf<E>) \
  ACCUBLAS_PBLAS_DOT(p, dotu, E)             \
  ACCUBLAS_PBLAS_DOT(p, dotc, E)

ACCUBLAS_PBLAS_TYPE(pd, double)
ACCUBLAS_PBLAS_TYPE(ps, float)
ACCUBLAS_PBLAS_TYPE(pz, Complex<double>)
ACCUBLAS_PBLAS_TYPE(pc, Complex<float>)
ACCUBLAS_PBLAS_COMPLEX(pz, Complex<double>)
ACCUBLAS_PBLAS_COMPLEX(pc, Complex<float>)
ACCUBLAS_PBLAS_DOT(pd, dot, double)
ACCUBLAS_PBLAS_DOT(ps, dot, float)
ACCUBLAS_PBLAS_NRM2(pdnrm2_, double)
ACCUBLAS_PBLAS_NRM2(psnrm2_, float)
ACCUBLAS_PBLAS_NRM2(pdznrm2_, Complex<double>)
ACCUBLAS_PBLAS_NRM2(pscnrm2_, Complex<float>)

}  // namespace accublas::pblas
