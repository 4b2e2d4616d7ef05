// Tensor maps over the buffers of residues, for bulk copies into shared memory with 128-byte swizzle: a box is 128
// bytes of k of some lines. A buffer is taken as all the lines of k_padded bytes that it holds, because how many of
// them a plan uses is known on the device alone.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Coordinates (byte, line).
CUtensorMap line_map(const std::uint8_t* buffer, std::size_t bytes, Index k_padded, int box_lines);

/// Coordinates (byte, 0, 0, 0, line / 64). Line 64 G + 16 q + 2 j + e (q < 4, j < 8, e < 2) arrives as line 64 G + 8 j
/// + 2 q + e: a thread of an MMA owns columns 8 j + 2 q + e of all j and e, that is, 16 neighbouring lines.
CUtensorMap permuted_line_map(const std::uint8_t* buffer, std::size_t bytes, Index k_padded, int box_lines);

}  // namespace accublas::cuda
