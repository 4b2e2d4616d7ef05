// Engine native of the CUDA backend: scratch memory and handle around cuda/native.hpp.
#pragma once

#include <algorithm>

#include "cuda/state.hpp"
#include "lib/execution.hpp"

namespace accublas::cuda {

/// Matrices (columns) of `bytes` each that a quarter of the workspace keeps; at least one, at most all.
inline Index kept_at_once(std::size_t cap, std::size_t bytes, Index all) {
  const std::size_t fit = cap / 4 / std::max<std::size_t>(bytes, 1);
  return fit >= static_cast<std::size_t>(all) ? all : std::max<Index>(static_cast<Index>(fit), 1);
}

/// cuBLAS multiplies by an alpha in device memory that turns out to be zero: then what C was is put back, kept for some
/// columns at a time.
template <class T>
void native_gemm_call(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
