// dot2 GEMV on compute capability 9.0. Every lane of a streaming warp has a row, whose tiles come through a ring of TMA
// copies (cuda/vector/row_stream.hpp). The streaming warps of a thread block share its 32 rows and take the
// definition's blocks of 128 terms in turn. One more warp combines their pairs from left to right and finishes the
// rows, including the pending sums. So a call needs no second kernel, which would take a tenth of its time at order
// 4096. Complex rows have two sums each, from the same tiles.
#include <algorithm>
#include <atomic>

#include "cuda/core/call_state.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/vector/exact_row.hpp"
#include "cuda/vector/pair_row.hpp"
#include "cuda/vector/row_stream.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int stream_terms = 128;  ///< block of the definition
template <class E>
constexpr int stream_entries = stream_terms / component_count<E>;
// The number of warps is a power of two, as orders often are: 15 warps with deeper rings are slower. Longer
// rings read from too many places of the memory at once.
constexpr int stream_warps = 16, stages = 2, stream_threads = 32 * (stream_warps + 1);
template <class E>
constexpr int chunk = 16 / component_count<E>;  ///< entries that a lane has in registers
constexpr int slots = 2;                        ///< slots for pairs on the way to the combining warp
constexpr int ring_bytes = stream_warps * stages * tile_bytes;
constexpr int shared_bytes = ring_bytes + long_sums::words * static_cast<int>(sizeof(std::int64_t));

template <class E>
struct StreamArguments {
  RowProblem<E> p;
  VectorState* state;
  int groups, blocks;  ///< number of groups of rows, of blocks of terms
};

/// Shared memory of the warps of a thread block in addition to the rings. Each lane arrives at a barrier itself, for
/// the data that it has written or read.
template <int components>
struct SharedState {
  Pair pairs[slots][components][stream_warps][group_rows];
  std::uint64_t tile_barriers[stream_warps][stages];
  std::uint64_t handed_in[slots], taken[slots];
  alignas(16) unsigned char entries_of_x[stream_warps][tile_bytes / group_rows];
  Index open[components * group_rows];
  unsigned long long open_count;

  __device__ void begin() {
    if (threadIdx.x == 0) {
      for (int w = 0; w < stream_warps; ++w)
        for (int s = 0; s < stages; ++s) ptx::barrier_init(ptx::shared_address(&tile_barriers[w][s]), 1);
      for (int s = 0; s < slots; ++s) {
        ptx::barrier_init(ptx::shared_address(&handed_in[s]), 32 * stream_warps);
        ptx::barrier_init(ptx::shared_address(&taken[s]), 32);
      }
      open_count = 0;
      ptx::publish_barriers();
    }
    __syncthreads();
  }
};

/// Runs a streaming warp: it produces its pairs of every round of every group, in the order of the definition's blocks.
template <class E, bool along>
__device__ void stream(const CUtensorMap& map, const StreamArguments<E>& g, SharedState<component_count<E>>& shared,
                       unsigned char* rings) {
  constexpr int components = component_count<E>, entries = tile_entries<E>, tiles = stream_entries<E> / entries;
  const RowProblem<E>& p = g.p;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int apart = static_cast<int>(gridDim.x), first_group = static_cast<int>(blockIdx.x);
  TileRing<E, along, stages> ring{rings + warp * stages * tile_bytes, ptx::shared_address(shared.tile_barriers[warp])};
  TileWalk ahead{warp < g.blocks ? first_group : g.groups, warp, 0};
  const auto put = [&](int stage) {
    if (ahead.group < g.groups && lane == 0)
      ring.put(map, stage, ahead.group * group_rows, ahead.unit * stream_entries<E> + ahead.tile * entries);
    ahead.next(tiles, warp, stream_warps, g.blocks, apart);
  };
  for (int s = 0; s < stages; ++s) put(s);
  EntriesOfX<E> x{reinterpret_cast<E*>(shared.entries_of_x[warp]), {}};
  TileWalk soon{first_group, warp, 0};
  const auto ask = [&] {
    x.ask(p, static_cast<Index>(soon.unit) * stream_entries<E> + soon.tile * entries);
    soon.next(tiles, warp, stream_warps, g.blocks, apart);
  };
  ask();
  int count = 0;
  for (int group = first_group; group < g.groups; group += apart) {
    for (int round = 0; round * stream_warps < g.blocks; ++round, ++count) {
      const int block = round * stream_warps + warp, slot = count % slots;
      Pair pairs[components]{};
      if (block < g.blocks) {
#pragma unroll 1
        for (int tile = 0; tile < tiles; ++tile) {
          x.put();
          ask();
          ring.wait();
#pragma unroll 1
          for (int first = 0; first < entries; first += chunk<E>) {
            // Entries beyond k are zero on both sides, and a step with 0 times 0 changes nothing: s and c are never -0.
            E u[chunk<E>], v[chunk<E>];
            x.get(first, v);
            ring.get(first, u);
#pragma unroll
            for (int j = 0; j < chunk<E>; ++j) step_terms(pairs, u[j], v[j], p.conjugate);
          }
          ptx::reads_before_tma_copies();
          __syncwarp();
          put(ring.stage);
          ring.advance();
        }
      }
      // A warp without a block in the last round takes part in the round's end all the same.
      ptx::barrier_wait(ptx::shared_address(&shared.taken[slot]), (count / slots & 1) ^ 1);
#pragma unroll
      for (int c = 0; c < components; ++c) shared.pairs[slot][c][warp][lane] = pairs[c];
      ptx::barrier_arrive(ptx::shared_address(&shared.handed_in[slot]), 0);
    }
  }
}

