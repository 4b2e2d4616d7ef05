// Level 3: check, fold layout and transposition into views (GEMM), or turn a row-major call into the column-major one,
// one call.
#include "lib/call/level3.hpp"

#include "c_api/boundary.hpp"
#include "c_api/private.hpp"
#include "c_api/views.hpp"
#include "lib/runtime/dispatch.hpp"

using namespace accublas;

namespace {

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

/// `shape` is as the caller's layout has it. alpha and beta, of type A and B, are BLAS's: real in some Hermitian
/// products. TRMM's and TRSM's B is `c`.
template <class E, class A, class B>
accublas_status level3(accublas_context* ctx, accublas_layout layout, const Level3Shape& shape, const void* alpha,
                       const void* a, const void* b, const void* beta, void* c, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_level3(layout, shape));
    Level3<E> call{shape};
    call.a = static_cast<const E*>(a);
    call.b = static_cast<const E*>(b);
    call.c = static_cast<E*>(c);
    if (layout == ACCUBLAS_ROW_MAJOR) call.transpose();
    run_level3(context, call, static_cast<const A*>(alpha), static_cast<const B*>(beta), options);
  });
}

}  // namespace

accublas_status accublas_private_level3(const Level3Shape& shape, bool single, const void* alpha, const void* a,
                                        const void* b, const void* beta, void* c,
                                        const accublas_options* options) noexcept {
  const auto run = [&](auto number) {
    using E = decltype(number);
    return level3<E, E, E>(nullptr, ACCUBLAS_COL_MAJOR, shape, alpha, a, b, beta, c, options);
  };
  if (shape.complex) return single ? run(Complex<float>{}) : run(Complex<double>{});
  return single ? run(float{}) : run(double{});
}

#include "c_api/level3_functions.inc"
