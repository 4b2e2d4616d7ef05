// Numbers of compute capability 10.3 (B300), which has few INT8 units.
#pragma once

#include "cuda/tuning/numbers.hpp"

namespace accublas::cuda {

inline constexpr Tuning sm_103{.integer_engine = ACCUBLAS_ENGINE_FP16};

}  // namespace accublas::cuda
