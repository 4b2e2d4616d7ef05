// The order of the sums of mode dot2 (docs/modes.md, "dot2").
#pragma once

#include <cstdint>

namespace accublas {

/// The number of terms in a block of GEMV and GEMM.
inline constexpr std::int64_t dot2_block = 128;

/// The number of lanes of DOT, and of elements in one of its blocks.
inline constexpr int dot2_lanes = 32;
inline constexpr std::int64_t dot2_dot_block = 1024;

}  // namespace accublas
