// NRM2 and ASUM under their BLAS names.
#include <algorithm>
#include <type_traits>

#include "c_api/blas/serve.hpp"

namespace accublas::blas {
namespace {

/// A norm by its vector's type of numbers.
template <class E>
struct Nrm2;
template <class E>
struct Asum;
#define ACCUBLAS_NORM(Norm, E, name, call)                                                               \
  template <>                                                                                            \
  struct Norm<E> {                                                                                       \
    static constexpr Routine routine = Routine::name;                                                    \
    static constexpr auto run = accublas_##name##_ex;                                                    \
    static RealOf<E> on_real(const cpu::RealBlas& blas, std::int64_t n, const E* x, std::int64_t incx) { \
      return cpu::call(blas, n, x, incx);                                                                \
    }                                                                                                    \
  };
ACCUBLAS_NORM(Nrm2, double, dnrm2, call_nrm2)
ACCUBLAS_NORM(Nrm2, float, snrm2, call_nrm2)
ACCUBLAS_NORM(Nrm2, Complex<double>, dznrm2, call_nrm2)
ACCUBLAS_NORM(Nrm2, Complex<float>, scnrm2, call_nrm2)
ACCUBLAS_NORM(Asum, double, dasum, call_asum)
ACCUBLAS_NORM(Asum, float, sasum, call_asum)
ACCUBLAS_NORM(Asum, Complex<double>, dzasum, call_asum)
ACCUBLAS_NORM(Asum, Complex<float>, scasum, call_asum)

/// No argument is bad. What an increment that is not positive gives, is in mode native the real BLAS's affair, and in
/// the others netlib's (LAPACK 3.10 and later): NRM2 reads the elements of a negative one as every routine does, and
/// the first element n times where it is zero; ASUM is zero.
template <template <class> class Norm, class E>
RealOf<E> norm(std::int64_t n, const E* x, std::int64_t incx) {
  n = std::max<std::int64_t>(n, 0);
  const bool small = cpu::fits_vector(n, incx, is_complex<E>);
  const auto on_real = [&](const cpu::RealBlas& blas) { return Norm<E>::on_real(blas, n, x, incx); };
  if (small && incx > 0)
    if (const auto* blas = accublas_private_native(Norm<E>::routine, 1, 1, n)) return on_real(*blas);
  const bool as_library = small && incx <= 0 && accublas_private_mode_is_native(Norm<E>::routine);
  if (incx <= 0 && !as_library && std::is_same_v<Norm<E>, Asum<E>>) n = 0;
  RealOf<E> result = 0;
  serve(
      false, small,
      [&](const accublas_options* options) { return Norm<E>::run(nullptr, n, x, incx, &result, options); },
      [&](const cpu::RealBlas& blas) { result = on_real(blas); });
  if (as_library)
    if (const auto* blas = accublas_private_real_blas()) return on_real(*blas);
  return result;
}

}  // namespace
}  // namespace accublas::blas

#define F77_NORM(name, Int, norm_of, E)                                                         \
  extern "C" ACCUBLAS_API accublas::RealOf<E> name(const Int* n, const E* x, const Int* incx) { \
    return accublas::blas::norm<accublas::blas::norm_of>(*n, x, *incx);                         \
  }
/// `type` as CBLAS has it: void for complex numbers.
#define CBLAS_NORM(name, Int, norm_of, type, E)                                              \
  extern "C" ACCUBLAS_API accublas::RealOf<E> name(Int n, const type* x, Int incx) {         \
    return accublas::blas::norm<accublas::blas::norm_of>(n, static_cast<const E*>(x), incx); \
  }
#define F77_NRM2(name, Int, spelling, E) F77_NORM(name, Int, Nrm2, E)
#define CBLAS_NRM2(name, Int, spelling, E) CBLAS_NORM(name, Int, Nrm2, E, E)
#define CBLAS_COMPLEX_NRM2(name, Int, spelling, E) CBLAS_NORM(name, Int, Nrm2, void, E)
#define F77_ASUM(name, Int, spelling, E) F77_NORM(name, Int, Asum, E)
#define CBLAS_ASUM(name, Int, spelling, E) CBLAS_NORM(name, Int, Asum, E, E)
#define CBLAS_COMPLEX_ASUM(name, Int, spelling, E) CBLAS_NORM(name, Int, Asum, void, E)

ACCUBLAS_BLAS_NAMES(F77_NRM2, CBLAS_NRM2, dnrm2, double)
ACCUBLAS_BLAS_NAMES(F77_NRM2, CBLAS_NRM2, snrm2, float)
ACCUBLAS_BLAS_NAMES(F77_NRM2, CBLAS_COMPLEX_NRM2, dznrm2, accublas::Complex<double>)
ACCUBLAS_BLAS_NAMES(F77_NRM2, CBLAS_COMPLEX_NRM2, scnrm2, accublas::Complex<float>)
ACCUBLAS_BLAS_NAMES(F77_ASUM, CBLAS_ASUM, dasum, double)
ACCUBLAS_BLAS_NAMES(F77_ASUM, CBLAS_ASUM, sasum, float)
ACCUBLAS_BLAS_NAMES(F77_ASUM, CBLAS_COMPLEX_ASUM, dzasum, accublas::Complex<double>)
ACCUBLAS_BLAS_NAMES(F77_ASUM, CBLAS_COMPLEX_ASUM, scasum, accublas::Complex<float>)
