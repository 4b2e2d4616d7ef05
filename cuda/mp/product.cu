// Multiplies an aligned matrix with vectors, by a residue product per modulus: the matrix is read once, at memory
// speed.
//
// N: a thread block works in one modulus plane. A thread has four rows and takes every WJ-th column of its segment; the
// next four 16-byte loads are in flight while it multiplies. T: a warp has two columns, with eight loads of A in
// flight. Sums stay exact in 96 bits (terms below 2^62) and are reduced once. The last thread block to arrive adds up
// the segments of the inner dimension: sums modulo m do not depend on the order. Each residue takes 3.7 (N) and 5.8 (T)
// instructions; memory leaves time for 31.
#include <algorithm>

#include "cuda/core/arrival.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/loads.hpp"
#include "cuda/mp/device.hpp"
#include "cuda/mp/kernels.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int product_threads = 256, product_warps = product_threads / 32;
constexpr int unroll = 4;            // N: columns, T: quads of rows that are loaded at a time
constexpr int pair = 2;              // T: columns of a warp
constexpr int product_resident = 4;  // thread blocks on a multiprocessor
constexpr Index most_terms = 6144;   // N: words of a segment of the vectors, kept in shared memory

__device__ __forceinline__ std::uint32_t component(const uint4& v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/// Four sums, one for each component of the added quads.
struct Quad {
  Sum96 sum[4];
  __device__ __forceinline__ void add(const uint4& a, std::uint32_t z) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i].add_product(component(a, i), z);
  }
  __device__ __forceinline__ uint4 modulo(const RnsModulus& modulus) const {
    return make_uint4(sum[0].modulo(modulus), sum[1].modulo(modulus), sum[2].modulo(modulus), sum[3].modulo(modulus));
  }
};

/// Sums of residues; each has fewer than 2^33 terms.
struct QuadOfResidues {
  std::uint64_t sum[4] = {0, 0, 0, 0};
  __device__ __forceinline__ void add(const uint4& v) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i] += component(v, i);
  }
  __device__ __forceinline__ uint4 modulo(const RnsModulus& modulus) const {
    return make_uint4(rns_reduce(sum[0], modulus), rns_reduce(sum[1], modulus), rns_reduce(sum[2], modulus),
                      rns_reduce(sum[3], modulus));
  }
};

template <int columns>
__global__ void __launch_bounds__(product_threads, columns == 1 ? product_resident : product_resident / 2)
    product_rows(const MpResidueProduct p, const MpProductPlan plan) {
  extern __shared__ std::uint32_t z_segment[];  // [columns][terms, and zeros for what the last batch may read beyond]
  __shared__ uint4 of_group[columns][product_threads];
  const int t = threadIdx.x, lanes = plan.lanes, groups = product_threads / lanes, group = t / lanes;
  const Index k = blockIdx.z, segment = blockIdx.y;
  const Index quads = ceil_div(p.m, 4), quad = static_cast<Index>(blockIdx.x) * lanes + t % lanes;
  if (!holds_some(p.triangle, 4 * static_cast<Index>(blockIdx.x) * lanes, 4 * lanes, p.first, p.columns))
    return await_predecessor();
  const Index first = segment * plan.terms;
  const int terms = static_cast<int>(min(plan.terms, p.n - first)), z_line = terms + groups * unroll;
  // Threads beyond the last row repeat it and write nothing. Loads beyond the last column repeat a column, times zero.
  const uint4* a = reinterpret_cast<const uint4*>(p.a + k * p.plane + (first + (group < terms ? group : 0)) * p.ld) +
                   min(quad, quads - 1);
  const std::uint32_t step = static_cast<std::uint32_t>(groups * (p.ld / 4));
  int left = ceil_div(terms - group, groups);  // columns that have not been loaded

  uint4 even[unroll], odd[unroll];
  const auto load_by = [&](uint4(&v)[unroll], auto&& load_one) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      v[u] = load_one(a);
      a += --left > 0 ? step : 0;
    }
  };
  const auto load = [&](uint4(&v)[unroll]) { load_by(v, ptx::load_once); };
  load_by(even, ptx::load_once_early);
  // The columns after these are prefetched into L2 meanwhile.
  if (plan.ahead > 0 && t % 8 == 0) {
    const uint4* next = a;
    for (int u = 0; u < plan.ahead && u < left; ++u, next += step) ptx::prefetch_line(next);
  }
  await_predecessor();
