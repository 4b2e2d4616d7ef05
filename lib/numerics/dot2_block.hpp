// The number of terms in a block of dot2's GEMV and GEMM (docs/modes.md, dot2).
#pragma once

#include <cstdint>

namespace accublas {

inline constexpr std::int64_t dot2_block = 128;

}  // namespace accublas
