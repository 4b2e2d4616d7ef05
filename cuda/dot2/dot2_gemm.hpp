// Launchers of the kernels of dot2's GEMM, under the contract of cuda/core/device_model.hpp.
#pragma once

#include <cstddef>

#include "cuda/core/device_model.hpp"
#include "cuda/elements/exact.hpp"

namespace accublas::cuda {

/// How a product is shared out among thread blocks.
struct Dot2Division {
  int row;         ///< of the table of tile shapes
  Index segments;  ///< thread blocks that share a tile's k; more than one: pairs of blocks of 128 terms in scratch,
  Index chunk;     ///< of so many blocks at a time
  std::size_t scratch_bytes;
};

/// The fastest division whose scratch is at most `cap`.
template <class T>
Dot2Division dot2_division(const DeviceModel&, Index m, Index n, Index k, std::size_t cap);

/// Every element whose pair is finite, with docs/modes.md's bits, and the bitmap `open` of the others; state->rejected
/// counts those of finite lines. The lines are measured (lambda is not needed). Leaves C alone where alpha, in device
/// memory, is zero. scratch: 256-byte aligned; contents do not matter.
template <class T>
void dot2_tiles(const DeviceModel&, const ExactArguments<T>&, const Dot2Division&, void* scratch, cudaStream_t);

}  // namespace accublas::cuda
