// The batched routines: check, fold layout and transposition into views, one call.
#include "c_api/views.hpp"
#include "lib/dispatch.hpp"

using namespace accublas;

namespace {

/// The arguments that both forms share, as in accublas.h.
struct BatchShape {
  accublas_layout layout;
  accublas_transpose transa, transb;
  std::int64_t m, n, k, lda, ldb, ldc, count;
  bool by_pointers;  ///< where results lie is the caller's business then
};

template <class T>
accublas_status gemm_batched(accublas_context* ctx, const BatchShape& s, const T* alpha, const Matrices<const T>& a,
                             const Matrices<const T>& b, const T* beta, const Matrices<T>& c,
                             const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemm(s.layout, s.transa, s.transb, s.m, s.n, s.k, s.lda, s.ldb, s.ldc));
    require(check_gemm_batch(s.layout, s.m, s.n, s.ldc, s.by_pointers ? nullptr : &c.stride, s.count));
    const Gemm<T> shape =
        gemm_view<T>(s.layout, s.transa, s.transb, s.m, s.n, s.k, nullptr, s.lda, nullptr, s.ldb, nullptr, s.ldc);
    run_gemm_batched(context, GemmBatch<T>{shape, s.count, a, b, c}, alpha, beta, options);
  });
}

/// An array of pointers to matrices.
template <class T, class Type>
const T* const* matrices(const Type* const* pointers) {
  return reinterpret_cast<const T* const*>(pointers);
}
template <class T, class Type>
T* const* matrices(Type* const* pointers) {
  return reinterpret_cast<T* const*>(pointers);
}

}  // namespace

/// `type` as accublas.h has it, `element` as the library does: void for complex numbers.
#define ACCUBLAS_DEFINE_GEMM_BATCHED(prefix, type, element)                                                            \
  accublas_status accublas_##prefix##gemm_strided_batched_ex(                                                          \
      accublas_context* ctx, accublas_layout layout, accublas_transpose transa, accublas_transpose transb, int64_t m,  \
      int64_t n, int64_t k, const type* alpha, const type* a, int64_t lda, int64_t stride_a, const type* b,            \
      int64_t ldb, int64_t stride_b, const type* beta, type* c, int64_t ldc, int64_t stride_c, int64_t batch_count,    \
      const accublas_options* options) {                                                                               \
    return gemm_batched<element>(                                                                                      \
        ctx, {layout, transa, transb, m, n, k, lda, ldb, ldc, batch_count, false}, static_cast<const element*>(alpha), \
        {static_cast<const element*>(a), stride_a, nullptr}, {static_cast<const element*>(b), stride_b, nullptr},      \
        static_cast<const element*>(beta), {static_cast<element*>(c), stride_c, nullptr}, options);                    \
  }                                                                                                                    \
  accublas_status accublas_##prefix##gemm_strided_batched(                                                             \
      accublas_context* ctx, accublas_layout layout, accublas_transpose transa, accublas_transpose transb, int64_t m,  \
      int64_t n, int64_t k, const type* alpha, const type* a, int64_t lda, int64_t stride_a, const type* b,            \
      int64_t ldb, int64_t stride_b, const type* beta, type* c, int64_t ldc, int64_t stride_c, int64_t batch_count) {  \
    return accublas_##prefix##gemm_strided_batched_ex(ctx, layout, transa, transb, m, n, k, alpha, a, lda, stride_a,   \
                                                      b, ldb, stride_b, beta, c, ldc, stride_c, batch_count, nullptr); \
  }                                                                                                                    \
  accublas_status accublas_##prefix##gemm_batched_ex(                                                                  \
      accublas_context* ctx, accublas_layout layout, accublas_transpose transa, accublas_transpose transb, int64_t m,  \
      int64_t n, int64_t k, const type* alpha, const type* const* a, int64_t lda, const type* const* b, int64_t ldb,   \
      const type* beta, type* const* c, int64_t ldc, int64_t batch_count, const accublas_options* options) {           \
    return gemm_batched<element>(ctx, {layout, transa, transb, m, n, k, lda, ldb, ldc, batch_count, true},             \
                                 static_cast<const element*>(alpha), {nullptr, 0, matrices<element>(a)},               \
                                 {nullptr, 0, matrices<element>(b)}, static_cast<const element*>(beta),                \
                                 {nullptr, 0, matrices<element>(c)}, options);                                         \
  }                                                                                                                    \
  accublas_status accublas_##prefix##gemm_batched(                                                                     \
      accublas_context* ctx, accublas_layout layout, accublas_transpose transa, accublas_transpose transb, int64_t m,  \
      int64_t n, int64_t k, const type* alpha, const type* const* a, int64_t lda, const type* const* b, int64_t ldb,   \
      const type* beta, type* const* c, int64_t ldc, int64_t batch_count) {                                            \
    return accublas_##prefix##gemm_batched_ex(ctx, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c,    \
                                              ldc, batch_count, nullptr);                                              \
  }
ACCUBLAS_DEFINE_GEMM_BATCHED(d, double, double)
ACCUBLAS_DEFINE_GEMM_BATCHED(s, float, float)
ACCUBLAS_DEFINE_GEMM_BATCHED(z, void, Complex<double>)
ACCUBLAS_DEFINE_GEMM_BATCHED(c, void, Complex<float>)
