// GEMM under its BLAS names.
#include <utility>

#include "c_api/blas/serve.hpp"

namespace accublas::blas {
namespace {

/// The arguments as column-major F77 has them; a transposition is 0 where the caller's was none.
template <class T>
struct GemmCall {
  accublas_transpose transa, transb;
  std::int64_t m, n, k;
  T alpha;
  const T* a;
  std::int64_t lda;
  const T* b;
  std::int64_t ldb;
  T beta;
  T* c;
  std::int64_t ldc;

  static constexpr const char *f77_name = is_double<T> ? "DGEMM " : "SGEMM ",
                              *cblas_name = is_double<T> ? "cblas_dgemm" : "cblas_sgemm";
};

template <class T>
int first_bad(const GemmCall<T>& g) {
  return check_gemm(ACCUBLAS_COL_MAJOR, g.transa, g.transb, g.m, g.n, g.k, g.lda, g.ldb, g.ldc).number;
}

template <class T>
void run(const GemmCall<T>& g) {
  const bool small = fits(g.m, g.n, g.k, g.lda, g.ldb, g.ldc);
  const auto on_real = [&](const cpu::RealBlas& blas) {
    cpu::call_gemm(blas, f77_letter(g.transa), f77_letter(g.transb), g.m, g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb,
                   g.beta, g.c, g.ldc);
  };
  if (small)
    if (const auto* blas = accublas_private_native(is_double<T> ? Routine::dgemm : Routine::sgemm, g.m, g.n, g.k))
      return on_real(*blas);
  serve(
      g.beta != 0, small,
      [&](const accublas_options* options) {
        if constexpr (is_double<T>)
          return accublas_dgemm_ex(nullptr, ACCUBLAS_COL_MAJOR, g.transa, g.transb, g.m, g.n, g.k, &g.alpha, g.a, g.lda,
                                   g.b, g.ldb, &g.beta, g.c, g.ldc, options);
        else
          return accublas_sgemm_ex(nullptr, ACCUBLAS_COL_MAJOR, g.transa, g.transb, g.m, g.n, g.k, &g.alpha, g.a, g.lda,
                                   g.b, g.ldb, &g.beta, g.c, g.ldc, options);
      },
      on_real);
}

template <class T>
CblasComplaint bad_transpose(const GemmCall<T>& g) {
  if (!valid_transpose(g.transa)) return {2, "Illegal TransA setting, %d\n", g.transa};
  if (!valid_transpose(g.transb)) return {3, "Illegal TransB setting, %d\n", g.transb};
  return {};
}

template <class T>
void transpose(GemmCall<T>& g) {
  std::swap(g.transa, g.transb);
  std::swap(g.m, g.n);
  std::swap(g.a, g.b);
  std::swap(g.lda, g.ldb);
}

}  // namespace
}  // namespace accublas::blas

#define F77_GEMM(name, Int, spelling, T)                                                                               \
  extern "C" ACCUBLAS_API void name(const char* transa, const char* transb, const Int* m, const Int* n, const Int* k,  \
                                    const T* alpha, const T* a, const Int* lda, const T* b, const Int* ldb,            \
                                    const T* beta, T* c, const Int* ldc) {                                             \
    using namespace accublas::blas;                                                                                    \
    f77<GemmCall<T>>(Spelling::spelling, {f77_transpose(*transa), f77_transpose(*transb), *m, *n, *k, *alpha, a, *lda, \
                                          b, *ldb, *beta, c, *ldc});                                                   \
  }
#define CBLAS_GEMM(name, Int, spelling, T)                                                                          \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_transpose transa, accublas_transpose transb,   \
                                    Int m, Int n, Int k, T alpha, const T* a, Int lda, const T* b, Int ldb, T beta, \
                                    T* c, Int ldc) {                                                                \
    using namespace accublas::blas;                                                                                 \
    cblas<GemmCall<T>>(Spelling::spelling, layout, {transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}); \
  }

ACCUBLAS_BLAS_NAMES(F77_GEMM, CBLAS_GEMM, dgemm, double)
ACCUBLAS_BLAS_NAMES(F77_GEMM, CBLAS_GEMM, sgemm, float)
