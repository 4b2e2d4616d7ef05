// dot2 GEMV. A lane has a row and one block of 128 terms of the definition at a time, and the warps of a thread block
// have the following blocks. After each round one thread per sum combines the round's pairs from left to right. If
// there are too few rows to fill the device, thread blocks share the blocks of a row; the pairs go to scratch, and a
// second kernel combines them, also in order. A block of complex numbers has half as many entries, and a pair for each
// component of the result. The kernel of cuda/vector/dot2_gemv_stream.cu is used instead if it can serve the call.
#include <algorithm>

#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/loads.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/vector/pair_row.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr Index block_terms = 128;  ///< block of the definition
template <class E>
constexpr Index block_entries = block_terms / component_count<E>;
constexpr int gemv_warps = 8, gemv_threads = 32 * gemv_warps, gemv_resident = 3;
template <class E>
constexpr int gemv_batch = 64 / sizeof(E);  ///< entries that a lane loads at a time
/// The count of entries of a chain that a warp transposes at a time. So many lanes load one chain. With complex numbers
/// they are 64 bytes of a chain, because shared memory also holds two pairs a lane.
template <class E>
constexpr int block_columns = is_complex<E> ? 64 / sizeof(E) : 16;
constexpr int ahead = 16;  ///< pairs that a thread loads at a time when it combines

/// A warp has 2^row_bits rows and 32 / 2^row_bits blocks of each; a round of a thread block has 8 times as many blocks.
/// `segments` thread blocks share a row. With more than one segment the pairs go to scratch, `chunk` blocks at a time.
struct GemvDivision {
  int row_bits;
  Index groups, segments, chunk;
  Index round() const { return gemv_warps * (32 >> row_bits); }
};

GemvDivision divide_gemv(const DeviceModel& model, Index m, Index k, int components) {
  const VectorTuning& tuning = model.tuning().vector;
  const Index blocks = ceil_div(components * k, block_terms), least_groups = tuning.half_blocks * model.processors / 2;
  GemvDivision d{5, 0, 1, blocks};
  while ((Index{1} << d.row_bits) > tuning.warp_rows && ceil_div(m, Index{1} << d.row_bits) < least_groups)
    --d.row_bits;
  while (d.row_bits > 0 && (Index{1} << (d.row_bits - 1)) >= m) --d.row_bits;
  d.groups = ceil_div(m, Index{1} << d.row_bits);
  if (d.groups < model.processors) {
    d.segments = std::clamp<Index>(Index{gemv_resident} * model.processors / d.groups, 1, ceil_div(blocks, d.round()));
    if (d.segments > 1) d.chunk = std::clamp<Index>(tuning.most_pairs / (components * m), d.round(), blocks);
  }
  return d;
}

template <class E>
struct GemvArguments {
  RowProblem<E> p;
  OpenRows open;
  int row_bits;
  Index first_block, end_block;  ///< blocks of the definition in this launch
  Index segment_blocks;          ///< blocks of a thread block
  Pair* pairs;   ///< pair (block - first_block) sums() + sum; null if one thread block has all blocks of its rows
  Pair* totals;  ///< totals of the blocks before first_block
  ACCUBLAS_HD Index sums() const { return component_count<E> * p.m; }
};

/// The row and block of a lane in a round.
struct LanePlace {
  Index row, block;
  bool exists;
};

/// The pairs of a row's sums.
template <class E>
using Pairs = Pair[component_count<E>];

/// Computes chains over a block with loads straight from A: for rows that are adjacent in memory, and for any strides.
template <class E>
struct LoadDirect {
  static constexpr int resident = sizeof(E) == sizeof(double) && !is_complex<E> ? 4 : 3;
  struct Shared {};

