// Environment variables that change how cuBLAS computes.
#pragma once

#include <cstdlib>

namespace accublas {

/// cuBLAS's emulation of FP64 and FP32 and its use of TF32 are off by default. These variables turn them on, for the
/// default math mode and all others except for the pedantic one, which demands the arithmetic of the type itself.
/// (Measured with cuBLAS 13.1 on an H200: the bits change without the pedantic mode and not with it. No emulation
/// strategy "never" exists.)
inline bool environment_asks_for_emulation() {
  for (const char* name :
       {"CUBLAS_EMULATE_DOUBLE_PRECISION", "CUBLAS_EMULATE_SINGLE_PRECISION", "NVIDIA_TF32_OVERRIDE"})
    if (std::getenv(name)) return true;
  return false;
}

}  // namespace accublas
