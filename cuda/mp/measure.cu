// Measures the row and column exponents of a matrix for its aligned form, in three readings of the exponents.
#include <algorithm>
#include <climits>

#include "cuda/core/launch.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/mp/align.hpp"
#include "cuda/mp/kernels.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int measure_threads = 256, measure_warps = measure_threads / 32;
constexpr int batch = 8;                 // entries that a thread loads together
constexpr int segment = 32 * batch;      // rows of a column that a warp reads
constexpr int tile_columns = 2 * batch;  // columns of a row that a thread reads

struct MeasureJob {
  mp::Elements a;
  mp::Block block;
  MpScaling scaling;
  MpMatrixState* readback;  ///< null, or memory for a copy of the state
};

__global__ void __launch_bounds__(measure_threads) clear(const MeasureJob g) {
  await_predecessor();
  const Index i = static_cast<Index>(blockIdx.x) * measure_threads + threadIdx.x;
  if (i < g.block.rows) g.scaling.row[i] = no_row_exponent, g.scaling.row_band[i] = 0;
  if (i < g.block.columns) g.scaling.column[i] = no_column_exponent, g.scaling.column_band[i] = 0;
  if (i == 0) *g.scaling.state = MpMatrixState{};
}

__global__ void __launch_bounds__(measure_threads) columns_kernel(const MeasureJob g, Index tiles) {
  await_predecessor();
  const int lane = threadIdx.x % 32;
  const Index j = blockIdx.x / tiles * measure_warps + threadIdx.x / 32, first = blockIdx.x % tiles * segment;
  if (j >= g.block.columns) return;
  const Index end = min(first + segment, static_cast<Index>(g.block.rows));
  std::int32_t most = no_column_exponent, exponent[batch];
  bool special = false;
#pragma unroll
  for (int u = 0; u < batch; ++u) {
    const Index i = first + lane + 32 * u;
    exponent[u] = i < end ? g.a.exponent[element_at(g.block, i, j)] : mp::exponent_zero;
  }
#pragma unroll
  for (int u = 0; u < batch; ++u) {
    if (!mp::is_special(exponent[u]))
      most = max(most, exponent[u] - g.a.format.precision);
    else
      special |= exponent[u] != mp::exponent_zero;
  }
  for (int half = 16; half > 0; half /= 2) most = max(most, __shfl_xor_sync(0xFFFFFFFFu, most, half));
  if (lane == 0 && most != no_column_exponent) atomicMax(g.scaling.column + j, most);
  if (special) g.scaling.state->special = 1;
}

/// Sets *to to max(*to, value), both at least 0. It reads *to first, since few values exceed the maximum so far.
__device__ __forceinline__ void raise(std::int32_t* to, std::int32_t value) {
  if (value > 0 && value > __ldcg(to)) atomicMax(to, value);
}

/// Calls use(j, exponent - p - c_j) for the finite entries of row i in columns first .. end - 1.
template <class Use>
__device__ __forceinline__ void for_entries(const MeasureJob& g, Index i, Index first, Index end, Use&& use) {
  for (Index j = first; j < end; j += batch) {
    std::int32_t exponent[batch], column[batch];
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      const bool here = j + u < end;
      exponent[u] = here ? g.a.exponent[element_at(g.block, i, j + u)] : mp::exponent_zero;
      column[u] = here ? g.scaling.column[j + u] : 0;
    }
#pragma unroll
    for (int u = 0; u < batch; ++u)
      if (!mp::is_special(exponent[u])) use(j + u, exponent[u] - g.a.format.precision - column[u]);
  }
}

__global__ void __launch_bounds__(measure_threads) rows_kernel(const MeasureJob g, Index tiles) {
  await_predecessor();
  const Index i = blockIdx.x % tiles * measure_threads + threadIdx.x, first = blockIdx.x / tiles * tile_columns;
  if (i >= g.block.rows) return;
  const Index end = min(first + tile_columns, static_cast<Index>(g.block.columns));
  std::int32_t least = no_row_exponent;
  // Both exponents belong to finite entries, so their difference is above -2^31.
  for_entries(g, i, first, end, [&](Index, std::int32_t above_column) { least = min(least, above_column); });
  if (least != no_row_exponent) atomicMin(g.scaling.row + i, least);
}

__global__ void __launch_bounds__(measure_threads) rests_kernel(const MeasureJob g, Index tiles) {
  await_predecessor();
  const Index i = blockIdx.x % tiles * measure_threads + threadIdx.x, first = blockIdx.x / tiles * tile_columns;
  const Index end = min(first + tile_columns, static_cast<Index>(g.block.columns));
  std::int32_t rest = 0, band = 0;
  if (i < g.block.rows) {
    const std::int64_t row = g.scaling.row[i];
    for_entries(g, i, first, end, [&](Index j, std::int32_t above_column) {
      const BandAndRest s = band_and_rest(above_column - row);
      rest = max(rest, s.rest);
      band = max(band, s.band);
      if (s.band > 0) raise(g.scaling.column_band + j, s.band);
    });
    if (band > 0) atomicMax(g.scaling.row_band + i, band);
  }
  rest = lanes_max(rest);
  band = lanes_max(band);
  if (threadIdx.x % 32 != 0) return;
  raise(&g.scaling.state->largest_rest, rest);
  raise(&g.scaling.state->largest_band, band);
}

/// Gives exponent 0 to rows and columns without a finite nonzero entry, and copies the state to `readback`.
__global__ void __launch_bounds__(measure_threads) finish_measure(const MeasureJob g) {
  await_predecessor();
  const Index i = static_cast<Index>(blockIdx.x) * measure_threads + threadIdx.x;
  if (i < g.block.rows && g.scaling.row[i] == no_row_exponent) g.scaling.row[i] = 0;
  if (i < g.block.columns && g.scaling.column[i] == no_column_exponent) g.scaling.column[i] = 0;
  if (i == 0 && g.readback) *g.readback = *g.scaling.state;
}

unsigned measure_blocks(Index count, Index each) { return static_cast<unsigned>(ceil_div(count, each)); }

}  // namespace

void mp_measure(const DeviceModel& model, const mp::Elements& a, const mp::Block& block, const MpScaling& scaling,
                MpMatrixState* readback, cudaStream_t stream) {
  const MeasureJob g{a, block, scaling, readback};
  const auto run = [&](auto* kernel, unsigned blocks, auto... tiles) {
    launch(model, "mp_measure", kernel, {blocks, measure_threads}, stream, g, tiles...);
  };
  const unsigned lines = measure_blocks(std::max<Index>(1, std::max(block.rows, block.columns)), measure_threads);
  run(clear, lines);
  if (block.size() > 0) {
    const unsigned segments = measure_blocks(block.rows, segment), tiles = measure_blocks(block.rows, measure_threads),
                   across = measure_blocks(block.columns, tile_columns);
    run(columns_kernel, measure_blocks(block.columns, measure_warps) * segments, segments);
    run(rows_kernel, across * tiles, tiles);
    run(rests_kernel, across * tiles, tiles);
  }
  run(finish_measure, lines);
}

}  // namespace accublas::cuda
