// dot2 DOT: the 32 lanes of the definition are those of a warp. Warps take runs of a power of two of blocks of 1024 elements;
// everything above is a tree over runs, combined eight to one: four runs to a granule by the thread block that has them, 64
// granules to a group by the last thread block that contributes to it, the groups by the last one of all.
#include <algorithm>

#include "cuda/check.hpp"
#include "cuda/dot2_pair.hpp"

namespace accublas::cuda {

namespace {

constexpr Index block_terms = 1024;  ///< of the definition
// Tuning. Two thread blocks of 16 warps on a multiprocessor keep 128 KiB of loads in flight.
constexpr int warps = 16, threads = 32 * warps, resident = 2;
constexpr int batch = 8;          ///< elements of x and of y that a lane loads at a time
constexpr int granule = 4;        ///< runs: thread blocks have about 8 to 16 granules each, so that their shares are nearly equal
constexpr int most_runs = 64;     ///< of a thread block
constexpr int group = 64;         ///< granules
constexpr int fold_width = 8;     ///< pairs that a warp combines in registers at a time
constexpr int most_levels = 40;   ///< of the tree in a run

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

/// Thread block b has the granules b granules / thread_blocks .. (b + 1) granules / thread_blocks - 1.
struct Division {
  Index blocks, run_blocks, runs, granules, groups, thread_blocks;

