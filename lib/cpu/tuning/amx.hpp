// Numbers of AMX INT8. The numbers of engine sums are estimates: INT8 products take next to no time there, so that
// conversion and reconstruction remain.
#pragma once

#include "lib/cpu/tuning/numbers.hpp"

namespace accublas::cpu {

inline constexpr Tuning amx_tuning{
    .engine{.dgemm_cr = cube(160), .sgemm_cr = cube(96), .batched = cube(8), .dgemm_fixed = 1.2, .sgemm_fixed = 2},
    .int8{.tile_rows = 192, .tile_cols = 512, .pair_elements = 16384, .dgemm_accepted = 50, .sgemm_accepted = 25},
};

}  // namespace accublas::cpu
