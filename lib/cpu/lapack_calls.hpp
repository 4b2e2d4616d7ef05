// One call of LAPACK's factorizations as the real BLAS has them: column-major arguments, already checked.
#pragma once

#include "lib/base/error.hpp"
#include "lib/call/factorization.hpp"
#include "lib/cpu/level3_calls.hpp"

namespace accublas::cpu {

namespace detail {

template <class E>
void* lapack_routine(const RealBlas& blas, FactorizationKind kind) {
  const Routine number = factorization_routine(static_cast<int>(kind), is_complex<E>, is_single_precision<E>);
  if (void* const routine = blas.lapack[factorization_number(number)]) return routine;
  throw Error(ACCUBLAS_ERROR_NO_BLAS,
              std::string("the real BLAS has no ") + routine_name(number) + ", nor has liblapack.so.3");
}

}  // namespace detail

/// LAPACK's info, which is not negative. Its integers are the library's: `pivots` has them as wide as they are there.
/// POTRS is two TRSM, as LAPACK has it: its own would find the drop-in's where that is preloaded.
template <class E>
std::int64_t call_lapack(const RealBlas& blas, const Factorization<E>& f) {
  using Int = RealBlas::F77Int;
  using Text = const char*;
  using Size = const Int*;
  using Array = void*;
  const FpControl control;
  const char uplo = f.uplo == ACCUBLAS_UPPER ? 'U' : 'L', op = op_letter<E>(f.trans);
  const Int m = f.m, n = f.n, nrhs = f.nrhs, lda = f.lda, ldb = f.ldb;
  Array const a = f.a.data, b = f.b.data, ipiv = f.pivots.data;
  Int info = 0;
  if (f.kind == FactorizationKind::getrf) {
    const auto call = reinterpret_cast<void (*)(Size, Size, Array, Size, Array, Int*)>(
        detail::lapack_routine<E>(blas, FactorizationKind::getrf));
    call(&m, &n, a, &lda, ipiv, &info);
  } else if (f.kind == FactorizationKind::getrs) {
    const auto call = reinterpret_cast<void (*)(Text, Size, Size, Array, Size, Array, Array, Size, Int*)>(
        detail::lapack_routine<E>(blas, FactorizationKind::getrs));
    call(&op, &n, &nrhs, a, &lda, ipiv, b, &ldb, &info);
  } else if (f.kind == FactorizationKind::gesv) {
    const auto call = reinterpret_cast<void (*)(Size, Size, Array, Size, Array, Array, Size, Int*)>(
        detail::lapack_routine<E>(blas, FactorizationKind::gesv));
    call(&n, &nrhs, a, &lda, ipiv, b, &ldb, &info);
  } else {
    if (has_factor(f.kind)) {
      const auto call = reinterpret_cast<void (*)(Text, Size, Array, Size, Int*)>(
          detail::lapack_routine<E>(blas, FactorizationKind::potrf));
      call(&uplo, &n, a, &lda, &info);
    }
    const accublas_transpose first = f.uplo == ACCUBLAS_UPPER ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS;
    for (const accublas_transpose trans : {first, ACCUBLAS_NO_TRANS + ACCUBLAS_CONJ_TRANS - first}) {
      if (!has_solution(f.kind) || info != 0) break;
      Level3<E> solution{shape_with_side(Level3Kind::trsm, is_complex<E>, ACCUBLAS_LEFT, f.uplo, trans,
                                         ACCUBLAS_NON_UNIT, n, nrhs, lda, ldb, 0)};
      solution.alpha = E{1};
      solution.a = f.a.data;
      solution.c = f.b.data;
      call_level3(blas, solution);
    }
  }
  return blas.narrow_integers ? static_cast<std::int32_t>(info) : info;
}

}  // namespace accublas::cpu
