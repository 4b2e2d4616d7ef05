// GEMV under its BLAS names.
#include <utility>
#include <vector>

#include "c_api/blas/serve.hpp"
#include "lib/cpu/level2_calls.hpp"

namespace accublas::blas {
namespace {

/// A routine of GEMV by its type of numbers.
template <class T>
struct GemvRoutine;
template <>
struct GemvRoutine<double> {
  static constexpr const char *f77_name = "DGEMV ", *cblas_name = "cblas_dgemv";
  static constexpr Routine routine = Routine::dgemv;
  static constexpr auto run = accublas_dgemv_ex;
};
template <>
struct GemvRoutine<float> {
  static constexpr const char *f77_name = "SGEMV ", *cblas_name = "cblas_sgemv";
  static constexpr Routine routine = Routine::sgemv;
  static constexpr auto run = accublas_sgemv_ex;
};
template <>
struct GemvRoutine<Complex<double>> {
  static constexpr const char *f77_name = "ZGEMV ", *cblas_name = "cblas_zgemv";
  static constexpr Routine routine = Routine::zgemv;
  static constexpr auto run = accublas_zgemv_ex;
};
template <>
struct GemvRoutine<Complex<float>> {
  static constexpr const char *f77_name = "CGEMV ", *cblas_name = "cblas_cgemv";
  static constexpr Routine routine = Routine::cgemv;
  static constexpr auto run = accublas_cgemv_ex;
};

/// The arguments as column-major F77 has them; trans is 0 where the caller's was none.
template <class T>
struct GemvCall : GemvRoutine<T> {
  accublas_transpose trans;
  std::int64_t m, n;
  T alpha;
  const T* a;
  std::int64_t lda;
  const T* x;
  std::int64_t incx;
  T beta;
  T* y;
  std::int64_t incy;
  /// A row-major call's conjugate transpose: NO_TRANS of the conjugate matrix, for which F77 has no letter.
  bool conjugate = false;
};

template <class T>
int first_bad(const GemvCall<T>& g) {
  return check_gemv(ACCUBLAS_COL_MAJOR, g.trans, g.m, g.n, g.lda, g.incx, g.incy).number;
}

/// y = alpha conj(A) x + beta y by the conjugates of all else.
template <class T>
void call_conjugate(const cpu::RealBlas& blas, const GemvCall<Complex<T>>& g) {
  std::vector<Complex<T>> x;
  if (g.m > 0 && !(g.alpha == 0)) x = cpu::conjugates(g.n, g.x, g.incx);
  if (g.m > 0 && g.n > 0 && !(g.beta == 0)) cpu::conjugate_in_place(g.m, g.y, g.incy);
  cpu::call_gemv(blas, 'N', g.m, g.n, conjugate_if(true, g.alpha), g.a, g.lda, x.data(), g.incx < 0 ? -1 : 1,
                 conjugate_if(true, g.beta), g.y, g.incy);
  if (g.m > 0 && g.n > 0) cpu::conjugate_in_place(g.m, g.y, g.incy);
}

template <class T>
void run(const GemvCall<T>& g) {
  const auto on_real = [&](const cpu::RealBlas& blas) {
    if constexpr (is_complex<T>)
      if (g.conjugate) return call_conjugate(blas, g);
    cpu::call_gemv(blas, cpu::op_letter<T>(g.trans), g.m, g.n, g.alpha, g.a, g.lda, g.x, g.incx, g.beta, g.y, g.incy);
  };
  const bool plain = g.trans == ACCUBLAS_NO_TRANS;
  const bool small = cpu::fits_integers(g.m, g.n, g.lda) &&
                     cpu::fits_vector(plain ? g.n : g.m, g.incx, is_complex<T>) &&
                     cpu::fits_vector(plain ? g.m : g.n, g.incy, is_complex<T>);
  if (small)
    if (const auto* blas = accublas_private_native(g.routine, plain ? g.m : g.n, 1, plain ? g.n : g.m))
      return on_real(*blas);
  serve(
      !(g.beta == 0), small,
      [&](const accublas_options* options) {
        if (g.conjugate)
          return GemvRoutine<T>::run(nullptr, ACCUBLAS_ROW_MAJOR, ACCUBLAS_CONJ_TRANS, g.n, g.m, &g.alpha, g.a, g.lda,
                                     g.x, g.incx, &g.beta, g.y, g.incy, options);
        return GemvRoutine<T>::run(nullptr, ACCUBLAS_COL_MAJOR, g.trans, g.m, g.n, &g.alpha, g.a, g.lda, g.x, g.incx,
                                   &g.beta, g.y, g.incy, options);
      },
      on_real);
}

template <class T>
CblasComplaint bad_transpose(const GemvCall<T>& g) {
  if (!valid_transpose(g.trans)) return {2, "Illegal TransA setting, %d\n", g.trans};
  return {};
}

template <class T>
void transpose(GemvCall<T>& g) {
  g.conjugate = is_complex<T> && g.trans == ACCUBLAS_CONJ_TRANS;
  g.trans = g.trans == ACCUBLAS_NO_TRANS ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
  std::swap(g.m, g.n);
}

}  // namespace
}  // namespace accublas::blas

#define F77_GEMV(name, Int, spelling, T)                                                                       \
  extern "C" ACCUBLAS_API void name(const char* trans, const Int* m, const Int* n, const T* alpha, const T* a, \
                                    const Int* lda, const T* x, const Int* incx, const T* beta, T* y,          \
                                    const Int* incy) {                                                         \
    using namespace accublas::blas;                                                                            \
    f77<GemvCall<T>>(Spelling::spelling,                                                                       \
                     {{}, f77_transpose(*trans), *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy});         \
  }
#define CBLAS_GEMV(name, Int, spelling, T)                                                                    \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_transpose trans, Int m, Int n, T alpha,  \
                                    const T* a, Int lda, const T* x, Int incx, T beta, T* y, Int incy) {      \
    using namespace accublas::blas;                                                                           \
    cblas<GemvCall<T>>(Spelling::spelling, layout, {{}, trans, m, n, alpha, a, lda, x, incx, beta, y, incy}); \
  }

/// Complex numbers are void to CBLAS, and alpha and beta are passed by address.
#define CBLAS_COMPLEX_GEMV(name, Int, spelling, T)                                                                     \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_transpose trans, Int m, Int n, const void* alpha, \
                                    const void* a, Int lda, const void* x, Int incx, const void* beta, void* y,        \
                                    Int incy) {                                                                        \
    using namespace accublas::blas;                                                                                    \
    cblas<GemvCall<T>>(Spelling::spelling, layout,                                                                     \
                       {{},                                                                                            \
                        trans,                                                                                         \
                        m,                                                                                             \
                        n,                                                                                             \
                        *static_cast<const T*>(alpha),                                                                 \
                        static_cast<const T*>(a),                                                                      \
                        lda,                                                                                           \
                        static_cast<const T*>(x),                                                                      \
                        incx,                                                                                          \
                        *static_cast<const T*>(beta),                                                                  \
                        static_cast<T*>(y),                                                                            \
                        incy});                                                                                        \
  }

ACCUBLAS_BLAS_NAMES(F77_GEMV, CBLAS_GEMV, dgemv, double)
ACCUBLAS_BLAS_NAMES(F77_GEMV, CBLAS_GEMV, sgemv, float)
ACCUBLAS_BLAS_NAMES(F77_GEMV, CBLAS_COMPLEX_GEMV, zgemv, accublas::Complex<double>)
ACCUBLAS_BLAS_NAMES(F77_GEMV, CBLAS_COMPLEX_GEMV, cgemv, accublas::Complex<float>)