#pragma unroll
  for (int r = 0; r < columns; ++r) {
    const std::uint32_t* const z =
        p.z + (min(r, p.columns - 1) * static_cast<Index>(p.moduli) + k) * p.z_stride + first;
    for (int q = t; q < z_line; q += product_threads) z_segment[r * z_line + q] = q < terms ? __ldcg(z + q) : 0;
  }
  __syncthreads();

  Quad sums[columns];
  const std::uint32_t* z = z_segment + group;
  const auto work = [&](const uint4(&v)[unroll]) {
#pragma unroll
    for (int u = 0; u < unroll; ++u, z += groups)
#pragma unroll
      for (int r = 0; r < columns; ++r) sums[r].add(v[u], z[r * z_line]);
  };
  while (true) {
    const bool second = left > 0;
    if (second) load(odd);
    work(even);
    if (!second) break;
    const bool third = left > 0;
    if (third) load(even);
    work(odd);
    if (!third) break;
  }

  const RnsModulus modulus = load_modulus(p.modulus + k);
#pragma unroll
  for (int r = 0; r < columns; ++r) of_group[r][t] = sums[r].modulo(modulus);
  __syncthreads();
  const bool writes = t < lanes && quad < quads;
  const auto at = [&](std::uint32_t* base, Index part, int r) {
    const Index line = (part * p.columns + r) * p.moduli + k;
    return reinterpret_cast<uint4*>(base + line * p.y_stride) + quad;
  };
  const bool split = gridDim.y > 1;
  if (writes) {
#pragma unroll
    for (int r = 0; r < columns; ++r) {
      if (r >= p.columns) break;
      QuadOfResidues sum;
      for (int g = 0; g < groups; ++g) sum.add(of_group[r][t + g * lanes]);
      __stcg(at(split ? p.partial : p.y, split ? segment : 0, r), sum.modulo(modulus));
    }
  }
  if (!split || !last_to_arrive(p.tickets + k * gridDim.x + blockIdx.x, gridDim.y) || !writes) return;
  for (int r = 0; r < p.columns; ++r) {
    QuadOfResidues sum;
#pragma unroll 8
    for (int s = 0; s < gridDim.y; ++s) sum.add(__ldcg(at(p.partial, s, r)));
    *at(p.y, 0, r) = sum.modulo(modulus);
  }
}

/// Returns to lane 0 the sum of the lanes' residues, modulo m.
__device__ __forceinline__ std::uint32_t warp_sum(std::uint32_t residue, const RnsModulus& modulus) {
  std::uint64_t sum = residue;
#pragma unroll
  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(full_warp, sum, half);
  return rns_reduce(sum, modulus);
}