  __device__ static void chain(const GemvArguments<E>& g, const LanePlace& place, Index, Index, Shared&,
                               Pairs<E>& pairs) {
    if (!place.exists) return;
    const Index first = place.block * block_entries<E>, left = g.p.k - first;
    const E* a = g.p.a.data + place.row * g.p.a.row_stride + first * g.p.a.col_stride;
    const E* x = g.p.x.data + first * g.p.x.stride;
    for (int t = 0; t < block_entries<E>; t += gemv_batch<E>) {
      E u[gemv_batch<E>], v[gemv_batch<E>];
      if (left >= block_entries<E>) {
        load_spaced<1>(a, g.p.a.col_stride, u);
        load_spaced<1>(x, g.p.x.stride, v);
      } else {
        // A step with 0 times 0 changes nothing: s and c are never -0.
        load_spaced_below<1>(a, g.p.a.col_stride, left - t, u);
        load_spaced_below<1>(x, g.p.x.stride, left - t, v);
      }
#pragma unroll
      for (int j = 0; j < gemv_batch<E>; ++j) step_terms(pairs, u[j], v[j], g.p.conjugate);
      a += gemv_batch<E> * g.p.a.col_stride;
      x += gemv_batch<E> * g.p.x.stride;
    }
  }
};

/// Computes chains over a block of contiguous rows. A warp loads block_columns entries of its 32 chains and transposes
/// them through shared memory. The next loads are in flight while it computes.
template <class E>
struct LoadTransposed {
  static constexpr int resident = 2, columns = block_columns<E>;
  struct Shared {
    alignas(sizeof(E)) E tile[32][columns + 1];  // an odd row length: no bank conflicts either way
  };

  __device__ static void chain(const GemvArguments<E>& g, const LanePlace& place, Index first_row, Index first_block,
                               Shared& shared, Pairs<E>& pairs) {
    // `columns` lanes load the entries of one chain at a time, for `columns` chains from first_chain on.
    const int lane = threadIdx.x % 32, first_chain = lane / columns * columns, term = lane % columns;
    const int rows = 1 << g.row_bits, per_warp = 32 >> g.row_bits;
    const Index a_stride = g.p.a.col_stride, row_stride = g.p.a.row_stride, x_stride = g.p.x.stride;
    const E* const a = g.p.a.data + first_row * row_stride + (first_block * block_entries<E> + term) * a_stride;
    const Index first = place.block * block_entries<E>, entries = g.p.k - first_block * block_entries<E> - term;
    const E* x = g.p.x.data + first * x_stride;
    E v[columns];
    if (rows >= columns && first_row + rows <= g.p.m && (first_block + per_warp) * block_entries<E> <= g.p.k) {
      const E* p =
          a + (first_chain & (rows - 1)) * row_stride + (first_chain >> g.row_bits) * block_entries<E> * a_stride;
      E next[columns];
      load_apart(p, row_stride, next);
      for (int t = 0; t < block_entries<E>; t += columns) {
#pragma unroll
        for (int j = 0; j < columns; ++j) put(shared, first_chain + j, term, next[j]);
        __syncwarp();
        p += columns * a_stride;
        if (t + columns < block_entries<E>) load_apart(p, row_stride, next);
        load_spaced<1>(x, x_stride, v);
        add_transposed(pairs, shared, v, g.p.conjugate);
        x += columns * x_stride;
      }
      return;
    }
    for (int t = 0; t < block_entries<E>; t += columns) {
      E own[columns];
#pragma unroll
      for (int j = 0; j < columns; ++j) {
        const int row = (first_chain + j) & (rows - 1), block = (first_chain + j) >> g.row_bits;
        const Index q = block * block_entries<E> + t;
        const bool inside = first_row + row < g.p.m && q < entries;
        own[j] = inside ? load_entry(a + row * row_stride + q * a_stride) : E{};
      }
#pragma unroll
      for (int j = 0; j < columns; ++j) put(shared, first_chain + j, term, own[j]);
      __syncwarp();
      load_spaced_below<1>(x, x_stride, place.exists ? g.p.k - first - t : 0, v);
      add_transposed(pairs, shared, v, g.p.conjugate);
      x += columns * x_stride;
    }
  }

