// cr for DOT and GEMV in one pass at memory speed. Grid sums (cuda/sums/grid_chain.hpp) give every inner product to
// some 120 bits with a bound of its error. Ziv's test rounds the sums that this bound decides; the exact kernel
// computes the rest. With FixedScaling the entries are first scaled to magnitudes up to 1 and rounded to T bits of
// their row; the results are doubles. A lane has two sums at a time. They belong to two real rows, which share the
// loads of x, or to the components of a complex row, which share all loads.
#include <algorithm>

#include "cuda/core/arrival.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/loads.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/sums/grid_chain.hpp"
#include "cuda/vector/row_terms.hpp"
#include "cuda/vector/triple_row.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cuda {

namespace {

// Two or three thread blocks of 8 warps on a multiprocessor keep 64 to 96 KiB of loads in flight.
constexpr int warps = 8, threads = 32 * warps, pairs_resident = 2;
constexpr int resident(int components) { return components == 1 ? 3 : pairs_resident; }
constexpr int lane_sums = 2;
constexpr int block_sums = 32 * lane_sums;  // sums of a thread block if each lane has its own rows
constexpr int block_parts = threads / block_sums;
template <class E>
constexpr int lane_rows = lane_sums / component_count<E>;
constexpr Index tile = 32 * batch;             // entries that a warp loads at a time along a row
constexpr Index least_entries = warps * tile;  // entries of a thread block's segment of a row
constexpr Index least_columns = warps * batch;

template <class E>
struct Arguments {
  RowProblem<E> p;
  FixedScaling fixed;
  OpenRows open;
  TripleSum* partial;
  Index segments, segment_entries;  ///< segments of the inner dimension
  bool all_undecided;
};

/// Computes for lane 0 the sums of rows i, i + 1, ... over a part of the `entries` entries from `first` on. The part is
/// tile number `part` and every `parts`-th tile after it.
template <class E, bool Fixed, int rows>
struct AlongRows {
  static constexpr int components = component_count<E>, count = rows * components;
  TripleSum sums[count];

  __device__ AlongRows(const Arguments<E>& g, Index i, Index first, Index entries, int part, int parts) {
    const Rounded<RealOf<E>, Fixed> rounded(g.fixed, i, g.p.m), last_rounded(g.fixed, i + rows - 1, g.p.m);
    const Index a_stride = g.p.a.col_stride, x_stride = g.p.x.stride;
    const E* const a = g.p.a.data + i * g.p.a.row_stride + first * a_stride;
    const E* const x = g.p.x.data + first * x_stride;
    const int lane = threadIdx.x % 32;
    ChainOf<E, true> chain[count];
    for (Index begin = part * tile; begin < entries; begin += parts * tile) {
      const Index at = begin + lane;
      const bool whole = entries - begin >= tile;
      add_batch<32, E, rows>(rounded, last_rounded, g.p.conjugate, {a + at * a_stride, g.p.a.row_stride, a_stride},
                             {x + at * x_stride, x_stride}, whole, entries - at, chain);
    }
#pragma unroll
    for (int s = 0; s < count; ++s) sums[s] = warp_sum(chain[s].result());
  }
};

/// Computes many rows. A warp takes lane_rows rows. If the number of real rows is odd, the last warp computes the
/// second-to-last row again.
template <class E, bool Fixed>
__global__ void __launch_bounds__(threads, pairs_resident) cr_warps(Arguments<E> g) {
  await_predecessor();
  constexpr int rows = lane_rows<E>, components = component_count<E>;
  const Index fresh = rows * (static_cast<Index>(blockIdx.x) * warps + threadIdx.x / 32);
  if (fresh >= g.p.m) return;
  const Index i = fresh + rows <= g.p.m ? fresh : g.p.m - rows, first_sum = i * components;
  const int lane = threadIdx.x % 32;
  if (is_zero(g.p.alpha.get())) {
    if (lane < lane_sums && first_sum + lane >= fresh * components) write_without_terms(g.p, first_sum + lane);
    return;
  }
  const AlongRows<E, Fixed, rows> along(g, i, 0, g.p.k, 0, 1);
  if (lane != 0) return;
#pragma unroll
  for (int s = 0; s < lane_sums; ++s)
    if (first_sum + s >= fresh * components)
      finish_by_triple<E, Fixed>(g.p, g.fixed, g.open, g.all_undecided, first_sum + s, along.sums[s]);
}

/// Returns to thread 0 the sum of the warps' sums.
__device__ TripleSum block_sum(TripleSum sum) {
  __shared__ TripleSum sums[warps];
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < warps ? sums[threadIdx.x] : TripleSum{0, 0, 0, 0};
    sum = warp_sum(sum);
  }
  return sum;
}

