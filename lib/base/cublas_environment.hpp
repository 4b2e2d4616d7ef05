// Environment variables that change how cuBLAS computes.
#pragma once

#include <cstdlib>

namespace accublas {

/// Emulation of FP64 and FP32 and TF32 are off by default, but these variables turn them on, for the default math mode
/// and all others but the pedantic one, which demands the arithmetic of the type itself (measured with cuBLAS 13.1 on
/// an H200: other bits without it, the usual ones with it; no emulation strategy "never" exists).
inline bool environment_asks_for_emulation() {
  for (const char* name :
       {"CUBLAS_EMULATE_DOUBLE_PRECISION", "CUBLAS_EMULATE_SINGLE_PRECISION", "NVIDIA_TF32_OVERRIDE"})
    if (std::getenv(name)) return true;
  return false;
}

}  // namespace accublas
