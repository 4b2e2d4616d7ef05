// The last step of every mode of DOT, GEMV, NRM2 and ASUM: computes the rows that a first pass left pending by
// Kulisch's long accumulators, including special values. A warp computes a row, or a segment of one if few are pending.
#include "cuda/core/arrival.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/vector/exact_row.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

using namespace long_sums;

constexpr Index least_exact_terms = 2048;  ///< terms of a segment

template <class T>
struct SegmentArguments : ExactRows<T> {
  OpenRows open;
  std::int64_t* slots;
};

/// Writes a segment's sum to its slot; the warp of the last segment of a row adds up and writes the row.
template <class T>
__device__ void share_row(const SegmentArguments<T>& g, Index entry, Index i, Index segments, std::int64_t* words,
                          Special<T> special) {
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
    special.sum += static_cast<T>(__longlong_as_double(__ldcg(slots + s * exact_slot_words + digits)));
    special.any |= __ldcg(slots + s * exact_slot_words + digits + 1) != 0;
  }
  __syncwarp();
  if (lane == 0) write_row(g, i, words, special);
}

template <class T>
__global__ void __launch_bounds__(32) exact_kernel(SegmentArguments<T> g) {
  await_predecessor();
  const Index open = static_cast<Index>(__ldcg(&g.open.state->open)), blocks = gridDim.x;
  if (open == 0) {
    if (blockIdx.x == 0 && threadIdx.x == 0) g.open.state->undecided = 0;
    return;
  }
  __shared__ std::int64_t memory[words];
  Digits accumulator{memory + threadIdx.x};
  // A row has several segments only if every thread block has at most one of them, so that it owns the slot of its
  // number.
  Index segments = 2 * open <= blocks && open <= vector_tickets ? blocks / open : 1;
  const Index most = ceil_div(g.p.k, least_exact_terms);
  if (segments > most) segments = most;
  if (segments > most_segments) segments = most_segments;
  const Index terms = ceil_div(g.p.k, segments);
  for (Index task = blockIdx.x; task < open * segments; task += blocks) {
    const Index entry = task / segments, i = g.open.list[entry], first = task % segments * terms;
    const Index left = g.p.k - first;
    accumulator.clear();
    const Special<T> special = add_terms(g, i, first, left < terms ? left : terms, accumulator);
    sum_lanes(memory);
    if (segments > 1) {
      share_row(g, entry, i, segments, memory, special);
    } else if (threadIdx.x == 0) {
      write_row(g, i, memory, special);
    }
    __syncwarp();
  }
  if (last_to_arrive(&g.open.state->exact_arrived, static_cast<std::uint32_t>(blocks)) && threadIdx.x == 0) {
    g.open.state->undecided = static_cast<unsigned long long>(open);
    g.open.state->open = 0;
  }
}

}  // namespace

template <class T>
void exact_rows(const VectorCall& call, const RowProblem<T>& p, FixedScaling fixed, const ExactScratch& scratch) {
  const SegmentArguments<T> g{{p, fixed}, {call.state, scratch.list}, scratch.slots};
  launch(call.model, "exact_rows", exact_kernel<T>, {static_cast<unsigned>(exact_blocks(call.model)), 32}, call.stream,
         g);
}

template void exact_rows(const VectorCall&, const RowProblem<double>&, FixedScaling, const ExactScratch&);
template void exact_rows(const VectorCall&, const RowProblem<float>&, FixedScaling, const ExactScratch&);

}  // namespace accublas::cuda
