// The routines: check, fold layout, transposition and sign of increments into views, one call.
#include "c_api/views.hpp"
#include "lib/dispatch.hpp"

using namespace accublas;

namespace {

template <class T>
accublas_status dot(accublas_context* ctx, std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                    T* result, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    run_dot(context, Dot<T>{n > 0 ? n : 0, view(n, x, incx), view(n, y, incy), result}, options);
  });
}

template <class T>
accublas_status nrm2(accublas_context* ctx, std::int64_t n, const T* x, std::int64_t incx, T* result,
                     const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    run_nrm2(context, Reduction<T>{n > 0 ? n : 0, view(n, x, incx), result}, options);
  });
}

template <class T>
accublas_status asum(accublas_context* ctx, std::int64_t n, const T* x, std::int64_t incx, T* result,
                     const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    run_asum(context, Reduction<T>{n > 0 ? n : 0, view(n, x, incx), result}, options);
  });
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
                     view(outputs, y, incy)},
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

// The exported names. Each pair differs in the options only.
#define ACCUBLAS_DEFINE_DOT(prefix, type)                                                                              \
  accublas_status accublas_##prefix##dot(accublas_context* ctx, int64_t n, const type* x, int64_t incx, const type* y, \
                                         int64_t incy, type* result) {                                                 \
    return dot(ctx, n, x, incx, y, incy, result, nullptr);                                                             \
  }                                                                                                                    \
  accublas_status accublas_##prefix##dot_ex(accublas_context* ctx, int64_t n, const type* x, int64_t incx,             \
                                            const type* y, int64_t incy, type* result,                                 \
                                            const accublas_options* options) {                                         \
    return dot(ctx, n, x, incx, y, incy, result, options);                                                             \
  }
ACCUBLAS_DEFINE_DOT(d, double)
ACCUBLAS_DEFINE_DOT(s, float)

#define ACCUBLAS_DEFINE_NORM(prefix, norm, type)                                                              \
  accublas_status accublas_##prefix##norm(accublas_context* ctx, int64_t n, const type* x, int64_t incx,      \
                                          type* result) {                                                     \
    return norm(ctx, n, x, incx, result, nullptr);                                                            \
  }                                                                                                           \
  accublas_status accublas_##prefix##norm##_ex(accublas_context* ctx, int64_t n, const type* x, int64_t incx, \
                                               type* result, const accublas_options* options) {               \
    return norm(ctx, n, x, incx, result, options);                                                            \
  }
ACCUBLAS_DEFINE_NORM(d, nrm2, double)
ACCUBLAS_DEFINE_NORM(s, nrm2, float)
ACCUBLAS_DEFINE_NORM(d, asum, double)
ACCUBLAS_DEFINE_NORM(s, asum, float)

#define ACCUBLAS_DEFINE_GEMV(prefix, type)                                                                            \
  accublas_status accublas_##prefix##gemv(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,    \
                                          int64_t m, int64_t n, const type* alpha, const type* a, int64_t lda,        \
                                          const type* x, int64_t incx, const type* beta, type* y, int64_t incy) {     \
    return gemv(ctx, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, nullptr);                            \
  }                                                                                                                   \
  accublas_status accublas_##prefix##gemv_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans, \
                                             int64_t m, int64_t n, const type* alpha, const type* a, int64_t lda,     \
                                             const type* x, int64_t incx, const type* beta, type* y, int64_t incy,    \
                                             const accublas_options* options) {                                       \
    return gemv(ctx, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, options);                            \
  }                                                                                                                   \
  accublas_status accublas_##prefix##gemv_strided(accublas_context* ctx, int64_t m, int64_t n, const type* alpha,     \
                                                  const type* a, int64_t rsa, int64_t csa, const type* x,             \
                                                  int64_t incx, const type* beta, type* y, int64_t incy) {            \
    return gemv_strided(ctx, m, n, alpha, a, rsa, csa, x, incx, beta, y, incy, nullptr);                              \
  }                                                                                                                   \
  accublas_status accublas_##prefix##gemv_strided_ex(                                                                 \
      accublas_context* ctx, int64_t m, int64_t n, const type* alpha, const type* a, int64_t rsa, int64_t csa,        \
      const type* x, int64_t incx, const type* beta, type* y, int64_t incy, const accublas_options* options) {        \
    return gemv_strided(ctx, m, n, alpha, a, rsa, csa, x, incx, beta, y, incy, options);                              \
  }
ACCUBLAS_DEFINE_GEMV(d, double)
ACCUBLAS_DEFINE_GEMV(s, float)

/// `type` as accublas.h has it, `element` as the library does: void for complex numbers.
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