/// Runs the combining warp, a lane a row.
template <class E>
__device__ void combine_groups(const StreamArguments<E>& g, SharedState<component_count<E>>& shared,
                               std::int64_t* accumulators) {
  constexpr int components = component_count<E>;
  const int lane = threadIdx.x % 32;
  const OpenRows open{g.state, shared.open, &shared.open_count};
  Index opened = 0;
  int count = 0;
  for (int group = static_cast<int>(blockIdx.x); group < g.groups; group += static_cast<int>(gridDim.x)) {
    Pair total[components]{};
    for (int first = 0; first < g.blocks; first += stream_warps, ++count) {
      const int slot = count % slots, blocks = g.blocks - first < stream_warps ? g.blocks - first : stream_warps;
      ptx::barrier_wait(ptx::shared_address(&shared.handed_in[slot]), count / slots & 1);
#pragma unroll 4
      for (int w = 0; w < blocks; ++w)
#pragma unroll
        for (int c = 0; c < components; ++c) total[c] = combine<RealOf<E>>(total[c], shared.pairs[slot][c][w][lane]);
      ptx::barrier_arrive(ptx::shared_address(&shared.taken[slot]), 0);
    }
    const Index i = static_cast<Index>(group) * group_rows + lane;
#pragma unroll
    for (int c = 0; c < components; ++c)
      if (i < g.p.m) finish_by_pair(g.p, open, i * components + c, total[c]);
    __syncwarp();
    const Index now = static_cast<Index>(shared.open_count);
    if (now > 0) {
      long_sums::compute_sums(ExactRows<E>{g.p, {nullptr, 0}}, shared.open, now, accumulators);
      opened += now;
      if (lane == 0) shared.open_count = 0;
      __syncwarp();
    }
  }
  if (lane == 0) report_open(g.state, opened);
}

template <class E, bool along>
__global__ void __launch_bounds__(stream_threads, 1)
    dot2_gemv_stream_kernel(const __grid_constant__ CUtensorMap map, const __grid_constant__ StreamArguments<E> g) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(1024) unsigned char memory[];
  constexpr int components = component_count<E>;
  __shared__ SharedState<components> shared;
  shared.begin();
  await_predecessor();
  const int warp = threadIdx.x / 32;
  if (is_zero(g.p.alpha.get())) {
    for (int group = static_cast<int>(blockIdx.x); warp == 0 && group < g.groups;
         group += static_cast<int>(gridDim.x)) {
      const Index i = static_cast<Index>(group) * group_rows + threadIdx.x;
#pragma unroll
      for (int c = 0; c < components; ++c)
        if (i < g.p.m) write_without_terms(g.p, i * components + c);
    }
    if (threadIdx.x == 0) report_open(g.state, 0);
  } else if (warp < stream_warps) {
    stream<E, along>(map, g, shared, memory);
  } else {
    combine_groups(g, shared, reinterpret_cast<std::int64_t*>(memory + ring_bytes));
  }
#endif
}

template <class E, bool along>
void launch_stream(const VectorCall& call, const CUtensorMap& map, const StreamArguments<E>& g) {
  const auto kernel = dot2_gemv_stream_kernel<E, along>;
  static std::atomic<std::uint64_t> set_up{0};  // bits of the devices on which the shared memory was set
  const std::uint64_t device = call.model.device < 64 ? std::uint64_t{1} << call.model.device : 0;
  if (device == 0 || (set_up.load(std::memory_order_relaxed) & device) == 0) {
    allow_shared_bytes(kernel, shared_bytes, "dot2_gemv_stream");
    set_up.fetch_or(device, std::memory_order_relaxed);
  }
  const auto blocks = static_cast<unsigned>(std::min(g.groups, call.model.processors));
  launch(call.model, "dot2_gemv_stream", kernel, {blocks, stream_threads, shared_bytes}, call.stream, map, g);
}

}  // namespace

template <class E>
bool dot2_gemv_stream(const VectorCall& call, const RowProblem<E>& p) {
  const auto size = [](Index stride) { return stride < 0 ? -stride : stride; };
  const bool along = size(p.a.col_stride) < size(p.a.row_stride);
  const Index groups = ceil_div(p.m, group_rows), processors = call.model.processors;
  // A few long rows need thread blocks that share them, so another kernel serves them. Many adjacent rows of binary64
  // are read faster if more thread blocks are resident and longer parts of the columns are in flight: 1.00 against 0.89
  // of cuBLAS at 16384.
  const Index terms = component_count<E> * p.k;
  const bool few = groups < processors / 2 && terms > call.model.tuning().vector.stream_terms;
  const bool many = !along && compensated<RealOf<E>> && groups > 2 * processors;
  CUtensorMap map;
  if (!call.model.hopper_kernels || few || many || !make_row_map(p.a, p.m, p.k, along, &map)) return false;
  const StreamArguments<E> g{p, call.state, static_cast<int>(groups), static_cast<int>(ceil_div(terms, stream_terms))};
  along ? launch_stream<E, true>(call, map, g) : launch_stream<E, false>(call, map, g);
  return true;
}

#define ACCUBLAS_INSTANTIATE(E) template bool dot2_gemv_stream(const VectorCall&, const RowProblem<E>&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
