// Level 3 in the C interface: check, one call.
#include "c_api/unchecked.hpp"

using namespace accublas;

namespace {

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

/// `shape` is in the caller's layout. `c` holds the B of TRMM and TRSM.
template <class E>
accublas_status level3(accublas_context* ctx, accublas_layout layout, const Level3Shape& shape, const void* alpha,
                       const void* a, const void* b, const void* beta, void* c, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_level3(layout, shape));
    run_unchecked(context, layout, Level3<E>{shape, E{}, as<E>(a), as<E>(b), E{}, as<E>(c)}, alpha, beta, options);
  });
}

}  // namespace

#include "c_api/level3_functions.inc"
