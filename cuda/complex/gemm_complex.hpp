// Complex GEMM on a device by the engines of real GEMM.
#pragma once

#include "cuda/core/staging.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

/// Computes a call with device operands: native by cuBLAS, other modes by `serve`, which computes real products on the
/// components of its operands. If alpha and beta are on the device, or if one has an imaginary part, both components of
/// a product are combined before the rounding (cuda/exact/combined_parts.hpp). In that case cuBLAS computes dp and sp,
/// if these promise no bits and if it can express the strides.
template <class T>
void complex_gemm(State& state, const Call<Gemm<Complex<T>>, Complex<T>>& call, Execution& execution,
                  DeviceGemmFunction<T> serve);

/// Returns the product of complex numbers as engine int8 reads them in place: a real product of their parts
/// (Gemm::numbers_as_stored) with real factors alpha and beta. The numbers of a column of C must be adjacent.
template <class T>
Gemm<T> product_as_stored(const Gemm<Complex<T>>& g, T alpha, T beta);

}  // namespace accublas::cuda
