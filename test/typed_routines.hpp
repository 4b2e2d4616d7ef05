// The routines of all types under one name: typed::gemm(E{}, context, ...) is accublas_zgemm where E is
// std::complex<double>. A Hermitian routine's name stands for the symmetric one where E is real.
#pragma once

#include <complex>
#include <type_traits>

#include "accublas.h"

namespace typed {

#define ACCUBLAS_OF_TYPE(type, name, routine)                             \
  template <class... A>                                                   \
  accublas_status name(type, accublas_context* context, A... arguments) { \
    return accublas_##routine(context, arguments...);                     \
  }
#define ACCUBLAS_OF_TYPES(name, d, s, z, c)       \
  ACCUBLAS_OF_TYPE(double, name, d)               \
  ACCUBLAS_OF_TYPE(float, name, s)                \
  ACCUBLAS_OF_TYPE(std::complex<double>, name, z) \
  ACCUBLAS_OF_TYPE(std::complex<float>, name, c)
#define ACCUBLAS_OF(name, real, complex) ACCUBLAS_OF_TYPES(name, d##real, s##real, z##complex, c##complex)
ACCUBLAS_OF(gemm, gemm, gemm)
ACCUBLAS_OF(gemm_batched, gemm_batched, gemm_batched)
ACCUBLAS_OF(gemm_strided_batched, gemm_strided_batched, gemm_strided_batched)
ACCUBLAS_OF(gemm_strided, gemm_strided, gemm_strided)
ACCUBLAS_OF(gemv, gemv, gemv)
ACCUBLAS_OF(gemv_strided, gemv_strided, gemv_strided)
ACCUBLAS_OF(trmv, trmv, trmv)
ACCUBLAS_OF(trsv, trsv, trsv)
ACCUBLAS_OF(symm, symm, symm)
ACCUBLAS_OF(syrk, syrk, syrk)
ACCUBLAS_OF(syr2k, syr2k, syr2k)
ACCUBLAS_OF(gemmt, gemmt, gemmt)
ACCUBLAS_OF(trmm, trmm, trmm)
ACCUBLAS_OF(trsm, trsm, trsm)
ACCUBLAS_OF(potrf, potrf, potrf)
ACCUBLAS_OF(potrs, potrs, potrs)
ACCUBLAS_OF(posv, posv, posv)
ACCUBLAS_OF(getrf, getrf, getrf)
ACCUBLAS_OF(getrs, getrs, getrs)
ACCUBLAS_OF(gesv, gesv, gesv)
ACCUBLAS_OF(trtri, trtri, trtri)
ACCUBLAS_OF(lauum, lauum, lauum)
ACCUBLAS_OF(potri, potri, potri)
ACCUBLAS_OF(getri, getri, getri)
ACCUBLAS_OF(geqrf, geqrf, geqrf)
ACCUBLAS_OF(gels, gels, gels)
ACCUBLAS_OF(qr_explicit, qr_explicit, qr_explicit)
#define ACCUBLAS_OF_BATCHES(name)                             \
  ACCUBLAS_OF(name##_batched, name##_batched, name##_batched) \
  ACCUBLAS_OF(name##_strided_batched, name##_strided_batched, name##_strided_batched)
ACCUBLAS_OF_BATCHES(potrf)
ACCUBLAS_OF_BATCHES(potrs)
ACCUBLAS_OF_BATCHES(posv)
ACCUBLAS_OF_BATCHES(getrf)
ACCUBLAS_OF_BATCHES(getrs)
ACCUBLAS_OF_BATCHES(gesv)
ACCUBLAS_OF_BATCHES(geqrf)
#undef ACCUBLAS_OF_BATCHES
ACCUBLAS_OF(dot, dot, dotu)
ACCUBLAS_OF(dotc, dot, dotc)
ACCUBLAS_OF(symv, symv, hemv)
ACCUBLAS_OF(ger, ger, geru)
ACCUBLAS_OF(gerc, ger, gerc)
ACCUBLAS_OF(syr, syr, her)
ACCUBLAS_OF(syr2, syr2, her2)
ACCUBLAS_OF(hemm, symm, hemm)
ACCUBLAS_OF(herk, syrk, herk)
ACCUBLAS_OF(her2k, syr2k, her2k)
ACCUBLAS_OF(orgqr, orgqr, ungqr)
ACCUBLAS_OF(ormqr, ormqr, unmqr)
ACCUBLAS_OF_TYPES(nrm2, dnrm2, snrm2, dznrm2, scnrm2)
ACCUBLAS_OF_TYPES(asum, dasum, sasum, dzasum, scasum)
#undef ACCUBLAS_OF
#undef ACCUBLAS_OF_TYPES
#undef ACCUBLAS_OF_TYPE

template <class E>
struct RealOf {
  using type = E;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class E>
using Real = typename RealOf<E>::type;
template <class E>
constexpr bool is_complex = !std::is_same_v<E, Real<E>>;

}  // namespace typed
