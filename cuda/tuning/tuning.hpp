// The tuned numbers of a device.
#pragma once

#include "cuda/tuning/sm_103.hpp"
#include "cuda/tuning/sm_80.hpp"
#include "cuda/tuning/sm_90.hpp"

namespace accublas::cuda {

/// Returns the numbers of a compute capability.
constexpr const Tuning& tuning_of(int major, int minor) {
  if (major == 9 && minor == 0) return sm_90;
  if (major == 10 && minor == 3) return sm_103;
  return sm_80;
}

}  // namespace accublas::cuda