template <int columns>
__global__ void __launch_bounds__(product_threads) product_columns(const MpResidueProduct p, const MpProductPlan plan) {
  constexpr int steps = columns == 1 ? unroll : unroll / 2;
  __shared__ std::uint32_t of_warp[columns][pair][product_warps];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, sharers = plan.lanes, part = warp % sharers;
  const Index k = blockIdx.z, segment = blockIdx.y;
  const Index first_column = (static_cast<Index>(blockIdx.x) * (product_warps / sharers) + warp / sharers) * pair;
  const Index block_columns = Index{product_warps / sharers} * pair;
  if (!holds_some(p.triangle, blockIdx.x * block_columns, block_columns, p.first, p.columns))
    return await_predecessor();
  const Index first = segment * plan.terms;
  const int quads = static_cast<int>(ceil_div(min(plan.terms, p.m - first), 4));
  const int stride = 32 * sharers;
  // A column beyond the last one repeats it and is not written.
  const uint4* a[pair];
#pragma unroll
  for (int c = 0; c < pair; ++c)
    a[c] = reinterpret_cast<const uint4*>(p.a + k * p.plane + min(first_column + c, p.n - 1) * p.ld + first);
  const std::uint32_t* const z = p.z + k * p.z_stride + first;
  const Index z_column = static_cast<Index>(p.moduli) * p.z_stride;

  uint4 v[steps][pair];
  const auto load = [&](int quad, auto&& load_one) {
#pragma unroll
    for (int u = 0; u < steps; ++u)
#pragma unroll
      for (int c = 0; c < pair; ++c) {
        const int q = quad + u * stride;
        v[u][c] = q < quads ? load_one(a[c] + q) : make_uint4(0, 0, 0, 0);
      }
  };
  int quad = part * 32 + lane;
  load(quad, ptx::load_once_early);
  // The loads after these are prefetched into L2 meanwhile.
  if (plan.ahead > 0)
#pragma unroll
    for (int c = 0; c < pair; ++c)
      for (int q = (steps * sharers + part) * 32 + lane % 4 * 8, u = lane / 4; u < plan.ahead; u += 8) {
        const int line = q + u * stride;
        if (line < quads) ptx::prefetch_line(a[c] + line);
      }
  await_predecessor();
  Sum96 sums[columns][pair];
  while (true) {
#pragma unroll
    for (int r = 0; r < columns; ++r) {
      const uint4* const z_r = reinterpret_cast<const uint4*>(z + min(r, p.columns - 1) * z_column);
      uint4 w[steps];
#pragma unroll
      for (int u = 0; u < steps; ++u)
        w[u] = quad + u * stride < quads ? z_r[quad + u * stride] : make_uint4(0, 0, 0, 0);
#pragma unroll
      for (int u = 0; u < steps; ++u)
#pragma unroll
        for (int c = 0; c < pair; ++c)
#pragma unroll
          for (int i = 0; i < 4; ++i) sums[r][c].add_product(component(v[u][c], i), component(w[u], i));
    }
    quad += steps * stride;
    if (quad - lane >= quads) break;
    load(quad, ptx::load_once);
  }

  const RnsModulus modulus = load_modulus(p.modulus + k);
#pragma unroll
  for (int r = 0; r < columns; ++r)
#pragma unroll
    for (int c = 0; c < pair; ++c) {
      const std::uint32_t sum = warp_sum(sums[r][c].modulo(modulus), modulus);
      if (lane == 0) of_warp[r][c][warp] = sum;
    }
  if (sharers > 1)
    __syncthreads();
  else
    __syncwarp();
  const int r = lane / pair, c = lane % pair;  // output of this lane, in the first warp that shares the columns
  const bool writes = part == 0 && r < p.columns && r < columns && first_column + c < p.n;
  const auto at = [&](std::uint32_t* base, Index s) {
    return base + ((s * p.columns + r) * p.moduli + k) * p.y_stride + first_column + c;
  };
  const bool split = gridDim.y > 1;
  if (writes) {
    std::uint64_t sum = 0;
    for (int w = 0; w < sharers; ++w) sum += of_warp[r][c][warp + w];
    __stcg(at(split ? p.partial : p.y, split ? segment : 0), rns_reduce(sum, modulus));
  }
  if (!split || !last_to_arrive(p.tickets + k * gridDim.x + blockIdx.x, gridDim.y) || !writes) return;
  std::uint64_t sum = 0;
#pragma unroll 8
  for (int s = 0; s < gridDim.y; ++s) sum += __ldcg(at(p.partial, s));
  *at(p.y, 0) = rns_reduce(sum, modulus);
}

}  // namespace

