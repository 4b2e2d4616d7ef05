// The calls of the real BLAS and LAPACK that programs make under their names.
#include <algorithm>
#include <string>
#include <vector>

#include "lib/call/batch.hpp"
#include "lib/call/level1.hpp"
#include "lib/cpu/blas_sizes.hpp"
#include "lib/cpu/lapack_calls.hpp"
#include "lib/cpu/level2_calls.hpp"
#include "lib/cpu/level3_calls.hpp"

namespace accublas::cpu {
namespace {

template <class E>
void call_real(const RealBlas& blas, const Level1<E>& l) {
  const auto x = static_cast<const E*>(l.x), y = static_cast<const E*>(l.y);
  switch (l.kind) {
    case Operation::nrm2:
      *static_cast<RealOf<E>*>(l.result) = call_nrm2(blas, l.n, x, l.incx);
      break;
    case Operation::asum:
      *static_cast<RealOf<E>*>(l.result) = call_asum(blas, l.n, x, l.incx);
      break;
    default:
      E& result = *static_cast<E*>(l.result);
      if constexpr (!is_complex<E>)
        if (l.kind == Operation::mixed_dot) {
          blas.require(l.routine());
          result = call_mixed_dot(blas, l.n, l.addend, static_cast<const float*>(l.x), l.incx,
                                  static_cast<const float*>(l.y), l.incy);
          return;
        }
      result = call_dot(blas, l.kind == Operation::dotc, l.n, x, l.incx, y, l.incy);
  }
}

template <class E>
void call_real(const RealBlas& blas, const Level2<E>& l) {
  l.kind == Operation::gemv ? call_gemv(blas, l) : call_level2(blas, l);
}

template <class E>
void call_real(const RealBlas& blas, const Level3<E>& l) {
  if (l.kind == Operation::gemm)
    return call_gemm(blas, op_letter<E>(l.transa), op_letter<E>(l.transb), l.m, l.n, l.k, l.alpha, l.a, l.lda, l.b,
                     l.ldb, l.beta, l.c, l.ldc);
  if (!l.conjugate_alpha) return call_level3(blas, l);
  Level3<E> call = l;
  call.alpha = conjugate_if(true, l.alpha);
  call_level3(blas, call);
}

template <class E>
void call_real(const RealBlas& blas, const BatchCall<E>& s) {
  for (Index i = 0; i < s.batch_count; ++i)
    call_gemm(blas, op_letter<E>(s.transa), op_letter<E>(s.transb), s.m, s.n, s.k, s.alpha, s.a[i], s.lda, s.b[i],
              s.ldb, s.beta, s.c[i], s.ldc);
}

/// The caller's pivots must be as wide as the library's.
template <class E>
void call_real(const RealBlas& blas, const Factorization<E>& f) {
  if (!has_uplo(f.kind) && f.pivots.narrow != blas.narrow_integers)
    throw Error(ACCUBLAS_ERROR_NO_BLAS, "argument ipiv has integers of " + std::to_string(f.pivots.narrow ? 32 : 64) +
                                            " bits, those of the real BLAS have " +
                                            std::to_string(8 * blas.integer_bytes()));
  *f.info = call_lapack(blas, f);
}

/// LAPACK's ORMQR writes into A for a while, which is the caller's to read alone: it has a copy.
template <class E>
void call_real(const RealBlas& blas, const Orthogonal<E>& o) {
  Orthogonal<E> call = o;
  call.lwork = std::min(o.lwork, int_max);
  std::vector<E> copy;
  if (o.kind == Operation::ormqr) {
    call.lda = std::max<Index>(o.a_rows(), 1);
    for (Index j = 0; j < o.k; ++j) copy.insert(copy.end(), &o.a(0, j), &o.a(0, j) + call.lda);
    call.a = {copy.data(), 1, call.lda};
  }
  *o.info = call_lapack(blas, call);
}

}  // namespace

template <template <class> class Call, class E>
void call_real_blas(const RealBlas& blas, const Call<E>& call) {
  call_real(blas, call);
}

#define ACCUBLAS_CALL_REAL_BLAS(E)                                        \
  template void call_real_blas(const RealBlas&, const Level1<E>&);        \
  template void call_real_blas(const RealBlas&, const Level2<E>&);        \
  template void call_real_blas(const RealBlas&, const Level3<E>&);        \
  template void call_real_blas(const RealBlas&, const BatchCall<E>&);     \
  template void call_real_blas(const RealBlas&, const Factorization<E>&); \
  template void call_real_blas(const RealBlas&, const Orthogonal<E>&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_CALL_REAL_BLAS)

}  // namespace accublas::cpu
