// Numbers of compute capability 9.0 (H100, H200).
#pragma once

#include "cuda/tuning/numbers.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

inline constexpr Tuning sm_90{
    // Other tiles are slower on an H200: 64-byte steps in 8 stages, 192 x 256 elements, clusters of 4.
    .int8_tiles{.rows = 128,
                .cols = 256,
                .step = 128,
                .stages = 4,
                .cluster = 2,
                .threads = 384,
                .blocks = 1,
                .raster_rows = 2048,
                .lockstep_steps = 2},
    .dgemm = GemmCost{.native_start = 10.6,
                      .native_product = 3.30e-8,
                      .native_result = 4.2e-7,
                      .start = 67.8,
                      .operand = 4.3e-6,
                      .operand_modulus = 4.5e-7,
                      .product_modulus = 1.068e-9,
                      .result_modulus = 8.55e-7,
                      .most_moduli = 16},
    .sgemm = GemmCost{.native_start = 15.2,
                      .native_product = 3.94e-8,
                      .native_result = 1.2e-6,
                      .start = 60.7,
                      .operand = 4.2e-6,
                      .operand_modulus = 4.5e-7,
                      .product_modulus = 1.12e-9,
                      .result_modulus = 1.141e-6,
                      .most_moduli = max_moduli},
};

}  // namespace accublas::cuda
