// Compute capability 10.3 (B300), which has few INT8 units.
#pragma once

#include "cuda/tuning/sm_80.hpp"

namespace accublas::cuda {

inline constexpr Tuning sm_103{.integer_engine = ACCUBLAS_ENGINE_FP16, .int8_tiles = sm_80.int8_tiles};

}  // namespace accublas::cuda
