// cuBLAS in store behind the emulation of dp and sp: it runs where the device finds that the data are for it, and costs
// next to nothing where not. The host neither knows nor waits.
#pragma once

#include <array>
#include <functional>

#include "cuda/core/call_state.hpp"
#include "cuda/core/cublas.hpp"
#include "cuda/core/state.hpp"

namespace accublas::cuda {

/// A call of cuBLAS's, put on the stream that the handle has; calls with equal keys are the same.
struct NativeProduct {
  std::function<void(Cublas&)> start;
  std::array<std::uint64_t, 17> key;
};

/// Puts on the state's stream: where call_state->prefers_native is not zero by then, the call by cuBLAS, or the
/// state's native_product() in its place. The call's operands need no copies (native_scratch_bytes is 0). In capture, a
/// conditional node of the captured graph; else a graph with such a node, kept for the next call with the same
/// arguments. Throws Error.
template <class T>
void native_behind(State&, const Call<Gemm<T>, T>&, const CallState* call_state);

/// Before the call: takes what native_behind() needs. False where there is no cuBLAS. Throws Error.
bool prepare_native_behind(State&);

}  // namespace accublas::cuda
