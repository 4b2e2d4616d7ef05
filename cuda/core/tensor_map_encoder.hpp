// Finds the driver's encoder of tensor maps. The driver is not linked; its entry point is looked up once.
#pragma once

#include <cuda.h>

namespace accublas::cuda {

/// Returns cuTensorMapEncodeTiled, or null if the driver has none. Throws Error if CUDA fails.
decltype(&cuTensorMapEncodeTiled) tensor_map_encoder();

}  // namespace accublas::cuda