  ACCUBLAS_HD Index begin(Index b) const { return b * granules / thread_blocks; }
  ACCUBLAS_HD Index owner(Index g) const { return ((g + 1) * thread_blocks - 1) / granules; }
};

Division divide(const DeviceModel& model, Index n) {
  Division d;
  const Index most = Index{resident} * model.processors;
  d.blocks = ceil_div(n, block_terms);
  for (d.run_blocks = 1; d.blocks / d.run_blocks >= (most_runs - granule) * most; d.run_blocks *= 2) {
  }
  d.runs = ceil_div(d.blocks, d.run_blocks);
  d.granules = ceil_div(d.runs, granule);
  d.groups = ceil_div(d.granules, group);
  d.thread_blocks = std::min(d.granules, most);
  return d;
}

template <class T>
struct Arguments {
  RowProblem<T> p;
  OpenRows open;
  Division division;
  Pair *granules, *groups;  ///< 32 lanes each
};

/// The tree over `count` <= 8 pairs, 1 <= count: load(i) is pair i.
template <class T, class Load>
__device__ Pair fold(int count, Load load) {
  Pair pair[fold_width];
#pragma unroll
  for (int i = 0; i < fold_width; ++i) pair[i] = i < count ? load(i) : Pair{0, 0};
#pragma unroll
  for (int width = 1; width < fold_width; width *= 2) {
#pragma unroll
    for (int i = 0; i + width < fold_width; i += 2 * width)
      if (i + width < count) pair[i] = combine<T>(pair[i], pair[i + width]);
  }
  return pair[0];
}

/// The tree over up to 512 pairs by the whole thread block: warp 0 gets it. `slots`: room for 64 pairs of 32 lanes.
template <class T, class Load>
__device__ Pair fold_together(int count, Pair (*slots)[32], Load load) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const auto fold_eighth = [&](int total, int which, auto&& from) {
    const int first = which * fold_width, left = total - first;
    return fold<T>(left < fold_width ? left : fold_width, [&](int i) { return from(first + i); });
  };
  const int eighths = (count + fold_width - 1) / fold_width;
  __syncthreads();  // the slots are free
  for (int e = warp; e < eighths; e += warps) slots[e][lane] = fold_eighth(count, e, load);
  __syncthreads();
  Pair result{0, 0};
  if (warp == 0) {
    Pair level[fold_width];
    const int parts = (eighths + fold_width - 1) / fold_width;
#pragma unroll
    for (int i = 0; i < fold_width; ++i)
      if (i < parts) level[i] = fold_eighth(eighths, i, [&](int j) { return slots[j][lane]; });
    result = fold<T>(parts, [&](int i) { return level[i]; });
  }
  return result;
}

/// A lane's chain over one block.
template <class T>
__device__ Pair block_chain(const RowProblem<T>& p, Index block) {
  const int lane = threadIdx.x % 32;
  const Index x_stride = p.a.col_stride, y_stride = p.x.stride, left = p.k - block * block_terms;
  const T* x = p.a.data + (block * block_terms + lane) * x_stride;
  const T* y = p.x.data + (block * block_terms + lane) * y_stride;
  Pair pair{0, 0};
  for (int t = 0; t < block_terms; t += batch * 32) {
    T u[batch], v[batch];
    if (left >= block_terms) {
      load_spaced<32>(x, x_stride, u);
      load_spaced<32>(y, y_stride, v);
    } else {
      // A step with 0 times 0 changes nothing: s and c are never -0.
      load_spaced_below<32>(x, x_stride, left - t - lane, u);
      load_spaced_below<32>(y, y_stride, left - t - lane, v);
    }
#pragma unroll
    for (int j = 0; j < batch; ++j) step(pair, u[j], v[j]);
    x += batch * 32 * x_stride;
    y += batch * 32 * y_stride;
  }
  return pair;
}

/// The tree over the blocks of a run.
template <class T>
__device__ Pair run_tree(const RowProblem<T>& p, Index first, Index count) {
  Pair waiting[most_levels];  // trees that wait for a right neighbour of their size
  int top = 0;
  for (Index b = 0; b + 1 < count; ++b) {
    Pair pair = block_chain(p, first + b);
    for (Index bits = b; bits & 1; bits >>= 1) pair = combine<T>(waiting[--top], pair);
    waiting[top++] = pair;
  }
  Pair pair = block_chain(p, first + count - 1);
  while (top > 0) pair = combine<T>(waiting[--top], pair);
  return pair;
}

/// Lane 0: the combination over the lanes.
template <class T>
__device__ Pair combine_lanes(Pair pair) {
  for (int half = 16; half > 0; half /= 2) {
    const Pair right{__shfl_down_sync(full_warp, pair.s, half), __shfl_down_sync(full_warp, pair.c, half)};
    pair = combine<T>(pair, right);
  }
  return pair;
}

/// Warp 0: the pair of all lanes of the whole tree, if this thread block is the last one; *last says so.
template <class T>
__device__ Pair climb(const Arguments<T>& g, Pair (*slots)[32], bool* last) {
  const Division& d = g.division;
  const int lane = threadIdx.x % 32;
  std::uint32_t* const arrived = g.open.state->arrived;
  const Index begin = d.begin(blockIdx.x), end = d.begin(blockIdx.x + 1);
  Pair result{0, 0};
  *last = false;
  for (Index first = begin / group * group; first < end; first += group) {
    const Index number = first / group, stop = first + group < d.granules ? first + group : d.granules;
    const auto contributors = static_cast<std::uint32_t>(d.owner(stop - 1) - d.owner(first) + 1);
    if (!last_to_arrive(arrived + number, contributors)) continue;
    result = fold_together<T>(static_cast<int>(stop - first), slots,
                              [&](int i) { return load_pair(g.granules + (first + i) * 32 + lane); });
    if (d.groups == 1) {
      *last = true;
      return result;
    }
    if (threadIdx.x < 32) store_pair(g.groups + number * 32 + lane, result);
    if (last_to_arrive(arrived + d.groups, static_cast<std::uint32_t>(d.groups))) {
      *last = true;
      return fold_together<T>(static_cast<int>(d.groups), slots, [&](int i) { return load_pair(g.groups + i * 32 + lane); });
    }
  }
  return result;
}

template <class T>
__global__ void __launch_bounds__(threads, resident) dot2_dot_kernel(Arguments<T> g) {
  __shared__ Pair slots[most_runs][32];  // the thread block's runs, then of use to fold_together
  __shared__ int next_run;
  allow_next_kernel();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Division& d = g.division;
  const Index begin = d.begin(blockIdx.x), end = d.begin(blockIdx.x + 1), first_run = begin * granule;
  const int runs = static_cast<int>((end * granule < d.runs ? end * granule : d.runs) - first_run);
  if (threadIdx.x == 0) next_run = warps;
  __syncthreads();
  for (int run = warp; run < runs;) {
    const Index first = (first_run + run) * d.run_blocks, left = d.blocks - first;
    slots[run][lane] = run_tree(g.p, first, left < d.run_blocks ? left : d.run_blocks);
    if (lane == 0) run = atomicAdd(&next_run, 1);
    run = __shfl_sync(full_warp, run, 0);
  }
  __syncthreads();
  for (int i = warp; i < end - begin; i += warps) {
    const int left = runs - i * granule;
    const Pair pair = fold<T>(left < granule ? left : granule, [&](int r) { return slots[i * granule + r][lane]; });
    store_pair(g.granules + (begin + i) * 32 + lane, pair);
  }
  bool last;
  const Pair lanes = climb(g, slots, &last);
  if (!last || warp != 0) return;
  const Pair result = combine_lanes<T>(lanes);
  if (lane != 0) return;
  // Hardware adds and converts as RN does, and s and c are never -0, so that an exact zero is +0.
  if (is_finite(result.s) && is_finite(result.c)) {
    *g.p.y.data = static_cast<T>(add_rn(result.s, result.c));
  } else {
    leave_open(g.open, 0);
  }
}

struct Scratch {
  ExactScratch exact;
  Pair *granules, *groups;
};

Scratch carve(Carver& carver, const DeviceModel& model, const Division& d) {
  Scratch s;
  s.exact = ExactScratch::carve(carver, model, 1);
  s.granules = carver.take<Pair>(d.granules * 32);
  s.groups = carver.take<Pair>(d.groups * 32);
  return s;
}

}  // namespace

void dot2_dot_scratch(const DeviceModel& model, Index n, Carver& carver) { carve(carver, model, divide(model, n)); }

template <class T>
void dot2_dot(const VectorCall& call, const Dot<T>& dot) {
  if (dot.n <= 0) {
    check(cudaMemsetAsync(dot.result, 0, sizeof(T), call.stream), "DOT of nothing");
    return;
  }
  const Division d = divide(call.model, dot.n);
  Carver carver(call.scratch);
  const Scratch s = carve(carver, call.model, d);
  const Arguments<T> g{row_problem(dot), {call.state, s.exact.list}, d, s.granules, s.groups};
  dot2_dot_kernel<<<static_cast<unsigned>(d.thread_blocks), threads, 0, call.stream>>>(g);
  check_launch("dot2_dot");
  exact_rows(call, g.p, {nullptr, 0}, s.exact);
}

template void dot2_dot(const VectorCall&, const Dot<double>&);
template void dot2_dot(const VectorCall&, const Dot<float>&);

}  // namespace accublas::cuda
