// Launcher of the kernels of dot2's GEMM, under the contract of cuda/kernels.hpp.
#pragma once

#include "cuda/kernels.hpp"

namespace accublas::cuda {

/// Every element whose pair is finite, with docs/modes.md's bits, and the bitmap `open` of the others; state->rejected counts
/// those of finite lines. The lines are measured (lambda is not needed). Leaves C alone where alpha, in device memory, is zero.
template <class T>
void dot2_tiles(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);

}  // namespace accublas::cuda
