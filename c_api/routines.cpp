// The routines: check, fold layout, transposition and sign of increments into views, one call.
#include "c_api/views.hpp"
#include "lib/dispatch.hpp"

using namespace accublas;

namespace {

template <class T>
accublas_status dot(accublas_context* ctx, std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                    T* result, bool conjugate_x, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    run_dot(context, Dot<T>{n > 0 ? n : 0, view(n, x, incx), view(n, y, incy), result, conjugate_x}, options);
  });
}

template <class E>
accublas_status nrm2(accublas_context* ctx, std::int64_t n, const E* x, std::int64_t incx, RealOf<E>* result,
                     const accublas_options* options) {
  return guarded(ctx, [&](Context& context) { run_nrm2(context, norm_view(n, x, incx, result), options); });
}

template <class E>
accublas_status asum(accublas_context* ctx, std::int64_t n, const E* x, std::int64_t incx, RealOf<E>* result,
                     const accublas_options* options) {
  return guarded(ctx, [&](Context& context) { run_asum(context, norm_view(n, x, incx, result), options); });
}

template <class T>
accublas_status gemv(accublas_context* ctx, accublas_layout layout, accublas_transpose trans, std::int64_t m,
                     std::int64_t n, const T* alpha, const T* a, std::int64_t lda, const T* x, std::int64_t incx,
                     const T* beta, T* y, std::int64_t incy, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemv(layout, trans, m, n, lda, incx, incy));
    const bool plain = trans == ACCUBLAS_NO_TRANS;
    const std::int64_t outputs = plain ? m : n, terms = plain ? n : m;
    run_gemv(context,
             Gemv<T>{outputs, terms, T{}, view(layout, trans, outputs, terms, a, lda), view(terms, x, incx), T{},
                     view(outputs, y, incy), trans == ACCUBLAS_CONJ_TRANS},
             alpha, beta, options);
  });
}

template <class T>
accublas_status gemv_strided(accublas_context* ctx, std::int64_t m, std::int64_t n, const T* alpha, const T* a,
                             std::int64_t rsa, std::int64_t csa, const T* x, std::int64_t incx, const T* beta, T* y,
                             std::int64_t incy, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemv_strided(m, n, incx, incy));
    run_gemv(context, Gemv<T>{m, n, T{}, view(m, n, a, rsa, csa), view(n, x, incx), T{}, view(m, y, incy)}, alpha, beta,
             options);
  });
}

template <class T>
accublas_status gemm(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,
                     accublas_transpose transb, std::int64_t m, std::int64_t n, std::int64_t k, const T* alpha,
                     const T* a, std::int64_t lda, const T* b, std::int64_t ldb, const T* beta, T* c, std::int64_t ldc,
                     const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemm(layout, transa, transb, m, n, k, lda, ldb, ldc));
    run_gemm(context, gemm_view(layout, transa, transb, m, n, k, a, lda, b, ldb, c, ldc), alpha, beta, options);
  });
}

template <class T>
accublas_status gemm_strided(accublas_context* ctx, std::int64_t m, std::int64_t n, std::int64_t k, const T* alpha,
                             const T* a, std::int64_t rsa, std::int64_t csa, const T* b, std::int64_t rsb,
                             std::int64_t csb, const T* beta, T* c, std::int64_t rsc, std::int64_t csc,
                             const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemm_strided(m, n, k, rsc, csc));
    run_gemm(context,
             Gemm<T>{m, n, k, T{}, view(m, k, a, rsa, csa), view(k, n, b, rsb, csb), T{}, view(m, n, c, rsc, csc)},
             alpha, beta, options);
  });
}

}  // namespace

