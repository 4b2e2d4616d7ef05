// Launchers of the kernels of dot2's GEMM, under the contract of cuda/core/device_model.hpp.
#pragma once

#include <cstddef>

#include "cuda/core/device_model.hpp"
#include "cuda/exact/exact.hpp"

namespace accublas::cuda {

/// The distribution of a product over thread blocks.
struct Dot2Division {
  int row;         ///< row of the table of tile shapes
  Index segments;  ///< thread blocks that share a tile's k; if more than one, pairs go to scratch
  Index chunk;     ///< blocks of 128 terms whose pairs scratch holds at a time
  std::size_t scratch_bytes;
};

/// Returns the fastest division whose scratch is at most `cap` bytes.
template <class T>
Dot2Division dot2_division(const DeviceModel&, Index m, Index n, Index k, std::size_t cap);

/// Computes every element whose pair is finite, with docs/modes.md's bits, and the bitmap `open` of the other elements.
/// state->rejected counts those of finite lines. The lines must be measured (lambda is not needed). Leaves C alone if
/// alpha, in device memory, is zero. scratch must be 256-byte aligned; its contents do not matter.
template <class T>
void dot2_tiles(const DeviceModel&, const ExactArguments<T>&, const Dot2Division&, void* scratch, cudaStream_t);

}  // namespace accublas::cuda