/// Serves few rows, including DOT: a thread block takes one segment of a row, and the last block of a row adds up.
template <class E, bool Fixed>
__global__ void __launch_bounds__(threads, resident(component_count<E>)) cr_segments(Arguments<E> g) {
  await_predecessor();
  constexpr int components = component_count<E>;
  const Index i = blockIdx.x / g.segments, segment = blockIdx.x % g.segments, first = segment * g.segment_entries;
  if (is_zero(g.p.alpha.get())) {
    if (segment == 0 && threadIdx.x < components) write_without_terms(g.p, i * components + threadIdx.x);
    return;
  }
  const Index left = g.p.k - first, entries = left < g.segment_entries ? left : g.segment_entries;
  AlongRows<E, Fixed, 1> along(g, i, first, entries, threadIdx.x / 32, warps);
  TripleSum(&sums)[components] = along.sums;
  TripleSum* const partial = g.partial + i * g.segments * components;
#pragma unroll
  for (int c = 0; c < components; ++c) {
    sums[c] = block_sum(sums[c]);
    if (g.segments > 1 && threadIdx.x == 0) partial[segment * components + c] = sums[c];
  }
  if (g.segments > 1) {
    if (!last_to_arrive(&g.open.state->arrived[i], static_cast<std::uint32_t>(g.segments))) return;
#pragma unroll
    for (int c = 0; c < components; ++c) {
      sums[c] = {0, 0, 0, 0};
      for (Index s = threadIdx.x; s < g.segments; s += threads)
        triple_add(sums[c], load_sum(partial + s * components + c));
      sums[c] = block_sum(warp_sum(sums[c]));
    }
  }
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int c = 0; c < components; ++c)
    finish_by_triple<E, Fixed>(g.p, g.fixed, g.open, g.all_undecided, i * components + c, sums[c]);
}

/// Adds up `count` lines of sums, at most 2 block_parts, into lines[0]. Thread t wrote sum t of it, and reads it next.
template <int count>
__device__ void add_lines(TripleSum (&lines)[warps][block_sums]) {
  static_assert(count <= 2 * block_parts);
  const int at = threadIdx.x % block_sums, part = threadIdx.x / block_sums;
#pragma unroll
  for (int half = count / 2; half > 0; half /= 2) {
    __syncthreads();
    if (part < half) triple_add(lines[part][at], lines[part + half][at]);
  }
}

