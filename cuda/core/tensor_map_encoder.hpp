// The driver's maker of tensor maps. The driver is not linked: its entry point is asked for once.
#pragma once

#include <cuda.h>

namespace accublas::cuda {

/// cuTensorMapEncodeTiled; null where the driver has none. Throws Error where CUDA fails.
decltype(&cuTensorMapEncodeTiled) tensor_map_encoder();

}  // namespace accublas::cuda
