// Numbers of AVX2 with FMA.
#pragma once

#include "lib/cpu/tuning/numbers.hpp"

namespace accublas::cpu {

inline constexpr Tuning avx2_tuning{
    .engine{.dgemm_cr = cube(2048),
            .sgemm_cr = cube(2048),
            .batched = cube(32),
            .dgemm_fixed = 100,
            .sgemm_fixed = 100,
            .slices = true},
    .kernels{.cr_vectors = 2,
             .cr_cols = 2,
             .pair_vectors = 2,
             .pair_cols = 2,
             .chain_vectors = 3,
             .chain_cols = 4,
             .gemv_strip = 4,
             .gemv_row_groups = 2},
};

}  // namespace accublas::cpu
