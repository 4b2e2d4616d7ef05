// The routines of the PBLAS and of ScaLAPACK that accublas serves. Each function takes the routine's arguments as
// Fortran passes them. It returns false, with nothing done, if ScaLAPACK's own routine has to compute the call: in a
// mode that does not define bits, or because an argument is bad. `name` is the routine's symbol.
#pragma once

#include "lib/numerics/complex.hpp"

namespace accublas::pblas {

template <class E>
bool gemm(const char* name, const char* transa, const char* transb, const int* m, const int* n, const int* k,
          const E* alpha, const E* a, const int* ia, const int* ja, const int* desca, const E* b, const int* ib,
          const int* jb, const int* descb, const E* beta, E* c, const int* ic, const int* jc, const int* descc);

template <class E>
bool symm(const char* name, const char* side, const char* uplo, const int* m, const int* n, const E* alpha, const E* a,
          const int* ia, const int* ja, const int* desca, const E* b, const int* ib, const int* jb, const int* descb,
          const E* beta, E* c, const int* ic, const int* jc, const int* descc);
template <class E>
bool hemm(const char* name, const char* side, const char* uplo, const int* m, const int* n, const E* alpha, const E* a,
          const int* ia, const int* ja, const int* desca, const E* b, const int* ib, const int* jb, const int* descb,
          const E* beta, E* c, const int* ic, const int* jc, const int* descc);

template <class E>
bool syrk(const char* name, const char* uplo, const char* trans, const int* n, const int* k, const E* alpha, const E* a,
          const int* ia, const int* ja, const int* desca, const E* beta, E* c, const int* ic, const int* jc,
          const int* descc);
template <class E>
bool herk(const char* name, const char* uplo, const char* trans, const int* n, const int* k, const RealOf<E>* alpha,
          const E* a, const int* ia, const int* ja, const int* desca, const RealOf<E>* beta, E* c, const int* ic,
          const int* jc, const int* descc);

template <class E>
bool trmm(const char* name, const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
          const int* n, const E* alpha, const E* a, const int* ia, const int* ja, const int* desca, E* b, const int* ib,
          const int* jb, const int* descb);
template <class E>
bool trsm(const char* name, const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
          const int* n, const E* alpha, const E* a, const int* ia, const int* ja, const int* desca, E* b, const int* ib,
          const int* jb, const int* descb);

template <class E>
bool gemv(const char* name, const char* trans, const int* m, const int* n, const E* alpha, const E* a, const int* ia,
          const int* ja, const int* desca, const E* x, const int* ix, const int* jx, const int* descx, const int* incx,
          const E* beta, E* y, const int* iy, const int* jy, const int* descy, const int* incy);

/// The processes in the scopes of x and y get the result, and the others get zero.
template <class E>
bool dot(const char* name, const int* n, E* result, const E* x, const int* ix, const int* jx, const int* descx,
         const int* incx, const E* y, const int* iy, const int* jy, const int* descy, const int* incy);
template <class E>
bool dotu(const char* name, const int* n, E* result, const E* x, const int* ix, const int* jx, const int* descx,
          const int* incx, const E* y, const int* iy, const int* jy, const int* descy, const int* incy);
template <class E>
bool dotc(const char* name, const int* n, E* result, const E* x, const int* ix, const int* jx, const int* descx,
          const int* incx, const E* y, const int* iy, const int* jy, const int* descy, const int* incy);

template <class E>
bool nrm2(const char* name, const int* n, RealOf<E>* result, const E* x, const int* ix, const int* jx, const int* descx,
          const int* incx);

/// ScaLAPACK's factorizations and the solutions by them. `info` is that of LAPACK's routine. ipiv has the pivots of the
/// rows of A that a process has, as rows of the whole matrix, counted from 1.
template <class E>
bool potrf(const char* name, const char* uplo, const int* n, E* a, const int* ia, const int* ja, const int* desca,
           int* info);
template <class E>
bool potrs(const char* name, const char* uplo, const int* n, const int* nrhs, const E* a, const int* ia, const int* ja,
           const int* desca, E* b, const int* ib, const int* jb, const int* descb, int* info);
template <class E>
bool posv(const char* name, const char* uplo, const int* n, const int* nrhs, E* a, const int* ia, const int* ja,
          const int* desca, E* b, const int* ib, const int* jb, const int* descb, int* info);
template <class E>
bool getrf(const char* name, const int* m, const int* n, E* a, const int* ia, const int* ja, const int* desca,
           int* ipiv, int* info);
template <class E>
bool getrs(const char* name, const char* trans, const int* n, const int* nrhs, const E* a, const int* ia, const int* ja,
           const int* desca, const int* ipiv, E* b, const int* ib, const int* jb, const int* descb, int* info);
template <class E>
bool gesv(const char* name, const int* n, const int* nrhs, E* a, const int* ia, const int* ja, const int* desca,
          int* ipiv, E* b, const int* ib, const int* jb, const int* descb, int* info);

}  // namespace accublas::pblas
