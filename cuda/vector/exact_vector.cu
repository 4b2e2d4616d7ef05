// This kernel is the last step of every mode of DOT, GEMV, NRM2 and ASUM. It computes the sums that a first pass left
// pending, including special values, by Kulisch's long accumulators. A warp computes a sum. If few sums are pending, it
// computes a segment of a sum.
#include "cuda/core/arrival.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/vector/exact_row.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

using namespace long_sums;

constexpr Index least_exact_entries = 2048;  ///< entries of a segment

template <class E>
struct SegmentArguments : ExactRows<E> {
  OpenRows open;
  std::int64_t* slots;
};

/// Writes a segment's sum to its slot. The last warp to end adds up the segments of a sum and writes the result.
template <class E>
__device__ void share_sum(const SegmentArguments<E>& g, Index entry, Index number, Index segments, std::int64_t* words,
                          Special<RealOf<E>> special) {
  const int lane = threadIdx.x % 32;
  std::int64_t* const slots = g.slots + entry * segments * exact_slot_words;
  std::int64_t* const slot = g.slots + blockIdx.x * exact_slot_words;
  for (int d = lane; d < digits; d += 32) slot[d] = words[d * 32];
  if (lane == 0) {
    slot[digits] = __double_as_longlong(special.sum);
    slot[digits + 1] = special.any;
  }
  if (!last_to_arrive(&g.open.state->arrived[entry], static_cast<std::uint32_t>(segments))) return;
  for (int d = lane; d < digits; d += 32) {
    std::int64_t sum = 0;
    for (Index s = 0; s < segments; ++s) sum += __ldcg(slots + s * exact_slot_words + d);
    words[d * 32] = sum;
  }
  special = {0, false};
  for (Index s = 0; s < segments; ++s) {
    special.sum += static_cast<RealOf<E>>(__longlong_as_double(__ldcg(slots + s * exact_slot_words + digits)));
    special.any |= __ldcg(slots + s * exact_slot_words + digits + 1) != 0;
  }
  __syncwarp();
  if (lane == 0) write_sum(g, number, words, special);
}

template <class E>
__global__ void __launch_bounds__(32) exact_kernel(SegmentArguments<E> g) {
  await_predecessor();
  const Index open = static_cast<Index>(__ldcg(&g.open.state->open)), blocks = gridDim.x;
  if (open == 0) {
    if (blockIdx.x == 0 && threadIdx.x == 0) g.open.state->undecided = 0;
    return;
  }
  __shared__ std::int64_t memory[words];
  Digits accumulator{memory + threadIdx.x};
  // A sum has several segments only if every thread block has at most one of them, so that it owns the slot of its
  // number.
  Index segments = 2 * open <= blocks && open <= vector_tickets ? blocks / open : 1;
  const Index most = ceil_div(g.p.k, least_exact_entries);
  if (segments > most) segments = most;
  if (segments > most_segments) segments = most_segments;
  const Index length = ceil_div(g.p.k, segments);
  for (Index task = blockIdx.x; task < open * segments; task += blocks) {
    const Index entry = task / segments, number = g.open.list[entry], first = task % segments * length;
    const Index left = g.p.k - first;
    accumulator.clear();
    const Special<RealOf<E>> special = add_terms(g, number, first, left < length ? left : length, accumulator);
    sum_lanes(memory);
    if (segments > 1) {
      share_sum(g, entry, number, segments, memory, special);
    } else if (threadIdx.x == 0) {
      write_sum(g, number, memory, special);
    }
    __syncwarp();
  }
  if (last_to_arrive(&g.open.state->exact_arrived, static_cast<std::uint32_t>(blocks)) && threadIdx.x == 0) {
    g.open.state->undecided = static_cast<unsigned long long>(open);
    g.open.state->open = 0;
  }
}

}  // namespace

template <class E>
void exact_rows(const VectorCall& call, const RowProblem<E>& p, FixedScaling fixed, const ExactScratch& scratch) {
  const SegmentArguments<E> g{{p, fixed}, {call.state, scratch.list}, scratch.slots};
  launch(call.model, "exact_rows", exact_kernel<E>, {static_cast<unsigned>(exact_blocks(call.model)), 32}, call.stream,
         g);
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void exact_rows(const VectorCall&, const RowProblem<E>&, FixedScaling, const ExactScratch&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
