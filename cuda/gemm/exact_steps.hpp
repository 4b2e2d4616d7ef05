// The two steps of exact(): sums with a bound of their error, then exact ones.
#pragma once

#include "cuda/gemm/kernels.hpp"

namespace accublas::cuda {

/// Open elements of finite lines whose grid sum decides: writes them and clears their bits; leaves the others alone.
/// grid_elements.cu.
template <class T>
void decide_by_grid_sums(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);

/// All that is open, by exact accumulators. exact.cu.
template <class T>
void accumulate_open_elements(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);

}  // namespace accublas::cuda