// The exported names. Each pair differs in the options only. `type` is as accublas.h has it, `element` as the library
// does: void for complex numbers.
#define ACCUBLAS_DEFINE_DOT(name, type, element, conjugate)                                                          \
  accublas_status accublas_##name##_ex(accublas_context* ctx, int64_t n, const type* x, int64_t incx, const type* y, \
                                       int64_t incy, type* result, const accublas_options* options) {                \
    return dot<element>(ctx, n, static_cast<const element*>(x), incx, static_cast<const element*>(y), incy,          \
                        static_cast<element*>(result), conjugate, options);                                          \
  }                                                                                                                  \
  accublas_status accublas_##name(accublas_context* ctx, int64_t n, const type* x, int64_t incx, const type* y,      \
                                  int64_t incy, type* result) {                                                      \
    return accublas_##name##_ex(ctx, n, x, incx, y, incy, result, nullptr);                                          \
  }
ACCUBLAS_DEFINE_DOT(ddot, double, double, false)
ACCUBLAS_DEFINE_DOT(sdot, float, float, false)
ACCUBLAS_DEFINE_DOT(zdotu, void, Complex<double>, false)
ACCUBLAS_DEFINE_DOT(cdotu, void, Complex<float>, false)
ACCUBLAS_DEFINE_DOT(zdotc, void, Complex<double>, true)
ACCUBLAS_DEFINE_DOT(cdotc, void, Complex<float>, true)

#define ACCUBLAS_DEFINE_NORM(prefix, norm, type, element, real)                                               \
  accublas_status accublas_##prefix##norm##_ex(accublas_context* ctx, int64_t n, const type* x, int64_t incx, \
                                               real* result, const accublas_options* options) {               \
    return norm<element>(ctx, n, static_cast<const element*>(x), incx, result, options);                      \
  }                                                                                                           \
  accublas_status accublas_##prefix##norm(accublas_context* ctx, int64_t n, const type* x, int64_t incx,      \
                                          real* result) {                                                     \
    return accublas_##prefix##norm##_ex(ctx, n, x, incx, result, nullptr);                                    \
  }
ACCUBLAS_DEFINE_NORM(d, nrm2, double, double, double)
ACCUBLAS_DEFINE_NORM(s, nrm2, float, float, float)
ACCUBLAS_DEFINE_NORM(dz, nrm2, void, Complex<double>, double)
ACCUBLAS_DEFINE_NORM(sc, nrm2, void, Complex<float>, float)
ACCUBLAS_DEFINE_NORM(d, asum, double, double, double)
ACCUBLAS_DEFINE_NORM(s, asum, float, float, float)
ACCUBLAS_DEFINE_NORM(dz, asum, void, Complex<double>, double)
ACCUBLAS_DEFINE_NORM(sc, asum, void, Complex<float>, float)

#define ACCUBLAS_DEFINE_GEMV(prefix, type, element)                                                                    \
  accublas_status accublas_##prefix##gemv_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,  \
                                             int64_t m, int64_t n, const type* alpha, const type* a, int64_t lda,      \
                                             const type* x, int64_t incx, const type* beta, type* y, int64_t incy,     \
                                             const accublas_options* options) {                                        \
    return gemv<element>(ctx, layout, trans, m, n, static_cast<const element*>(alpha), static_cast<const element*>(a), \
                         lda, static_cast<const element*>(x), incx, static_cast<const element*>(beta),                 \
                         static_cast<element*>(y), incy, options);                                                     \
  }                                                                                                                    \
  accublas_status accublas_##prefix##gemv(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,     \
                                          int64_t m, int64_t n, const type* alpha, const type* a, int64_t lda,         \
                                          const type* x, int64_t incx, const type* beta, type* y, int64_t incy) {      \
    return accublas_##prefix##gemv_ex(ctx, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, nullptr);       \
  }                                                                                                                    \
  accublas_status accublas_##prefix##gemv_strided_ex(                                                                  \
      accublas_context* ctx, int64_t m, int64_t n, const type* alpha, const type* a, int64_t rsa, int64_t csa,         \
      const type* x, int64_t incx, const type* beta, type* y, int64_t incy, const accublas_options* options) {         \
    return gemv_strided<element>(ctx, m, n, static_cast<const element*>(alpha), static_cast<const element*>(a), rsa,   \
                                 csa, static_cast<const element*>(x), incx, static_cast<const element*>(beta),         \
                                 static_cast<element*>(y), incy, options);                                             \
  }                                                                                                                    \
  accublas_status accublas_##prefix##gemv_strided(accublas_context* ctx, int64_t m, int64_t n, const type* alpha,      \
                                                  const type* a, int64_t rsa, int64_t csa, const type* x,              \
                                                  int64_t incx, const type* beta, type* y, int64_t incy) {             \
    return accublas_##prefix##gemv_strided_ex(ctx, m, n, alpha, a, rsa, csa, x, incx, beta, y, incy, nullptr);         \
  }