/// Computes rows that are adjacent in memory. A lane has lane_rows rows, 32 apart. The warps of a thread block take
/// groups of columns in turn. Thread blocks of one group of rows (numbered by blockIdx.y) have segments of the columns,
/// and the last one to end adds up the segments.
template <class E, bool Fixed>
__global__ void __launch_bounds__(threads, pairs_resident) cr_columns(Arguments<E> g) {
  await_predecessor();
  constexpr int components = component_count<E>, rows = 32 * lane_rows<E>;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // A line of sums in shared memory has the first components of all rows, followed by the second components.
  const int at = threadIdx.x % block_sums, part = threadIdx.x / block_sums;
  const Index first_row = static_cast<Index>(blockIdx.x) * rows, own_row = first_row + at % rows,
              own = own_row * components + at / rows;
  const bool owner = part == 0 && own_row < g.p.m;
  if (is_zero(g.p.alpha.get())) {
    if (blockIdx.y == 0 && owner) write_without_terms(g.p, own);
    return;
  }
  const Index last = g.p.m - 1, i0 = first_row + lane < last ? first_row + lane : last,
              i1 = i0 + rows - 32 < last ? i0 + rows - 32 : last;
  const Index first = blockIdx.y * g.segment_entries, stop = first + g.segment_entries,
              end = stop < g.p.k ? stop : g.p.k;
  const Index a_stride = g.p.a.col_stride, x_stride = g.p.x.stride, to_second = (i1 - i0) * g.p.a.row_stride;
  const Rounded<RealOf<E>, Fixed> rounded(g.fixed, i0, g.p.m), last_rounded(g.fixed, i1, g.p.m);
  ChainOf<E, false> chain[lane_sums];
  Index begin = first + warp * batch;
  const E* a = g.p.a.data + i0 * g.p.a.row_stride + begin * a_stride;
  const E* x = g.p.x.data + begin * x_stride;
  for (; begin < end; begin += warps * batch, a += warps * batch * a_stride, x += warps * batch * x_stride) {
    const Index left = end - begin;
    add_batch<1, E, lane_rows<E>>(rounded, last_rounded, g.p.conjugate, {a, to_second, a_stride}, {x, x_stride},
                                  left >= batch, left, chain);
  }
  __shared__ TripleSum sums[warps][block_sums];
#pragma unroll
  for (int s = 0; s < lane_sums; ++s) sums[warp][lane + 32 * s] = chain[s].result();
  add_lines<warps>(sums);
  if (g.segments > 1) {
    TripleSum* const partial = g.partial + blockIdx.x * g.segments * block_sums + at;
    if (part == 0) partial[blockIdx.y * block_sums] = sums[0][at];
    if (!last_to_arrive(&g.open.state->arrived[blockIdx.x], static_cast<std::uint32_t>(g.segments))) return;
    TripleSum sum{0, 0, 0, 0};
    for (Index s = part; s < g.segments; s += block_parts) triple_add(sum, load_sum(partial + s * block_sums));
    sums[part][at] = sum;
    add_lines<block_parts>(sums);
  }
  if (owner) finish_by_triple<E, Fixed>(g.p, g.fixed, g.open, g.all_undecided, own, sums[0][at]);
}

/// A division into segments of `terms` terms, each a multiple of `unit`, for `sums` sums that share `places` thread
/// blocks, in at most `most_rounds` rounds of them.
struct Division {
  Index segments, terms;
};
Division divide(Index places, Index sums, Index k, Index unit, Index most_rounds) {
  const auto of_segments = [&](Index s) {
    const Index terms = round_up(ceil_div(k, s), unit);
    return Division{ceil_div(k, terms), terms};
  };
  if (sums > vector_tickets) return {1, k};
  const Index least = std::max<Index>(places / sums, 1);
  Division best = of_segments(least);
  // One round that fills nearly all thread blocks is best. It is chosen for few sums, whose search would be long.
  if (sums <= places && 20 * sums * best.segments >= 17 * places) return best;
  // Time is measured in terms that all thread blocks process: a round costs two units more than its terms, and a round
  // with few thread blocks costs three quarters of a full one, as memory is busy with them.
  const auto time = [&](const Division& d) {
    const Index blocks = sums * d.segments, rest = blocks % places;
    const double last = rest == 0 ? 0 : std::max(static_cast<double>(rest) / static_cast<double>(places), 0.75);
    return (static_cast<double>(blocks / places) + last) * static_cast<double>(d.terms) +
           static_cast<double>(ceil_div(blocks, places) * 2 * unit);
  };
  for (Index s = least + 1; s <= ceil_div(k, unit) && sums * s <= most_rounds * places; ++s) {
    const Division d = of_segments(s);
    if (time(d) < time(best)) best = d;
  }
  return best;
}

Division divide_rows(const DeviceModel& model, Index m, Index k, int components) {
  return divide(Index{resident(components)} * model.processors, m, k, least_entries, model.tuning().vector.most_rounds);
}
Division divide_columns(const DeviceModel& model, Index m, Index k, int components) {
  return divide(Index{pairs_resident} * model.processors, ceil_div(components * m, block_sums), k, least_columns,
                model.tuning().vector.most_rounds);
}

