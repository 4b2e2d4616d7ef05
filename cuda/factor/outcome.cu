#include "cuda/core/launch.hpp"
#include "cuda/factor/outcome.hpp"

namespace accublas::cuda {
namespace {

__global__ void close_kernel(FactorOutcome* outcome) {
  await_predecessor();
  outcome->closed = outcome->info > 0;
}

}  // namespace

void close_on_failure(const DeviceModel& model, FactorOutcome* outcome, cudaStream_t stream) {
  launch(model, "the outcome of a factorization", close_kernel, {1, 1}, stream, outcome);
}

}  // namespace accublas::cuda
