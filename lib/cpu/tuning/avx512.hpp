// Numbers of AVX-512 F, BW, DQ and VL. These CPUs execute far enough ahead that dot2's GEMV takes one vector of outputs
// at a time (Sapphire Rapids: 1.5 % faster with a strip of 1 than of 4, and by rows 2 % faster with 1 group than with
// 2).
#pragma once

#include "lib/cpu/tuning/numbers.hpp"

namespace accublas::cpu {

inline constexpr Tuning avx512_tuning{
    .engine{.dgemm_cr = cube(2048), .sgemm_cr = cube(2048), .batched = cube(8), .dgemm_fixed = 100, .sgemm_fixed = 100},
    .kernels{.cr_vectors = 2,
             .cr_cols = 4,
             .pair_vectors = 2,
             .pair_cols = 4,
             .chain_vectors = 3,
             .chain_cols = 8,
             .gemv_strip = 1,
             .gemv_row_groups = 1},
    .int8{.dgemm_moduli = 10, .sgemm_moduli = 6, .dgemm_accepted = 5, .sgemm_accepted = 3},
};

}  // namespace accublas::cpu
