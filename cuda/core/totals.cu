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

constexpr int group_threads = 256;

__global__ void __launch_bounds__(group_threads)
    group_kernel(const CallState* first, GroupStride group, CallState* call) {
  const auto bits_of = [](double x) { return static_cast<unsigned long long>(__double_as_longlong(x)); };
  for (Index i = threadIdx.x; i < group.count; i += group_threads) {
    const CallState& own = *reinterpret_cast<const CallState*>(reinterpret_cast<std::uintptr_t>(first) +
                                                               static_cast<std::uintptr_t>(i * group.bytes));
    atomicMax(&call->bits, own.bits);
    atomicMax(&call->parts, own.parts);
    if (own.rejected_in_all != 0) atomicAdd(&call->rejected_in_all, own.rejected_in_all);
    if (own.undecided != 0) atomicAdd(&call->undecided, own.undecided);
    // Bounds are not negative, and are ordered like their bits.
    atomicMax(reinterpret_cast<unsigned long long*>(&call->bound_componentwise), bits_of(own.bound_componentwise));
    if (own.not_covered != 0) call->not_covered = 1;
  }
}

}  // namespace

void clear_states(CallState* first, const GroupStride& group, cudaStream_t stream) {
  if (rehearses()) return;
  check(cudaMemset2DAsync(first, static_cast<std::size_t>(group.bytes), 0, sizeof(CallState),
                          static_cast<std::size_t>(group.count), stream),
        "clearing the states of a group");
}

void add_states(const CallState* first, const GroupStride& group, CallState* call, cudaStream_t stream) {
  if (rehearses()) return;
  group_kernel<<<1, group_threads, 0, stream>>>(first, group, call);
  check_launch("counts of a group");
}

void add_to_totals(const CallState* call, const unsigned long long* vector_undecided, CallState* totals,
                   cudaStream_t stream) {
  if (rehearses()) return;
  totals_kernel<<<1, 1, 0, stream>>>(call, vector_undecided, totals);
  check_launch("totals of a batch");
}

}  // namespace accublas::cuda
