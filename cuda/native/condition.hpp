// The kernel that sets the condition of a graph's conditional node from the state of a call.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"

namespace accublas::cuda {

/// Sets condition = call_state->prefers_native on the stream, which is being captured.
void set_condition(const DeviceModel&, cudaGraphConditionalHandle condition, const CallState* call_state, cudaStream_t);
/// Adds a first node to a graph that sets condition = call_state->prefers_native.
cudaGraphNode_t add_condition_node(cudaGraph_t, cudaGraphConditionalHandle condition, const CallState* call_state);

}  // namespace accublas::cuda
