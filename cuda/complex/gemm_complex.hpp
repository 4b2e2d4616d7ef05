// Complex GEMM on a device by the engines of real GEMM.
#pragma once

#include "cuda/core/staging.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cuda {

/// The call with device operands: native by cuBLAS; else by `serve`, which computes real products, on the components of
/// its operands. alpha and beta on the device, or with an imaginary part, join both components of a product before the
/// rounding (cuda/elements/joined.hpp); dp and sp are cuBLAS's then, where it has a name for the strides.
template <class T>
void complex_gemm(State& state, const Call<Gemm<Complex<T>>, Complex<T>>& call, Execution& execution,
                  DeviceGemmFunction<T> serve);

}  // namespace accublas::cuda
