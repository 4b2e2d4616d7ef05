// Numbers of AArch64 with NEON, and with SDOT or USMMLA. They follow from the 32 registers and from predictions for
// Neoverse V2 (docs/internals/kernels.md), and have not been measured on a machine.
#pragma once

#include "lib/cpu/tuning/numbers.hpp"

namespace accublas::cpu {

inline constexpr KernelTuning neon_kernels{.cr_vectors = 2,
                                           .cr_cols = 4,
                                           .pair_vectors = 2,
                                           .pair_cols = 4,
                                           .chain_vectors = 4,
                                           .chain_cols = 6,
                                           .gemv_strip = 4,
                                           .gemv_row_groups = 2};

inline constexpr Tuning neon_tuning{
    .engine{.dgemm_cr = cube(2048), .sgemm_cr = cube(2048), .batched = cube(32)},
    .kernels = neon_kernels,
};
inline constexpr Tuning dotprod_tuning{
    .engine{.dgemm_cr = cube(512), .sgemm_cr = cube(512), .batched = cube(8)},
    .int8{.dgemm_moduli = 40, .sgemm_moduli = 20},
};
inline constexpr Tuning i8mm_tuning{
    .engine{.dgemm_cr = cube(256), .sgemm_cr = cube(512), .batched = cube(8)},
    .int8{.dgemm_moduli = 40, .sgemm_moduli = 20},
};

}  // namespace accublas::cpu