 private:
  __device__ static void load_apart(const E* p, Index stride, E (&out)[columns]) {
#pragma unroll
    for (int j = 0; j < columns; ++j, p += stride) out[j] = load_entry(p);
  }

  __device__ static void put(Shared& shared, int chain, int term, E entry) {
    if constexpr (is_complex<E>)
      *reinterpret_cast<VectorOf<E>*>(&shared.tile[chain][term]) = {entry.re, entry.im};
    else
      shared.tile[chain][term] = entry;
  }

  /// Adds the terms of the lane's own chain; then the tile is free again.
  __device__ static void add_transposed(Pairs<E>& pairs, const Shared& shared, const E (&v)[columns], bool conjugate) {
#pragma unroll
    for (int j = 0; j < columns; ++j)
      step_terms(pairs, read_shared(&shared.tile[threadIdx.x % 32][j]), v[j], conjugate);
    __syncwarp();
  }
};

template <class E, class Load>
__global__ void __launch_bounds__(gemv_threads, Load::resident) dot2_gemv_kernel(GemvArguments<E> g) {
  using T = RealOf<E>;
  constexpr int components = component_count<E>;
  __shared__ typename Load::Shared shared[gemv_warps];
  __shared__ Pair pairs[2][components][gemv_threads];  // pairs of a round: chain b of row r at b rows + r
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, rows = 1 << g.row_bits, per_warp = 32 >> g.row_bits;
  // Each of the first threads owns a sum. The first components of all rows precede the second components.
  const int row = threadIdx.x & (rows - 1), component = threadIdx.x >> g.row_bits;
  const Index first_row = static_cast<Index>(blockIdx.x) * rows, own = (first_row + row) * components + component;
  const bool owner = component < components && first_row + row < g.p.m;
  await_predecessor();
  if (is_zero(g.p.alpha.get())) {
    if (!g.pairs && owner) write_without_terms(g.p, own);
    return;
  }
  const Index begin = g.first_block + blockIdx.y * g.segment_blocks, stop = begin + g.segment_blocks;
  const Index end = stop < g.end_block ? stop : g.end_block;
  Pair total{0, 0};
  int buffer = 0;
  for (Index round = begin; round < end; round += gemv_warps * per_warp, buffer ^= 1) {
    const Index warp_block = round + warp * per_warp;
    LanePlace place{first_row + (lane & (rows - 1)), warp_block + (lane >> g.row_bits), false};
    place.exists = place.row < g.p.m && place.block < end;
    Pairs<E> chains{};
    Load::chain(g, place, first_row, warp_block, shared[warp], chains);
    if (g.pairs) {
      Pair* const to = g.pairs + (place.block - g.first_block) * g.sums() + place.row * components;
#pragma unroll
      for (int c = 0; c < components; ++c)
        if (place.exists) store_pair(to + c, chains[c]);
      continue;
    }
#pragma unroll
    for (int c = 0; c < components; ++c) pairs[buffer][c][threadIdx.x] = chains[c];
    __syncthreads();
    if (!owner) continue;
    // The other threads begin the next round in the other buffer.
    const int count = end - round < gemv_warps * per_warp ? static_cast<int>(end - round) : gemv_warps * per_warp;
    for (int b = 0; b < count; ++b) total = combine<T>(total, pairs[buffer][component][b * rows + row]);
  }
  if (!g.pairs && owner) finish_by_pair(g.p, g.open, own, total);
}

