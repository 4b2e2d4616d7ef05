// cuBLAS as the fallback candidate of dp and sp's emulation: it runs if the device finds that the data favour it, and
// otherwise costs next to nothing. The host neither knows nor waits.
#pragma once

#include <array>
#include <functional>

#include "cuda/core/call_state.hpp"
#include "cuda/core/cublas.hpp"
#include "cuda/core/state.hpp"

namespace accublas::cuda {

/// A call of cuBLAS, put on the stream that the handle has. Calls with equal keys are equal.
struct NativeProduct {
  std::function<void(Cublas&)> start;
  std::array<std::uint64_t, 17> key;
};

/// Puts work on the state's stream that runs the call by cuBLAS (or the state's native_product() in its place) if
/// call_state->prefers_native is not zero by then. The call's operands must not need copies (native_scratch_bytes is
/// 0). Under capture it adds a conditional node to the captured graph; otherwise it launches a graph with such a node,
/// which is kept for later calls with equal arguments. Throws Error.
template <class T>
void native_behind(State&, const Call<Gemm<T>, T>&, const CallState* call_state);

/// Takes the memory that native_behind() needs; run it before the call. Returns false if there is no cuBLAS. Throws
/// Error.
bool prepare_native_behind(State&);

}  // namespace accublas::cuda
