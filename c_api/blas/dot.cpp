// DOT under its BLAS names. Every routine of the drop-in is check, map, one call.
#include <algorithm>

#include "c_api/blas/serve.hpp"

namespace accublas::blas {
namespace {

struct Ddot {
  static constexpr Routine routine = Routine::ddot;
  static constexpr auto run = accublas_ddot_ex;
};
struct Sdot {
  static constexpr Routine routine = Routine::sdot;
  static constexpr auto run = accublas_sdot_ex;
};
struct Zdotu {
  static constexpr Routine routine = Routine::zdotu;
  static constexpr auto run = accublas_zdotu_ex;
};
struct Zdotc {
  static constexpr Routine routine = Routine::zdotc;
  static constexpr auto run = accublas_zdotc_ex;
};
struct Cdotu {
  static constexpr Routine routine = Routine::cdotu;
  static constexpr auto run = accublas_cdotu_ex;
};
struct Cdotc {
  static constexpr Routine routine = Routine::cdotc;
  static constexpr auto run = accublas_cdotc_ex;
};

/// DOT has no bad argument: n <= 0 gives zero, and an increment of zero repeats the element.
template <class Dot, class T>
T dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy) {
  n = std::max<std::int64_t>(n, 0);
  const bool small = cpu::fits_vector(n, incx, is_complex<T>) && cpu::fits_vector(n, incy, is_complex<T>);
  const auto on_real = [&](const cpu::RealBlas& blas) {
    constexpr bool conjugate = Dot::routine == Routine::zdotc || Dot::routine == Routine::cdotc;
    if constexpr (is_complex<T>)
      return cpu::call_dot(blas, conjugate, n, x, incx, y, incy);
    else
      return cpu::call_dot(blas, n, x, incx, y, incy);
  };
  if (small)
    if (const auto* blas = accublas_private_native(Dot::routine, 1, 1, n)) return on_real(*blas);
  T result{};
  serve(
      false, small,
      [&](const accublas_options* options) { return Dot::run(nullptr, n, x, incx, y, incy, &result, options); },
      [&](const cpu::RealBlas& blas) { result = on_real(blas); });
  return result;
}

/// DSDOT and SDSDOT: addend + x^T y; DSDOT adds nothing.
template <class T>
T mixed_dot(std::int64_t n, T addend, const float* x, std::int64_t incx, const float* y, std::int64_t incy) {
  n = std::max<std::int64_t>(n, 0);
  const bool small = cpu::fits_vector(n, incx, false) && cpu::fits_vector(n, incy, false);
  const auto on_real = [&](const cpu::RealBlas& blas) {
    return cpu::call_mixed_dot(blas, n, addend, x, incx, y, incy);
  };
  if (small)
    if (const auto* blas = accublas_private_native(sizeof(T) == 8 ? Routine::dsdot : Routine::sdsdot, 1, 1, n))
      return on_real(*blas);
  T result{};
  serve(
      false, small,
      [&](const accublas_options* options) {
        if constexpr (sizeof(T) == 8)
          return accublas_dsdot_ex(nullptr, n, x, incx, y, incy, &result, options);
        else
          return accublas_sdsdot_ex(nullptr, n, &addend, x, incx, y, incy, &result, options);
      },
      [&](const cpu::RealBlas& blas) { result = on_real(blas); });
  return result;
}

/// As gfortran's functions return it.
template <class Dot, class T>
cpu::F77Complex<T> complex_dot(std::int64_t n, const Complex<T>* x, std::int64_t incx, const Complex<T>* y,
                               std::int64_t incy) {
  const Complex<T> value = dot<Dot>(n, x, incx, y, incy);
  cpu::F77Complex<T> result;
  __real__ result = value.re;
  __imag__ result = value.im;
  return result;
}

}  // namespace
}  // namespace accublas::blas

#define F77_DOT(name, Int, spelling, Dot, T)                                                               \
  extern "C" ACCUBLAS_API T name(const Int* n, const T* x, const Int* incx, const T* y, const Int* incy) { \
    return accublas::blas::dot<accublas::blas::Dot>(*n, x, *incx, y, *incy);                               \
  }
#define CBLAS_DOT(name, Int, spelling, Dot, T)                                        \
  extern "C" ACCUBLAS_API T name(Int n, const T* x, Int incx, const T* y, Int incy) { \
    return accublas::blas::dot<accublas::blas::Dot>(n, x, incx, y, incy);             \
  }