/// Combines the pairs of a chunk of blocks. Each thread has a sum. The launch of the last chunk finishes the sums.
template <class E>
__global__ void __launch_bounds__(32) dot2_gemv_combine(GemvArguments<E> g) {
  using T = RealOf<E>;
  await_predecessor();
  const Index sum = static_cast<Index>(blockIdx.x) * 32 + threadIdx.x, sums = g.sums(),
              blocks = ceil_div(g.p.k, block_entries<E>);
  if (sum >= sums) return;
  if (is_zero(g.p.alpha.get())) {
    if (g.end_block == blocks) write_without_terms(g.p, sum);
    return;
  }
  Pair total{0, 0};
  if (g.first_block > 0) total = load_pair(g.totals + sum);
  const Pair* const pairs = g.pairs + sum;
  const Index count = g.end_block - g.first_block;
  Index b = 0;
  for (; b + ahead <= count; b += ahead) {
    Pair next[ahead];
#pragma unroll
    for (int j = 0; j < ahead; ++j) next[j] = load_pair(pairs + (b + j) * sums);
#pragma unroll
    for (int j = 0; j < ahead; ++j) total = combine<T>(total, next[j]);
  }
  for (; b < count; ++b) total = combine<T>(total, load_pair(pairs + b * sums));
  if (g.end_block == blocks) {
    finish_by_pair(g.p, g.open, sum, total);
  } else {
    store_pair(g.totals + sum, total);
  }
}

struct GemvScratch {
  ExactScratch exact;
  Pair *pairs, *totals;
};

GemvScratch carve_gemv(Carver& carver, const DeviceModel& model, const GemvDivision& d, Index sums) {
  GemvScratch s;
  s.exact = ExactScratch::carve(carver, model, sums);
  const bool split = d.segments > 1;
  s.pairs = carver.take<Pair>(split ? d.chunk * sums : 0);
  s.totals = carver.take<Pair>(split ? sums : 0);
  return s;
}

template <class E>
void launch_pairs(const VectorCall& call, const GemvArguments<E>& g, const GemvDivision& d) {
  const auto size = [](Index stride) { return stride < 0 ? -stride : stride; };
  const dim3 grid(static_cast<unsigned>(d.groups),
                  static_cast<unsigned>(ceil_div(g.end_block - g.first_block, g.segment_blocks)));
  if (size(g.p.a.col_stride) < size(g.p.a.row_stride)) {
    launch(call.model, "dot2_gemv", dot2_gemv_kernel<E, LoadTransposed<E>>, {grid, gemv_threads}, call.stream, g);
  } else {
    launch(call.model, "dot2_gemv", dot2_gemv_kernel<E, LoadDirect<E>>, {grid, gemv_threads}, call.stream, g);
  }
}

}  // namespace

void dot2_gemv_scratch(const DeviceModel& model, Index m, Index k, int components, Carver& carver) {
  carve_gemv(carver, model, divide_gemv(model, m, k, components), components * m);
}

template <class E>
void dot2_gemv(const VectorCall& call, const Gemv<E>& gemv, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta) {
  if (gemv.m <= 0 || gemv.k <= 0) return;
  if (dot2_gemv_stream(call, row_problem(gemv, alpha, beta))) return;
  constexpr int components = component_count<E>;
  const GemvDivision d = divide_gemv(call.model, gemv.m, gemv.k, components);
  Carver carver(call.scratch);
  const GemvScratch s = carve_gemv(carver, call.model, d, components * gemv.m);
  const Index blocks = ceil_div(gemv.k, block_entries<E>);
  GemvArguments<E> g{
      row_problem(gemv, alpha, beta), {call.state, s.exact.list}, d.row_bits, 0, blocks, blocks, nullptr, s.totals};
  if (d.segments == 1) {
    launch_pairs(call, g, d);
  } else {
    g.pairs = s.pairs;
    for (; g.first_block < blocks; g.first_block += d.chunk) {
      g.end_block = std::min(g.first_block + d.chunk, blocks);
      g.segment_blocks = round_up(ceil_div(g.end_block - g.first_block, d.segments), d.round());
      launch_pairs(call, g, d);
      launch(call.model, "dot2_gemv_combine", dot2_gemv_combine<E>, {static_cast<unsigned>(ceil_div(g.sums(), 32)), 32},
             call.stream, g);
    }
  }
  exact_rows(call, g.p, {nullptr, 0}, s.exact);
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void dot2_gemv(const VectorCall&, const Gemv<E>&, Scalar<RealOf<E>>, Scalar<RealOf<E>>);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
