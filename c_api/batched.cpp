// The batched routines: check, fold layout and transposition into views, one call.
#include "c_api/views.hpp"
#include "lib/runtime/dispatch.hpp"

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

#include "c_api/batched_functions.inc"
