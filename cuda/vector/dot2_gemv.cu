// dot2 GEMV. A lane has a row and one block of 128 terms of the definition at a time, and the warps of a thread block
// have the following blocks. After each round one thread per row combines the round's pairs from left to right. If
// there are too few rows to fill the device, thread blocks share the blocks of a row; the pairs go to scratch, and a
// second kernel combines them, also in order. The kernel of cuda/vector/dot2_gemv_stream.cu is used instead if it can
// serve the call.
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
constexpr int gemv_warps = 8, gemv_threads = 32 * gemv_warps, gemv_resident = 3;
template <class T>
constexpr int gemv_batch = 64 / sizeof(T);  ///< terms that a lane loads at a time
constexpr int block_columns = 16;           ///< terms of a chain that a warp transposes at a time, half a warp a chain
constexpr int ahead = 16;                   ///< pairs that a thread loads at a time when it combines

/// A warp has 2^row_bits rows and 32 / 2^row_bits blocks of each; a round of a thread block has 8 times as many blocks.
/// `segments` thread blocks share a row. With more than one segment the pairs go to scratch, `chunk` blocks at a time.
struct GemvDivision {
  int row_bits;
  Index groups, segments, chunk;
  Index round() const { return gemv_warps * (32 >> row_bits); }
};

GemvDivision divide_gemv(const DeviceModel& model, Index m, Index k) {
  const VectorTuning& tuning = model.tuning().vector;
  const Index blocks = ceil_div(k, block_terms), least_groups = tuning.half_blocks * model.processors / 2;
  GemvDivision d{5, 0, 1, blocks};
  while ((Index{1} << d.row_bits) > tuning.warp_rows && ceil_div(m, Index{1} << d.row_bits) < least_groups)
    --d.row_bits;
  while (d.row_bits > 0 && (Index{1} << (d.row_bits - 1)) >= m) --d.row_bits;
  d.groups = ceil_div(m, Index{1} << d.row_bits);
  if (d.groups < model.processors) {
    d.segments = std::clamp<Index>(Index{gemv_resident} * model.processors / d.groups, 1, ceil_div(blocks, d.round()));
    if (d.segments > 1) d.chunk = std::clamp<Index>(tuning.most_pairs / m, d.round(), blocks);
  }
  return d;
}

template <class T>
struct GemvArguments {
  RowProblem<T> p;
  OpenRows open;
  int row_bits;
  Index first_block, end_block;  ///< blocks of the definition in this launch
  Index segment_blocks;          ///< blocks of a thread block
  Pair* pairs;   ///< null: one thread block has all blocks of its rows. Pair (block - first_block) m + row
  Pair* totals;  ///< totals of the blocks before first_block
};

/// The row and block of a lane in a round.
struct LanePlace {
  Index row, block;
  bool exists;
};

/// Computes chains over a block with loads straight from A: for rows that are adjacent in memory, and for any strides.
template <class T>
struct LoadDirect {
  static constexpr int resident = sizeof(T) == sizeof(double) ? 4 : 3;
  struct Shared {};

  __device__ static Pair chain(const GemvArguments<T>& g, const LanePlace& place, Index, Index, Shared&) {
    Pair pair{0, 0};
    if (!place.exists) return pair;
    const Index first = place.block * block_terms, left = g.p.k - first;
    const T* a = g.p.a.data + place.row * g.p.a.row_stride + first * g.p.a.col_stride;
    const T* x = g.p.x.data + first * g.p.x.stride;
    for (int t = 0; t < block_terms; t += gemv_batch<T>) {
      T u[gemv_batch<T>], v[gemv_batch<T>];
      if (left >= block_terms) {
        load_spaced<1>(a, g.p.a.col_stride, u);
        load_spaced<1>(x, g.p.x.stride, v);
      } else {
        // A step with 0 times 0 changes nothing: s and c are never -0.
        load_spaced_below<1>(a, g.p.a.col_stride, left - t, u);
        load_spaced_below<1>(x, g.p.x.stride, left - t, v);
      }
#pragma unroll
      for (int j = 0; j < gemv_batch<T>; ++j) step(pair, u[j], v[j]);
      a += gemv_batch<T> * g.p.a.col_stride;
      x += gemv_batch<T> * g.p.x.stride;
    }
    return pair;
  }
};

/// For contiguous rows: a warp loads 16 terms of its 32 chains, 128 bytes each, and transposes them through shared
/// memory. The next loads are in flight while it computes.
template <class T>
struct LoadTransposed {
  static constexpr int resident = 2;
  struct Shared {
    T tile[32][block_columns + 1];  // an odd row length: no bank conflicts either way
  };

