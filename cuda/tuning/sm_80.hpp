// Numbers of compute capability 8.0, and of every other without a file of its own. These run the portable kernels.
#pragma once

#include "cuda/tuning/numbers.hpp"

namespace accublas::cuda {

inline constexpr Tuning sm_80{
    // These tiles need 64 KiB of shared memory and 128 accumulators a thread, which every device has.
    .int8_tiles{.rows = 128,
                .cols = 128,
                .step = 128,
                .stages = 2,
                .cluster = 1,
                .threads = 128,
                .blocks = 2,
                .raster_rows = 1024,
                .lockstep_steps = 0},
};

}  // namespace accublas::cuda