ACCUBLAS_DEFINE_GEMV(d, double, double)
ACCUBLAS_DEFINE_GEMV(s, float, float)
ACCUBLAS_DEFINE_GEMV(z, void, Complex<double>)
ACCUBLAS_DEFINE_GEMV(c, void, Complex<float>)

#define ACCUBLAS_DEFINE_GEMM(prefix, type, element)                                                                   \
  accublas_status accublas_##prefix##gemm_ex(                                                                         \
      accublas_context* ctx, accublas_layout layout, accublas_transpose transa, accublas_transpose transb, int64_t m, \
      int64_t n, int64_t k, const type* alpha, const type* a, int64_t lda, const type* b, int64_t ldb,                \
      const type* beta, type* c, int64_t ldc, const accublas_options* options) {                                      \
    return gemm<element>(ctx, layout, transa, transb, m, n, k, static_cast<const element*>(alpha),                    \
                         static_cast<const element*>(a), lda, static_cast<const element*>(b), ldb,                    \
                         static_cast<const element*>(beta), static_cast<element*>(c), ldc, options);                  \
  }                                                                                                                   \
  accublas_status accublas_##prefix##gemm(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,   \
                                          accublas_transpose transb, int64_t m, int64_t n, int64_t k,                 \
                                          const type* alpha, const type* a, int64_t lda, const type* b, int64_t ldb,  \
                                          const type* beta, type* c, int64_t ldc) {                                   \
    return accublas_##prefix##gemm_ex(ctx, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,      \
                                      nullptr);                                                                       \
  }                                                                                                                   \
  accublas_status accublas_##prefix##gemm_strided_ex(                                                                 \
      accublas_context* ctx, int64_t m, int64_t n, int64_t k, const type* alpha, const type* a, int64_t rsa,          \
      int64_t csa, const type* b, int64_t rsb, int64_t csb, const type* beta, type* c, int64_t rsc, int64_t csc,      \
      const accublas_options* options) {                                                                              \
    return gemm_strided<element>(ctx, m, n, k, static_cast<const element*>(alpha), static_cast<const element*>(a),    \
                                 rsa, csa, static_cast<const element*>(b), rsb, csb,                                  \
                                 static_cast<const element*>(beta), static_cast<element*>(c), rsc, csc, options);     \
  }                                                                                                                   \
  accublas_status accublas_##prefix##gemm_strided(                                                                    \
      accublas_context* ctx, int64_t m, int64_t n, int64_t k, const type* alpha, const type* a, int64_t rsa,          \
      int64_t csa, const type* b, int64_t rsb, int64_t csb, const type* beta, type* c, int64_t rsc, int64_t csc) {    \
    return accublas_##prefix##gemm_strided_ex(ctx, m, n, k, alpha, a, rsa, csa, b, rsb, csb, beta, c, rsc, csc,       \
                                              nullptr);                                                               \
  }
ACCUBLAS_DEFINE_GEMM(d, double, double)
ACCUBLAS_DEFINE_GEMM(s, float, float)
ACCUBLAS_DEFINE_GEMM(z, void, Complex<double>)
ACCUBLAS_DEFINE_GEMM(c, void, Complex<float>)