  __device__ static Pair chain(const GemvArguments<T>& g, const LanePlace& place, Index first_row, Index first_block,
                               Shared& shared) {
    // Half a warp loads the terms of one chain at a time, and has 16 chains: rows of a block, or half of 32 rows.
    const int lane = threadIdx.x % 32, half = lane / block_columns * 16, term = lane % block_columns;
    const int rows = 1 << g.row_bits, per_warp = 32 >> g.row_bits;
    const Index a_stride = g.p.a.col_stride, row_stride = g.p.a.row_stride, x_stride = g.p.x.stride;
    const T* const a = g.p.a.data + first_row * row_stride + (first_block * block_terms + term) * a_stride;
    const Index first = place.block * block_terms, terms = g.p.k - first_block * block_terms - term;
    const T* x = g.p.x.data + first * x_stride;
    Pair pair{0, 0};
    T v[block_columns];
    if (rows >= 16 && first_row + rows <= g.p.m && (first_block + per_warp) * block_terms <= g.p.k) {
      const T* p = a + (half & (rows - 1)) * row_stride + (half >> g.row_bits) * block_terms * a_stride;
      T next[block_columns];
      load_apart(p, row_stride, next);
      for (int t = 0; t < block_terms; t += block_columns) {
#pragma unroll
        for (int j = 0; j < block_columns; ++j) shared.tile[half + j][term] = next[j];
        __syncwarp();
        p += block_columns * a_stride;
        if (t + block_columns < block_terms) load_apart(p, row_stride, next);
        load_spaced<1>(x, x_stride, v);
        add_transposed(pair, shared, v);
        x += block_columns * x_stride;
      }
      return pair;
    }
    for (int t = 0; t < block_terms; t += block_columns) {
      T own[block_columns];
#pragma unroll
      for (int j = 0; j < block_columns; ++j) {
        const int row = (half + j) & (rows - 1), block = (half + j) >> g.row_bits, q = block * block_terms + t;
        const bool inside = first_row + row < g.p.m && q < terms;
        own[j] = inside ? __ldg(a + row * row_stride + q * a_stride) : T(0);
      }
#pragma unroll
      for (int j = 0; j < block_columns; ++j) shared.tile[half + j][term] = own[j];
      __syncwarp();
      load_spaced_below<1>(x, x_stride, place.exists ? g.p.k - first - t : 0, v);
      add_transposed(pair, shared, v);
      x += block_columns * x_stride;
    }
    return pair;
  }

 private:
  __device__ static void load_apart(const T* p, Index stride, T (&out)[block_columns]) {
#pragma unroll
    for (int j = 0; j < block_columns; ++j, p += stride) out[j] = __ldg(p);
  }

  /// Adds the terms of the lane's own chain; then the tile is free again.
  __device__ static void add_transposed(Pair& pair, const Shared& shared, const T (&v)[block_columns]) {
#pragma unroll
    for (int j = 0; j < block_columns; ++j) step(pair, shared.tile[threadIdx.x % 32][j], v[j]);
    __syncwarp();
  }
};

template <class T, class Load>
__global__ void __launch_bounds__(gemv_threads, Load::resident) dot2_gemv_kernel(GemvArguments<T> g) {
  __shared__ typename Load::Shared shared[gemv_warps];
  __shared__ Pair pairs[2][gemv_threads];  // pairs of a round: chain b of row r at b rows + r
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, rows = 1 << g.row_bits, per_warp = 32 >> g.row_bits;
  const Index first_row = static_cast<Index>(blockIdx.x) * rows, own_row = first_row + threadIdx.x;
  const bool owner = threadIdx.x < rows && own_row < g.p.m;
  await_predecessor();
  if (is_zero(g.p.alpha.get())) {
    if (!g.pairs && owner) write_without_terms(g.p, own_row);
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
    const Pair pair = Load::chain(g, place, first_row, warp_block, shared[warp]);
    if (g.pairs) {
      if (place.exists) store_pair(g.pairs + (place.block - g.first_block) * g.p.m + place.row, pair);
      continue;
    }
    pairs[buffer][threadIdx.x] = pair;
    __syncthreads();
    if (!owner) continue;
    // The other threads begin the next round in the other buffer.
    const int count = end - round < gemv_warps * per_warp ? static_cast<int>(end - round) : gemv_warps * per_warp;
    for (int b = 0; b < count; ++b) total = combine<T>(total, pairs[buffer][b * rows + threadIdx.x]);
  }
  if (!g.pairs && owner) finish_pair_of_row(g.p, g.open, own_row, total);
}

