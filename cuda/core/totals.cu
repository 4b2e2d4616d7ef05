#include "cuda/core/call_state.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/totals.hpp"

namespace accublas::cuda {

namespace {

__global__ void totals_kernel(const CallState* call, const unsigned long long* vector_undecided, CallState* totals) {
  if (vector_undecided) totals->undecided += *vector_undecided;
  if (!call) return;
  totals->bits = max(totals->bits, call->bits);
  totals->parts = max(totals->parts, call->parts);
  totals->rejected_in_all += call->rejected_in_all;
  totals->undecided += call->undecided;
  totals->bound_componentwise = max(totals->bound_componentwise, call->bound_componentwise);
  totals->prefers_native |= call->prefers_native;
  totals->not_covered |= call->not_covered;
}

}  // namespace

void add_to_totals(const CallState* call, const unsigned long long* vector_undecided, CallState* totals,
                   cudaStream_t stream) {
  if (rehearses()) return;
  totals_kernel<<<1, 1, 0, stream>>>(call, vector_undecided, totals);
  check_launch("totals of a batch");
}

}  // namespace accublas::cuda
