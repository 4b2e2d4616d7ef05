// Complex GEMM on a device by the engines of real GEMM.
#pragma once

#include "cuda/core/staging.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

/// The call with device operands: native by cuBLAS; else by `serve`, which computes real products, on the components of
/// its operands. Throws Error(ACCUBLAS_ERROR_UNAVAILABLE), with nothing written, where alpha or beta lie on the device
/// or have an imaginary part, which joins both components of a product before the rounding.
template <class T>
void complex_gemm(State& state, const Call<Gemm<Complex<T>>, Complex<T>>& call, Execution& execution,
                  DeviceGemmFunction<T> serve);

}  // namespace accublas::cuda