/// Combines the pairs of a chunk of blocks, a thread a row; the last chunk finishes the rows.
template <class T>
__global__ void __launch_bounds__(32) dot2_gemv_combine(GemvArguments<T> g) {
  await_predecessor();
  const Index row = static_cast<Index>(blockIdx.x) * 32 + threadIdx.x, blocks = ceil_div(g.p.k, block_terms);
  if (row >= g.p.m) return;
  if (is_zero(g.p.alpha.get())) {
    if (g.end_block == blocks) write_without_terms(g.p, row);
    return;
  }
  Pair total{0, 0};
  if (g.first_block > 0) total = load_pair(g.totals + row);
  const Pair* const pairs = g.pairs + row;
  const Index count = g.end_block - g.first_block;
  Index b = 0;
  for (; b + ahead <= count; b += ahead) {
    Pair next[ahead];
#pragma unroll
    for (int j = 0; j < ahead; ++j) next[j] = load_pair(pairs + (b + j) * g.p.m);
#pragma unroll
    for (int j = 0; j < ahead; ++j) total = combine<T>(total, next[j]);
  }
  for (; b < count; ++b) total = combine<T>(total, load_pair(pairs + b * g.p.m));
  if (g.end_block == blocks) {
    finish_pair_of_row(g.p, g.open, row, total);
  } else {
    store_pair(g.totals + row, total);
  }
}

struct GemvScratch {
  ExactScratch exact;
  Pair *pairs, *totals;
};

GemvScratch carve_gemv(Carver& carver, const DeviceModel& model, const GemvDivision& d, Index m) {
  GemvScratch s;
  s.exact = ExactScratch::carve(carver, model, m);
  const bool split = d.segments > 1;
  s.pairs = carver.take<Pair>(split ? d.chunk * m : 0);
  s.totals = carver.take<Pair>(split ? m : 0);
  return s;
}

template <class T>
void launch_pairs(const VectorCall& call, const GemvArguments<T>& g, const GemvDivision& d) {
  const auto size = [](Index stride) { return stride < 0 ? -stride : stride; };
  const dim3 grid(static_cast<unsigned>(d.groups),
                  static_cast<unsigned>(ceil_div(g.end_block - g.first_block, g.segment_blocks)));
  if (size(g.p.a.col_stride) < size(g.p.a.row_stride)) {
    launch(call.model, "dot2_gemv", dot2_gemv_kernel<T, LoadTransposed<T>>, {grid, gemv_threads}, call.stream, g);
  } else {
    launch(call.model, "dot2_gemv", dot2_gemv_kernel<T, LoadDirect<T>>, {grid, gemv_threads}, call.stream, g);
  }
}

}  // namespace

void dot2_gemv_scratch(const DeviceModel& model, Index m, Index k, Carver& carver) {
  carve_gemv(carver, model, divide_gemv(model, m, k), m);
}

template <class T>
void dot2_gemv(const VectorCall& call, const Gemv<T>& gemv, Scalar<T> alpha, Scalar<T> beta) {
  if (gemv.m <= 0 || gemv.k <= 0) return;
  if (dot2_gemv_stream(call, row_problem(gemv, alpha, beta))) return;
  const GemvDivision d = divide_gemv(call.model, gemv.m, gemv.k);
  Carver carver(call.scratch);
  const GemvScratch s = carve_gemv(carver, call.model, d, gemv.m);
  const Index blocks = ceil_div(gemv.k, block_terms);
  GemvArguments<T> g{
      row_problem(gemv, alpha, beta), {call.state, s.exact.list}, d.row_bits, 0, blocks, blocks, nullptr, s.totals};
  if (d.segments == 1) {
    launch_pairs(call, g, d);
  } else {
    g.pairs = s.pairs;
    for (; g.first_block < blocks; g.first_block += d.chunk) {
      g.end_block = std::min(g.first_block + d.chunk, blocks);
      g.segment_blocks = round_up(ceil_div(g.end_block - g.first_block, d.segments), d.round());
      launch_pairs(call, g, d);
      launch(call.model, "dot2_gemv_combine", dot2_gemv_combine<T>, {static_cast<unsigned>(ceil_div(gemv.m, 32)), 32},
             call.stream, g);
    }
  }
  exact_rows(call, g.p, {nullptr, 0}, s.exact);
}

template void dot2_gemv(const VectorCall&, const Gemv<double>&, Scalar<double>, Scalar<double>);
template void dot2_gemv(const VectorCall&, const Gemv<float>&, Scalar<float>, Scalar<float>);

}  // namespace accublas::cuda
