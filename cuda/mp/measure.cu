// Row and column exponents of a matrix for its aligned form, in three readings of the exponents.
#include <algorithm>
#include <climits>

#include "cuda/check.hpp"
#include "cuda/mp/align.hpp"
#include "cuda/mp/kernels.hpp"
#include "cuda/warp_reduce.hpp"

namespace accublas::cuda {

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int segment = 4096;     // rows of a column that a warp reads
constexpr int tile_columns = 64;  // that a thread of a row reads

struct Job {
  mp::Elements a;
  mp::Block block;
  MpScaling scaling;
};

__global__ void __launch_bounds__(threads) clear(const Job g) {
  const Index i = static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
  if (i < g.block.rows) g.scaling.row[i] = no_row_exponent, g.scaling.row_band[i] = 0;
  if (i < g.block.columns) g.scaling.column[i] = no_column_exponent, g.scaling.column_band[i] = 0;
  if (i == 0) *g.scaling.state = MpMatrixState{};
}

__global__ void __launch_bounds__(threads) columns_kernel(const Job g, Index tiles) {
  const int lane = threadIdx.x % 32;
  const Index j = blockIdx.x / tiles * warps + threadIdx.x / 32, first = blockIdx.x % tiles * segment;
  if (j >= g.block.columns) return;
  const Index end = min(first + segment, static_cast<Index>(g.block.rows));
  std::int32_t most = no_column_exponent;
  bool special = false;
#pragma unroll 4
  for (Index i = first + lane; i < end; i += 32) {
    const std::int32_t e = g.a.exponent[element_at(g.block, i, j)];
    if (!mp::is_special(e))
      most = max(most, e - g.a.format.precision);
    else
      special |= e != mp::exponent_zero;
  }
  for (int half = 16; half > 0; half /= 2) most = max(most, __shfl_xor_sync(0xFFFFFFFFu, most, half));
  if (lane == 0 && most != no_column_exponent) atomicMax(g.scaling.column + j, most);
  if (special) g.scaling.state->special = 1;
}

__global__ void __launch_bounds__(threads) rows_kernel(const Job g, Index tiles) {
  const Index i = blockIdx.x % tiles * threads + threadIdx.x, first = blockIdx.x / tiles * tile_columns;
  if (i >= g.block.rows) return;
  const Index end = min(first + tile_columns, static_cast<Index>(g.block.columns));
  std::int32_t least = no_row_exponent;
#pragma unroll 4
  for (Index j = first; j < end; ++j) {
    const std::int32_t e = g.a.exponent[element_at(g.block, i, j)];
    // Both exponents are of finite entries: their difference is above -2^31.
    if (!mp::is_special(e)) least = min(least, e - g.a.format.precision - g.scaling.column[j]);
  }
  if (least != no_row_exponent) atomicMin(g.scaling.row + i, least);
}

__global__ void __launch_bounds__(threads) rests_kernel(const Job g, Index tiles) {
  const Index i = blockIdx.x % tiles * threads + threadIdx.x, first = blockIdx.x / tiles * tile_columns;
  const Index end = min(first + tile_columns, static_cast<Index>(g.block.columns));
  std::int32_t rest = 0, band = 0;
  if (i < g.block.rows) {
    const std::int32_t row = g.scaling.row[i];
#pragma unroll 4
    for (Index j = first; j < end; ++j) {
      const std::int32_t e = g.a.exponent[element_at(g.block, i, j)];
      if (mp::is_special(e)) continue;
      const BandAndRest s =
          band_and_rest(static_cast<std::int64_t>(e) - g.a.format.precision - g.scaling.column[j] - row);
      rest = max(rest, s.rest);
      band = max(band, s.band);
      if (s.band > 0) atomicMax(g.scaling.column_band + j, s.band);
    }
    if (band > 0) atomicMax(g.scaling.row_band + i, band);
  }
  rest = lanes_max(rest);
  band = lanes_max(band);
  if (threadIdx.x % 32 == 0 && rest > 0) atomicMax(&g.scaling.state->largest_rest, rest);
  if (threadIdx.x % 32 == 0 && band > 0) atomicMax(&g.scaling.state->largest_band, band);
}

/// Rows and columns without a finite entry other than zero: exponent 0.
__global__ void __launch_bounds__(threads) settle(const Job g) {
  const Index i = static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
  if (i < g.block.rows && g.scaling.row[i] == no_row_exponent) g.scaling.row[i] = 0;
  if (i < g.block.columns && g.scaling.column[i] == no_column_exponent) g.scaling.column[i] = 0;
}

unsigned blocks_of(Index count, Index each) { return static_cast<unsigned>((count + each - 1) / each); }

}  // namespace

void mp_measure(const mp::Elements& a, const mp::Block& block, const MpScaling& scaling, cudaStream_t stream) {
  const Job g{a, block, scaling};
  const unsigned lines = blocks_of(std::max<Index>(1, std::max(block.rows, block.columns)), threads);
  clear<<<lines, threads, 0, stream>>>(g);
  check_launch("mp_measure");
  if (block.size() == 0) return;
  const unsigned segments = blocks_of(block.rows, segment), tiles = blocks_of(block.rows, threads);
  columns_kernel<<<blocks_of(block.columns, warps) * segments, threads, 0, stream>>>(g, segments);
  rows_kernel<<<blocks_of(block.columns, tile_columns) * tiles, threads, 0, stream>>>(g, tiles);
  rests_kernel<<<blocks_of(block.columns, tile_columns) * tiles, threads, 0, stream>>>(g, tiles);
  settle<<<lines, threads, 0, stream>>>(g);
  check_launch("mp_measure");
}

}  // namespace accublas::cuda
