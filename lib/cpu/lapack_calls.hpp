// One call of LAPACK's factorizations as the real BLAS has them: column-major arguments, already checked.
#pragma once

#include "lib/base/error.hpp"
#include "lib/call/factorization.hpp"
#include "lib/cpu/blas_calls.hpp"

namespace accublas::cpu {

/// LAPACK's info, which is not negative. Its integers are the library's: `pivots` has them as wide as they are there.
template <class E>
std::int64_t call_lapack(const RealBlas& blas, const Factorization<E>& f) {
  const int number =
      factorization_number(factorization_routine(static_cast<int>(f.kind), is_complex<E>, is_single_precision<E>));
  void* const routine = blas.lapack[number];
  if (!routine)
    throw Error(ACCUBLAS_ERROR_NO_BLAS,
                std::string("the real BLAS has no ") + routine_name(f.routine()) + ", nor has liblapack.so.3");
  using Int = RealBlas::F77Int;
  using Text = const char*;
  using Size = const Int*;
  using Array = void*;
  const FpControl control;
  const char uplo = f.uplo == ACCUBLAS_UPPER ? 'U' : 'L', op = op_letter<E>(f.trans);
  const Int m = f.m, n = f.n, nrhs = f.nrhs, lda = f.lda, ldb = f.ldb;
  Array const a = f.a.data, b = f.b.data, ipiv = f.pivots.data;
  Int info = 0;
  switch (f.kind) {
    case FactorizationKind::potrf:
      reinterpret_cast<void (*)(Text, Size, Array, Size, Int*)>(routine)(&uplo, &n, a, &lda, &info);
      break;
    case FactorizationKind::potrs:
    case FactorizationKind::posv:
      reinterpret_cast<void (*)(Text, Size, Size, Array, Size, Array, Size, Int*)>(routine)(&uplo, &n, &nrhs, a, &lda,
                                                                                            b, &ldb, &info);
      break;
    case FactorizationKind::getrf:
      reinterpret_cast<void (*)(Size, Size, Array, Size, Array, Int*)>(routine)(&m, &n, a, &lda, ipiv, &info);
      break;
    case FactorizationKind::getrs:
      reinterpret_cast<void (*)(Text, Size, Size, Array, Size, Array, Array, Size, Int*)>(routine)(
          &op, &n, &nrhs, a, &lda, ipiv, b, &ldb, &info);
      break;
    case FactorizationKind::gesv:
      reinterpret_cast<void (*)(Size, Size, Array, Size, Array, Array, Size, Int*)>(routine)(&n, &nrhs, a, &lda, ipiv,
                                                                                             b, &ldb, &info);
      break;
  }
  return blas.narrow_integers ? static_cast<std::int32_t>(info) : info;
}

}  // namespace accublas::cpu