MpProductPlan plan_mp_product(const DeviceModel& model, Index m, Index n, int moduli, bool transposed, int columns) {
  // Measured for n = 1000 and 4000 on compute capability 9.0. Thread blocks that begin at the same moment read a large
  // matrix more slowly: those of N by 15 to 30 %, and those of T when they prefetched. For a small matrix an early
  // start gains the time that the alignment of the vectors takes: 1 us of 4.
  const MpTuning& tuning = model.tuning().mp;
  const Index bytes = 4 * m * n * moduli;
  const bool early = transposed || bytes <= tuning.early_bytes;
  const int ahead = bytes > tuning.early_bytes    ? 0
                    : !transposed                 ? tuning.ahead_rows
                    : bytes > tuning.cached_bytes ? tuning.ahead_columns
                                                  : 0;
  const auto make = [&](int lanes, Index wanted) {
    const Index terms = transposed ? m : n, outputs = transposed ? n : m;
    const Index of_block = transposed ? Index{product_warps / lanes} * pair : Index{lanes} * 4;
    const Index of_segment = std::max<Index>(4, round_up(ceil_div(terms, wanted), 4));
    return MpProductPlan{
        lanes, static_cast<int>(ceil_div(terms, of_segment)), of_segment, ceil_div(outputs, of_block), early, ahead};
  };
  const auto blocks = [&](const MpProductPlan& plan) { return plan.tiles * plan.segments * moduli; };
  if (transposed) {
    // Uses as few warps a column, and as few segments, as fill the device, each with at least two steps of its loop.
    const Index enough = tuning.resident_columns * model.processors;
    MpProductPlan plan = make(1, 1);
    for (int lanes = 2; lanes <= product_warps && blocks(plan) < enough && m >= Index{lanes} * 256 * unroll; lanes *= 2)
      plan = make(lanes, 1);
    for (Index segments = 2;
         segments <= tuning.most_segments && blocks(plan) < enough && m >= segments * plan.lanes * 256 * unroll;
         ++segments)
      plan = make(plan.lanes, segments);
    return plan;
  }
  const Index least_segments = ceil_div(n, most_terms / (columns <= 2 ? columns : mp_columns));
  // Measured for n = 1000 and 4000, with 8 to 112 moduli, on compute capability 9.0: within 4 % of the best plan. Short
  // sums are best in one round of up to two thread blocks a multiprocessor without segments. Otherwise the smallest
  // blocks are best, in eight segments; if the blocks are few, they have as many segments as fill a round, or two
  // rounds if that takes many segments.
  const Index round = tuning.resident * model.processors;
  if (n <= tuning.short_sum)
    for (int lanes = 32; lanes <= product_threads / 2; lanes *= 2) {
      const MpProductPlan plan = make(lanes, 1);
      if (blocks(plan) <= round && 2 * blocks(plan) > round) return plan;
    }
  const Index one = blocks(make(32, 1));
  const Index wanted = one > round ? tuning.segments : one * 4 > round ? round / one : 2 * round / one;
  // two steps of the loop in each segment
  const Index most = std::max<Index>(1, n / (product_threads / 32 * unroll * 2));
  return make(32, std::max(least_segments, std::min({wanted, most, Index{tuning.most_segments}})));
}

void mp_product(const DeviceModel& model, const MpResidueProduct& p, const MpProductPlan& plan, bool transposed,
                cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(plan.tiles), static_cast<unsigned>(plan.segments),
                  static_cast<unsigned>(p.moduli));
  const auto run = [&](const char* name, auto* kernel, std::size_t shared) {
    DeviceModel how = model;
    how.hopper_kernels = model.hopper_kernels && plan.early;
    launch(how, name, kernel, {grid, product_threads, shared}, stream, p, plan);
  };
  const auto segment_bytes = [&](int columns) {
    return static_cast<std::size_t>(columns * (plan.terms + product_threads / plan.lanes * unroll)) *
           sizeof(std::uint32_t);
  };
  if (transposed) {
    if (p.columns == 1) return run("product_columns", product_columns<1>, 0);
    if (p.columns == 2) return run("product_columns", product_columns<2>, 0);
    return run("product_columns", product_columns<4>, 0);
  }
  if (p.columns == 1) return run("product_rows", product_rows<1>, segment_bytes(1));
  if (p.columns == 2) return run("product_rows", product_rows<2>, segment_bytes(2));
  return run("product_rows", product_rows<4>, segment_bytes(4));
}

}  // namespace accublas::cuda
