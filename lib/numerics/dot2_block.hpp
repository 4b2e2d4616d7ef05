// The number of terms in a block of GEMV and GEMM in mode dot2 (docs/modes.md, "dot2").
#pragma once

#include <cstdint>

namespace accublas {

inline constexpr std::int64_t dot2_block = 128;

}  // namespace accublas
