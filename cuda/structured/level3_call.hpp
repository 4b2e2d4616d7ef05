// Products of level 3 on a device by the engines of GEMM, and TRSM (cuda/trsm/solve_by_halves.hpp).
#pragma once

#include "cuda/core/staging.hpp"
#include "lib/call/level3.hpp"

namespace accublas::cuda {

/// Computes the call with device operands by `serve`, which computes GEMM. In native it uses cuBLAS's own routine.
/// Throws Error(ACCUBLAS_ERROR_UNAVAILABLE), with nothing written, for an alpha in device memory of HER2K in dp:repro
/// and of TRSM by engine int8.
template <class E>
void level3_call(State&, const Call<Level3<E>, E>&, Execution&, DeviceGemmFunction<E> serve);

/// Computes the call with host operands, by level3_call on copies of the matrices. Returns when C is final.
template <class E>
void staged_level3(State&, const Call<Level3<E>, E>&, Execution&, DeviceGemmFunction<E> serve);

}  // namespace accublas::cuda
