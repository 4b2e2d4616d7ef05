// Products of level 3 and TRSM with host operands that several devices share.
#pragma once

#include "cuda/core/staging.hpp"
#include "lib/call/level3.hpp"

namespace accublas::cuda {

/// Computes the call on the devices of `execution`, each with parts of C, by staged_level3 and staged_gemm. Returns
/// false, with nothing done, if one device has to compute it: a small call, SYR2K and HER2K, modes that decide over all
/// of C (dp:repro, sp:repro, a target), or parts that do not fit their devices. A failure of any device after a part
/// was written is ACCUBLAS_ERROR_C_UNDEFINED.
template <class E>
bool share_level3(State&, const Call<Level3<E>, E>&, Execution&, DeviceGemmFunction<E> serve);

}  // namespace accublas::cuda
