// GEMM under its BLAS names.
#include <utility>

#include "c_api/blas/serve.hpp"

namespace accublas::blas {
namespace {

/// A routine of GEMM by its type of numbers.
template <class T>
struct GemmRoutine;
template <>
struct GemmRoutine<double> {
  static constexpr const char *f77_name = "DGEMM ", *cblas_name = "cblas_dgemm";
  static constexpr Routine routine = Routine::dgemm;
  static constexpr auto run = accublas_dgemm_ex;
};
template <>
struct GemmRoutine<float> {
  static constexpr const char *f77_name = "SGEMM ", *cblas_name = "cblas_sgemm";
  static constexpr Routine routine = Routine::sgemm;
  static constexpr auto run = accublas_sgemm_ex;
};
template <>
struct GemmRoutine<Complex<double>> {
  static constexpr const char *f77_name = "ZGEMM ", *cblas_name = "cblas_zgemm";
  static constexpr Routine routine = Routine::zgemm;
  static constexpr auto run = accublas_zgemm_ex;
};
template <>
struct GemmRoutine<Complex<float>> {
  static constexpr const char *f77_name = "CGEMM ", *cblas_name = "cblas_cgemm";
  static constexpr Routine routine = Routine::cgemm;
  static constexpr auto run = accublas_cgemm_ex;
};

/// The arguments as column-major F77 has them; a transposition is 0 where the caller's was none.
template <class T>
struct GemmCall : GemmRoutine<T> {
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
};

template <class T>
int first_bad(const GemmCall<T>& g) {
  return check_gemm(ACCUBLAS_COL_MAJOR, g.transa, g.transb, g.m, g.n, g.k, g.lda, g.ldb, g.ldc).number;
}

template <class T>
void run(const GemmCall<T>& g) {
  const bool small = cpu::fits_integers(g.m, g.n, g.k, g.lda, g.ldb, g.ldc);
  const auto on_real = [&](const cpu::RealBlas& blas) {
    cpu::call_gemm(blas, cpu::op_letter<T>(g.transa), cpu::op_letter<T>(g.transb), g.m, g.n, g.k, g.alpha, g.a, g.lda,
                   g.b, g.ldb, g.beta, g.c, g.ldc);
  };
  if (small)
    if (const auto* blas = accublas_private_native(g.routine, g.m, g.n, g.k)) return on_real(*blas);
  serve(
      !(g.beta == 0), small,
      [&](const accublas_options* options) {
        return GemmRoutine<T>::run(nullptr, ACCUBLAS_COL_MAJOR, g.transa, g.transb, g.m, g.n, g.k, &g.alpha, g.a, g.lda,
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

#define F77_GEMM(name, Int, spelling, T)                                                                              \
  extern "C" ACCUBLAS_API void name(const char* transa, const char* transb, const Int* m, const Int* n, const Int* k, \
                                    const T* alpha, const T* a, const Int* lda, const T* b, const Int* ldb,           \
                                    const T* beta, T* c, const Int* ldc) {                                            \
    using namespace accublas::blas;                                                                                   \
    f77<GemmCall<T>>(                                                                                                 \
        Spelling::spelling,                                                                                           \
        {{}, f77_transpose(*transa), f77_transpose(*transb), *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc});  \
  }
#define CBLAS_GEMM(name, Int, spelling, T)                                                                          \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_transpose transa, accublas_transpose transb,   \
                                    Int m, Int n, Int k, T alpha, const T* a, Int lda, const T* b, Int ldb, T beta, \
                                    T* c, Int ldc) {                                                                \
    using namespace accublas::blas;                                                                                 \
    cblas<GemmCall<T>>(Spelling::spelling, layout,                                                                  \
                       {{}, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc});                         \
  }

/// Complex numbers are void to CBLAS, and alpha and beta are passed by address.
#define CBLAS_COMPLEX_GEMM(name, Int, spelling, T)                                                                 \
  extern "C" ACCUBLAS_API void name(accublas_layout layout, accublas_transpose transa, accublas_transpose transb,  \
                                    Int m, Int n, Int k, const void* alpha, const void* a, Int lda, const void* b, \
                                    Int ldb, const void* beta, void* c, Int ldc) {                                 \
    using namespace accublas::blas;                                                                                \
    cblas<GemmCall<T>>(Spelling::spelling, layout,                                                                 \
                       {{},                                                                                        \
                        transa,                                                                                    \
                        transb,                                                                                    \
                        m,                                                                                         \
                        n,                                                                                         \
                        k,                                                                                         \
                        *static_cast<const T*>(alpha),                                                             \
                        static_cast<const T*>(a),                                                                  \
                        lda,                                                                                       \
                        static_cast<const T*>(b),                                                                  \
                        ldb,                                                                                       \
                        *static_cast<const T*>(beta),                                                              \
                        static_cast<T*>(c),                                                                        \
                        ldc});                                                                                     \
  }

ACCUBLAS_BLAS_NAMES(F77_GEMM, CBLAS_GEMM, dgemm, double)
ACCUBLAS_BLAS_NAMES(F77_GEMM, CBLAS_GEMM, sgemm, float)
ACCUBLAS_BLAS_NAMES(F77_GEMM, CBLAS_COMPLEX_GEMM, zgemm, accublas::Complex<double>)
ACCUBLAS_BLAS_NAMES(F77_GEMM, CBLAS_COMPLEX_GEMM, cgemm, accublas::Complex<float>)
