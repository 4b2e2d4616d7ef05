// GEMV under its BLAS names.
#include <utility>

#include "c_api/blas/serve.hpp"

namespace accublas::blas {
namespace {

/// The arguments as column-major F77 has them; trans is 0 where the caller's was none.
template <class T>
struct GemvCall {
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

  static constexpr const char *f77_name = is_double<T> ? "DGEMV " : "SGEMV ",
                              *cblas_name = is_double<T> ? "cblas_dgemv" : "cblas_sgemv";
};

template <class T>
int first_bad(const GemvCall<T>& g) {
  return check_gemv(ACCUBLAS_COL_MAJOR, g.trans, g.m, g.n, g.lda, g.incx, g.incy).number;
}

template <class T>
void run(const GemvCall<T>& g) {
  const bool small = fits(g.m, g.n, g.lda, g.incx, g.incy);
  const auto on_real = [&](const cpu::RealBlas& blas) {
    cpu::call_gemv(blas, cpu::op_letter<T>(g.trans), g.m, g.n, g.alpha, g.a, g.lda, g.x, g.incx, g.beta, g.y, g.incy);
  };
  const bool plain = g.trans == ACCUBLAS_NO_TRANS;
  if (small)
    if (const auto* blas = accublas_private_native(is_double<T> ? Routine::dgemv : Routine::sgemv, plain ? g.m : g.n, 1,
                                                   plain ? g.n : g.m))
      return on_real(*blas);
  serve(
      g.beta != 0, small,
      [&](const accublas_options* options) {
        if constexpr (is_double<T>)
          return accublas_dgemv_ex(nullptr, ACCUBLAS_COL_MAJOR, g.trans, g.m, g.n, &g.alpha, g.a, g.lda, g.x, g.incx,
                                   &g.beta, g.y, g.incy, options);
        else
          return accublas_sgemv_ex(nullptr, ACCUBLAS_COL_MAJOR, g.trans, g.m, g.n, &g.alpha, g.a, g.lda, g.x, g.incx,
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
  g.trans = g.trans == ACCUBLAS_NO_TRANS ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
  std::swap(g.m, g.n);
}

}  // namespace
}  // namespace accublas::blas

#define F77_GEMV(name, Int, spelling, T)                                                                               \
  extern "C" ACCUBLAS_API void name(const char* trans, const Int* m, const Int* n, const T* alpha, const T* a,         \
                                    const Int* lda, const T* x, const Int* incx, const T* beta, T* y,                  \
                                    const Int* incy) {                                                                 \
    using namespace accublas::blas;                                                                                    \
    f77<GemvCall<T>>(Spelling::spelling, {f77_transpose(*trans), *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy}); \
  }
#define CBLAS_GEMV(name, Int, spelling, T)                                                                   \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_transpose trans, Int m, Int n, T alpha, \
                                    const T* a, Int lda, const T* x, Int incx, T beta, T* y, Int incy) {     \
    using namespace accublas::blas;                                                                          \
    cblas<GemvCall<T>>(Spelling::spelling, layout, {trans, m, n, alpha, a, lda, x, incx, beta, y, incy});    \
  }

ACCUBLAS_BLAS_NAMES(F77_GEMV, CBLAS_GEMV, dgemv, double)
ACCUBLAS_BLAS_NAMES(F77_GEMV, CBLAS_GEMV, sgemv, float)
