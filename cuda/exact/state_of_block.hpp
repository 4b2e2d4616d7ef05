// The state of a thread block's product, for kernels of the last steps of a call, which mostly have nothing to do.
#pragma once

#include "cuda/core/call_group.hpp"
#include "cuda/core/call_state.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Returns the state of the thread block's product. A thread block that has nothing to do returns by it before
/// arguments_of_block(), which takes two barriers. All threads of the thread block must decide alike.
template <bool Grouped, class Arguments>
__device__ __forceinline__ CallState& state_of_block(const Arguments& given) {
  CallState* state = given.state;
  if constexpr (Grouped) given.group.move(state);
  return *state;
}

#endif

}  // namespace accublas::cuda
