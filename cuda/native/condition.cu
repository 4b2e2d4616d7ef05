#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/native/condition.hpp"

namespace accublas::cuda {

namespace {

__global__ void take_condition(cudaGraphConditionalHandle condition, const CallState* call_state) {
  await_predecessor();
  cudaGraphSetConditional(condition, call_state->prefers_native != 0 ? 1 : 0);
}

}  // namespace

void set_condition(const DeviceModel& model, cudaGraphConditionalHandle condition, const CallState* call_state,
                   cudaStream_t stream) {
  launch(model, "condition", take_condition, {1, 1}, stream, condition, call_state);
}

cudaGraphNode_t add_condition_node(cudaGraph_t graph, cudaGraphConditionalHandle condition,
                                   const CallState* call_state) {
  void* arguments[] = {&condition, &call_state};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(take_condition);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel), "condition");
  return node;
}

}  // namespace accublas::cuda
