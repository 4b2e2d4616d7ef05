// Numbers of AVX-512 with VNNI.
#pragma once

#include "lib/cpu/tuning/numbers.hpp"

namespace accublas::cpu {

inline constexpr Tuning avx512_vnni_tuning{
    .engine{.dgemm_cr = cube(256), .sgemm_cr = cube(512), .batched = cube(8), .dgemm_fixed = 2.4, .sgemm_fixed = 12},
    .int8{.dgemm_moduli = 40, .sgemm_moduli = 20},
};

}  // namespace accublas::cpu
