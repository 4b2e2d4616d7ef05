// Engine native of the CUDA backend: scratch memory and handle around cuda/native.hpp.
#pragma once

#include "cuda/state.hpp"
#include "lib/execution.hpp"

namespace accublas::cuda {

template <class T>
void native_gemm_call(State& state, const Call<Gemm<T>, T>& call, Execution& execution);

}  // namespace accublas::cuda