#define F77_COMPLEX_DOT(name, Int, spelling, Dot, T)                                                                  \
  extern "C" ACCUBLAS_API accublas::cpu::F77Complex<T> name(                                                          \
      const Int* n, const accublas::Complex<T>* x, const Int* incx, const accublas::Complex<T>* y, const Int* incy) { \
    return accublas::blas::complex_dot<accublas::blas::Dot>(*n, x, *incx, y, *incy);                                  \
  }
#define CBLAS_COMPLEX_DOT(name, Int, spelling, Dot, T)                                                                 \
  extern "C" ACCUBLAS_API void name(Int n, const void* x, Int incx, const void* y, Int incy, void* result) {           \
    using Element = accublas::Complex<T>;                                                                              \
    *static_cast<Element*>(result) = accublas::blas::dot<accublas::blas::Dot>(n, static_cast<const Element*>(x), incx, \
                                                                              static_cast<const Element*>(y), incy);   \
  }

#define F77_DDOT(name, Int, spelling, T) F77_DOT(name, Int, spelling, Ddot, T)
#define CBLAS_DDOT(name, Int, spelling, T) CBLAS_DOT(name, Int, spelling, Ddot, T)
#define F77_SDOT(name, Int, spelling, T) F77_DOT(name, Int, spelling, Sdot, T)
#define CBLAS_SDOT(name, Int, spelling, T) CBLAS_DOT(name, Int, spelling, Sdot, T)
ACCUBLAS_BLAS_NAMES(F77_DDOT, CBLAS_DDOT, ddot, double)
ACCUBLAS_BLAS_NAMES(F77_SDOT, CBLAS_SDOT, sdot, float)

#define F77_DSDOT(name, Int, spelling, T)                                                                          \
  extern "C" ACCUBLAS_API T name(const Int* n, const float* x, const Int* incx, const float* y, const Int* incy) { \
    return accublas::blas::mixed_dot<T>(*n, 0, x, *incx, y, *incy);                                                \
  }
#define CBLAS_DSDOT(name, Int, spelling, T)                                                   \
  extern "C" ACCUBLAS_API T name(Int n, const float* x, Int incx, const float* y, Int incy) { \
    return accublas::blas::mixed_dot<T>(n, 0, x, incx, y, incy);                              \
  }
#define F77_SDSDOT(name, Int, spelling, T)                                                           \
  extern "C" ACCUBLAS_API T name(const Int* n, const T* sb, const T* x, const Int* incx, const T* y, \
                                 const Int* incy) {                                                  \
    return accublas::blas::mixed_dot<T>(*n, *sb, x, *incx, y, *incy);                                \
  }
#define CBLAS_SDSDOT(name, Int, spelling, T)                                                \
  extern "C" ACCUBLAS_API T name(Int n, T sb, const T* x, Int incx, const T* y, Int incy) { \
    return accublas::blas::mixed_dot<T>(n, sb, x, incx, y, incy);                           \
  }
ACCUBLAS_BLAS_NAMES(F77_DSDOT, CBLAS_DSDOT, dsdot, double)
ACCUBLAS_BLAS_NAMES(F77_SDSDOT, CBLAS_SDSDOT, sdsdot, float)

/// CBLAS returns complex numbers by address, under names with a suffix of their own.
#define COMPLEX_DOT_ENTRIES(spelling, Int, prefix, f77_suffix, cblas_suffix, routine, Dot, T) \
  F77_COMPLEX_DOT(prefix##routine##f77_suffix, Int, spelling, Dot, T)                         \
  CBLAS_COMPLEX_DOT(prefix##cblas_##routine##_sub##cblas_suffix, Int, spelling, Dot, T)
ACCUBLAS_BLAS_SPELLINGS(COMPLEX_DOT_ENTRIES, zdotu, Zdotu, double)
ACCUBLAS_BLAS_SPELLINGS(COMPLEX_DOT_ENTRIES, zdotc, Zdotc, double)
ACCUBLAS_BLAS_SPELLINGS(COMPLEX_DOT_ENTRIES, cdotu, Cdotu, float)
ACCUBLAS_BLAS_SPELLINGS(COMPLEX_DOT_ENTRIES, cdotc, Cdotc, float)
