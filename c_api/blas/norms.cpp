// NRM2 and ASUM under their BLAS names.
#include <algorithm>

#include "c_api/blas/serve.hpp"

namespace accublas::blas {
namespace {

template <class T>
struct Nrm2 {
  static constexpr Routine routine = is_double<T> ? Routine::dnrm2 : Routine::snrm2;
  static T on_real(const cpu::RealBlas& blas, std::int64_t n, const T* x, std::int64_t incx) {
    return cpu::call_nrm2(blas, n, x, incx);
  }
  static accublas_status by_mode(std::int64_t n, const T* x, std::int64_t incx, T* result,
                                 const accublas_options* options) {
    if constexpr (is_double<T>)
      return accublas_dnrm2_ex(nullptr, n, x, incx, result, options);
    else
      return accublas_snrm2_ex(nullptr, n, x, incx, result, options);
  }
};

template <class T>
struct Asum {
  static constexpr Routine routine = is_double<T> ? Routine::dasum : Routine::sasum;
  static T on_real(const cpu::RealBlas& blas, std::int64_t n, const T* x, std::int64_t incx) {
    return cpu::call_asum(blas, n, x, incx);
  }
  static accublas_status by_mode(std::int64_t n, const T* x, std::int64_t incx, T* result,
                                 const accublas_options* options) {
    if constexpr (is_double<T>)
      return accublas_dasum_ex(nullptr, n, x, incx, result, options);
    else
      return accublas_sasum_ex(nullptr, n, x, incx, result, options);
  }
};

/// No bad argument: n <= 0 and incx <= 0 give zero in every mode, as in OpenBLAS up to 0.3.21 and netlib before 3.10.
template <template <class> class Norm, class T>
T norm(std::int64_t n, const T* x, std::int64_t incx) {
  n = incx > 0 ? std::max<std::int64_t>(n, 0) : 0;
  const bool small = fits(n, incx);
  const auto on_real = [&](const cpu::RealBlas& blas) { return Norm<T>::on_real(blas, n, x, incx); };
  if (small)
    if (const auto* blas = accublas_private_native(Norm<T>::routine, 1, 1, n)) return on_real(*blas);
  T result = 0;
  serve(
      false, small, [&](const accublas_options* options) { return Norm<T>::by_mode(n, x, incx, &result, options); },
      [&](const cpu::RealBlas& blas) { result = on_real(blas); });
  return result;
}

}  // namespace
}  // namespace accublas::blas

#define F77_NORM(name, Int, norm_of, T)                                       \
  extern "C" ACCUBLAS_API T name(const Int* n, const T* x, const Int* incx) { \
    return accublas::blas::norm<accublas::blas::norm_of, T>(*n, x, *incx);    \
  }
#define CBLAS_NORM(name, Int, norm_of, T)                                \
  extern "C" ACCUBLAS_API T name(Int n, const T* x, Int incx) {          \
    return accublas::blas::norm<accublas::blas::norm_of, T>(n, x, incx); \
  }
#define F77_NRM2(name, Int, spelling, T) F77_NORM(name, Int, Nrm2, T)
#define CBLAS_NRM2(name, Int, spelling, T) CBLAS_NORM(name, Int, Nrm2, T)
#define F77_ASUM(name, Int, spelling, T) F77_NORM(name, Int, Asum, T)
#define CBLAS_ASUM(name, Int, spelling, T) CBLAS_NORM(name, Int, Asum, T)

ACCUBLAS_BLAS_NAMES(F77_NRM2, CBLAS_NRM2, dnrm2, double)
ACCUBLAS_BLAS_NAMES(F77_NRM2, CBLAS_NRM2, snrm2, float)
ACCUBLAS_BLAS_NAMES(F77_ASUM, CBLAS_ASUM, dasum, double)
ACCUBLAS_BLAS_NAMES(F77_ASUM, CBLAS_ASUM, sasum, float)
