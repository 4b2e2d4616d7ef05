// DOT, NRM2 and ASUM under their BLAS names.
#include <algorithm>

#include "c_api/blas/serve.hpp"

namespace accublas::blas {
namespace {

/// DOT has no bad argument: n <= 0 gives zero, and an increment of zero repeats the element. `run` is the library's
/// routine with options.
template <class T, class Run>
T dot(Routine routine, Run run, std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy) {
  n = std::max<std::int64_t>(n, 0);
  const bool small = cpu::fits_vector(n, incx, is_complex<T>) && cpu::fits_vector(n, incy, is_complex<T>);
  T result{};
  const auto on_real = [&](const cpu::RealBlas& blas) {
    if constexpr (is_complex<T>)
      result = cpu::call_dot(blas, routine.operation == Operation::dotc, n, x, incx, y, incy);
    else
      result = cpu::call_dot(blas, n, x, incx, y, incy);
  };
  if (small && served_natively(routine, 1, 1, n, 0, on_real)) return result;
  serve(
      routine, false, small,
      [&](const accublas_options* options) { return run(nullptr, n, x, incx, y, incy, &result, options); }, on_real);
  return result;
}

/// Returns addend + x^T y: DSDOT, which adds nothing, or SDSDOT.
template <class T>
T mixed_dot(std::int64_t n, T addend, const float* x, std::int64_t incx, const float* y, std::int64_t incy) {
  n = std::max<std::int64_t>(n, 0);
  const bool small = cpu::fits_vector(n, incx, false) && cpu::fits_vector(n, incy, false);
  constexpr Routine routine{Operation::mixed_dot, type_of<T>};
  T result{};
  const auto on_real = [&](const cpu::RealBlas& blas) {
    result = cpu::call_mixed_dot(blas, n, addend, x, incx, y, incy);
  };
  if (small && served_natively(routine, 1, 1, n, 0, on_real)) return result;
  serve(
      routine, false, small,
      [&](const accublas_options* options) {
        if constexpr (sizeof(T) == 8)
          return accublas_dsdot_ex(nullptr, n, x, incx, y, incy, &result, options);
        else
          return accublas_sdsdot_ex(nullptr, n, &addend, x, incx, y, incy, &result, options);
      },
      on_real);
  return result;
}

double dsdot(std::int64_t n, const float* x, std::int64_t incx, const float* y, std::int64_t incy) {
  return mixed_dot<double>(n, 0, x, incx, y, incy);
}
float sdsdot(std::int64_t n, float sb, const float* x, std::int64_t incx, const float* y, std::int64_t incy) {
  return mixed_dot(n, sb, x, incx, y, incy);
}

/// Returns a complex number in the way in which gfortran's functions return it.
template <class T>
cpu::F77Complex<T> f77_complex(Complex<T> value) {
  cpu::F77Complex<T> result;
  __real__ result = value.re;
  __imag__ result = value.im;
  return result;
}

/// Serves NRM2 or ASUM by `run`, the library's routine with options, or by `call` on the real BLAS. No argument is bad.
/// For an increment that is not positive mode native returns the result of the real BLAS, of which the engine, which
/// would read x, computes nothing. The other modes return that of netlib (LAPACK 3.10 and later): NRM2 reads the
/// elements of a negative one as every routine does, and the first element n times where it is zero; ASUM is zero.
template <class E, class Run, class Call>
RealOf<E> norm(Routine routine, bool is_asum, Run run, Call call, std::int64_t n, const E* x, std::int64_t incx) {
  n = std::max<std::int64_t>(n, 0);
  const bool small = cpu::fits_vector(n, incx, is_complex<E>);
  const bool as_library = small && incx <= 0 && accublas_private_mode_is_native(routine);
  RealOf<E> result = 0;
  const auto on_real = [&](const cpu::RealBlas& blas) { result = call(blas, n, x, incx); };
  if (small && (incx > 0 || as_library) && served_natively(routine, 1, 1, n, 0, on_real)) return result;
  const bool nothing = incx <= 0 && (as_library || is_asum);
  serve(
      routine, false, small,
      [&](const accublas_options* options) {
        const accublas_status status = run(nullptr, nothing ? 0 : n, x, incx, &result, options);
        return status == ACCUBLAS_SUCCESS && as_library ? by_real_blas(routine, on_real) : status;
      },
      on_real);
  return result;
}

template <class E, class Run>
RealOf<E> nrm2(Routine routine, Run run, std::int64_t n, const E* x, std::int64_t incx) {
  return norm(
      routine, false, run, [](auto&... arguments) { return cpu::call_nrm2(arguments...); }, n, x, incx);
}
template <class E, class Run>
RealOf<E> asum(Routine routine, Run run, std::int64_t n, const E* x, std::int64_t incx) {
  return norm(
      routine, true, run, [](auto&... arguments) { return cpu::call_asum(arguments...); }, n, x, incx);
}

}  // namespace

#include "c_api/blas/level1_names.inc"

}  // namespace accublas::blas
