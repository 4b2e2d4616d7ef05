// Numbers of x86-64 without AVX2, and of any other architecture. Engine sums is not chosen for GEMM in cr, because it
// has no fused multiply-add here.
#pragma once

#include "lib/cpu/tuning/numbers.hpp"

namespace accublas::cpu {

inline constexpr Tuning baseline_tuning{
    .engine{.dgemm_cr = -1, .sgemm_cr = -1, .batched = cube(32), .slices = true},
    .kernels{.cr_vectors = 4,
             .cr_cols = 4,
             .pair_vectors = 4,
             .pair_cols = 4,
             .chain_vectors = 4,
             .chain_cols = 4,
             .gemv_strip = 4,
             .gemv_row_groups = 2},
};

}  // namespace accublas::cpu