/// Takes memory for the sums of segments, enough for either kind of thread blocks. A single segment needs none.
TripleSum* take_partial(const DeviceModel& model, Index m, Index k, int components, Carver& carver) {
  const auto sums = [](Index sums, Index segments) { return segments > 1 ? sums * segments : 0; };
  return carver.take<TripleSum>(static_cast<std::size_t>(
      std::max(sums(components * m, divide_rows(model, m, k, components).segments),
               sums(round_up(components * m, block_sums), divide_columns(model, m, k, components).segments))));
}

template <class E, bool Fixed>
void launch_rows(const VectorCall& call, Arguments<E> g) {
  constexpr int components = component_count<E>;
  const auto size = [](Index stride) { return stride < 0 ? -stride : stride; };
  const auto start = [&](void (*kernel)(Arguments<E>), dim3 grid) {
    launch(call.model, "cr_rows", kernel, {grid, threads}, call.stream, g);
  };
  const bool along = size(g.p.a.col_stride) < size(g.p.a.row_stride);
  const VectorTuning& tuning = call.model.tuning().vector;
  if (g.p.m >= tuning.rows_for_warps && along) {
    start(cr_warps<E, Fixed>, static_cast<unsigned>(ceil_div(g.p.m, Index{lane_rows<E> * warps})));
  } else if (along || g.p.m < tuning.few_rows) {
    const Division d = divide_rows(call.model, g.p.m, g.p.k, components);
    g.segments = d.segments;
    g.segment_entries = d.terms;
    start(cr_segments<E, Fixed>, static_cast<unsigned>(g.p.m * d.segments));
  } else {
    const Index groups = ceil_div(components * g.p.m, Index{block_sums});
    const Division d = divide_columns(call.model, g.p.m, g.p.k, components);
    g.segments = d.segments;
    g.segment_entries = d.terms;
    start(cr_columns<E, Fixed>, dim3(static_cast<unsigned>(groups), static_cast<unsigned>(d.segments)));
  }
}

}  // namespace

void cr_scratch(const DeviceModel& model, Index m, Index k, int components, Carver& carver) {
  ExactScratch::carve(carver, model, components * m);
  take_partial(model, m, k, components, carver);
}

template <class E>
void cr_rows(const VectorCall& call, const RowProblem<E>& p, FixedScaling fixed, Carver& carver) {
  constexpr int components = component_count<E>;
  const ExactScratch exact = ExactScratch::carve(carver, call.model, components * p.m);
  TripleSum* const partial = take_partial(call.model, p.m, p.k, components, carver);
  const Arguments<E> g{p, fixed, {call.state, exact.list}, partial, 1, p.k, call.all_undecided};
  if (fixed.most) {
    launch_rows<E, true>(call, g);
  } else {
    launch_rows<E, false>(call, g);
  }
  exact_rows(call, p, fixed, exact);
}

template <class E>
void cr_gemv(const VectorCall& call, const Gemv<E>& g, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta) {
  if (g.m <= 0 || g.k <= 0) return;
  Carver carver(call.scratch);
  cr_rows(call, row_problem(g, alpha, beta), {nullptr, 0}, carver);
}

template <class E>
void cr_dot(const VectorCall& call, const Dot<E>& d) {
  if (d.n <= 0) {
    set_on_stream(d.result, 0, sizeof(E), call.stream, "DOT of nothing");
    return;
  }
  Carver carver(call.scratch);
  cr_rows(call, row_problem(d), {nullptr, 0}, carver);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                   \
  template void cr_rows(const VectorCall&, const RowProblem<E>&, FixedScaling, Carver&);          \
  template void cr_gemv(const VectorCall&, const Gemv<E>&, Scalar<RealOf<E>>, Scalar<RealOf<E>>); \
  template void cr_dot(const VectorCall&, const Dot<E>&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
