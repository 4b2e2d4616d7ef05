// DOT under its BLAS names. Every routine of the drop-in is check, map, one call.
#include <algorithm>

#include "c_api/blas/serve.hpp"

namespace accublas::blas {
namespace {

/// DOT has no bad argument: n <= 0 gives zero, and an increment of zero repeats the element.
template <class T>
T dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy) {
  n = std::max<std::int64_t>(n, 0);
  const bool small = fits(n, incx, incy);
  const auto on_real = [&](const cpu::RealBlas& blas) { return cpu::call_dot(blas, n, x, incx, y, incy); };
  if (small)
    if (const auto* blas = accublas_private_native(is_double<T> ? Routine::ddot : Routine::sdot, 1, 1, n))
      return on_real(*blas);
  T result = 0;
  serve(
      false, small,
      [&](const accublas_options* options) {
        if constexpr (is_double<T>)
          return accublas_ddot_ex(nullptr, n, x, incx, y, incy, &result, options);
        else
          return accublas_sdot_ex(nullptr, n, x, incx, y, incy, &result, options);
      },
      [&](const cpu::RealBlas& blas) { result = on_real(blas); });
  return result;
}

}  // namespace
}  // namespace accublas::blas

#define F77_DOT(name, Int, spelling, T)                                                                    \
  extern "C" ACCUBLAS_API T name(const Int* n, const T* x, const Int* incx, const T* y, const Int* incy) { \
    return accublas::blas::dot<T>(*n, x, *incx, y, *incy);                                                 \
  }
#define CBLAS_DOT(name, Int, spelling, T)                                             \
  extern "C" ACCUBLAS_API T name(Int n, const T* x, Int incx, const T* y, Int incy) { \
    return accublas::blas::dot<T>(n, x, incx, y, incy);                               \
  }

ACCUBLAS_BLAS_NAMES(F77_DOT, CBLAS_DOT, ddot, double)
ACCUBLAS_BLAS_NAMES(F77_DOT, CBLAS_DOT, sdot, float)
