// Which tiles of a block of C each thread block of the reconstruction takes. Device code.
#pragma once

#include "cuda/core/wanted.hpp"
#include "cuda/int8/tile_state.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda::reconstructing {

/// Strips side by side of a tile, and its rows.
struct TileShape {
  int strips, rows;
};
/// Chooses the tiles. All thread blocks get the same number of tiles, and not more than needed. A tile has at least a
/// row for each warp. If `narrow` is set, tiles have the fewest strips with which a thread block has one tile, because
/// the facts about its columns take as long as some rows. If results have two components, more strips are faster. If a
/// thread block has more than one tile of a triangle, it gets eight or more narrow tiles instead. These have fewer
/// columns beyond the diagonal, and thread blocks with less to do there take further tiles. At n = 8192 that saves a
/// third of the time; at 4096 it saves nothing, because each tile also costs 26 us.
__device__ inline TileShape tile_shape(int rows, int cols, bool triangle, bool narrow) {
  const auto strips_of = [&](int most) {
    int strips = 1;
    while (strips < most && strips * strip < cols) strips *= 2;
    return strips;
  };
  const int warps = warps_of_block(), most_strips = strips_of(warps);
  int strips = narrow ? 1 : most_strips;
  int across = ceil_div(cols, strips * strip), blocks = static_cast<int>(gridDim.x), each = 1;
  const auto height = [&] { return ceil_div(rows, max(each * blocks / across, 1)); };
  while (strips < most_strips && (across > blocks || height() > most_rows)) {
    strips *= 2;
    across = ceil_div(cols, strips * strip);
  }
  if (triangle && height() > most_rows) {
    strips = strips_of(2);
    across = ceil_div(cols, strips * strip) + 1;  // half of these, with the diagonal's
    blocks *= 2;
    each = 8;
  }
  while (height() > most_rows) ++each;
  return {strips, max(height(), warps / strips)};
}

/// The tiles that rows from `row` on may want, of `count` tiles side by side, each of `width` columns of C from `col`
/// on.
struct TileRange {
  Index first, end;
};
__device__ inline TileRange wanted_tiles(const Wanted& wanted, Index row, Index rows, Index col, Index width,
                                         Index count) {
  if (wanted.part == Triangle::upper) return {min(max(wanted.diagonal(row) - col, Index{0}) / width, count), count};
  if (wanted.part == Triangle::lower) {
    const Index beyond = max(wanted.diagonal(row + rows - 1) + wanted.parts - col, Index{0});
    return {0, min(ceil_div(beyond, width), count)};
  }
  return {0, count};
}

/// Calls body(tile) for the block's tiles that are wanted, with what all of them need in `b`. All threads call.
/// `triangles`: less than all of C may be wanted.
template <bool triangles, class T, class Numbers, class Body>
__device__ __forceinline__ void for_tiles(const ReconstructArguments<T>& a, BlockState<T, Numbers>& b, Body&& body) {
  const PassPlan& plan = a.state->pass[a.index];
  if (!plan.active) return;
  const Index cols_in_all = a.cols.count / Numbers::parts;
  const Index first_row = a.row_block * plan.block_rows, first_col = a.col_block * plan.block_cols;
  if (first_row >= a.rows.count || first_col >= cols_in_all) return;
  const int rows = static_cast<int>(min(plan.block_rows, a.rows.count - first_row));
  const int cols = static_cast<int>(min(plan.block_cols, cols_in_all - first_col));
  if (threadIdx.x == 0) {
    b.plan = plan;
    b.factors = classify(a.alpha.get(), a.beta.get());
  }
  for (int part = 0; part < Numbers::parts; ++part)
    load_leading_weights(Numbers::leading_bytes(plan.moduli, part), plan.planes(), b.weights[part]);
  const TileShape shape = tile_shape(rows, cols, triangles && !a.wanted.all(), Numbers::parts == 1);
  const int strips = shape.strips, tile_rows = shape.rows, tile_cols = strips * strip;
  const int across = ceil_div(cols, tile_cols), blocks = static_cast<int>(gridDim.x);
  const bool whole = !triangles || a.wanted.all();
  int row = 0;
  Index before = 0;  // wanted tiles of the rows above
  for (int next = static_cast<int>(blockIdx.x);; next += blocks) {
    int col = 0;
    if (whole) {
      row = next / across * tile_rows, col = next % across * tile_cols;
      if (row >= rows) return;
    } else {
      TileRange here;
      for (;; before += here.end - here.first, row += tile_rows) {
        if (row >= rows) return;
        here = wanted_tiles(a.wanted, first_row + row, min(tile_rows, rows - row), Numbers::parts * first_col,
                            Numbers::parts * tile_cols, across);
        if (next < before + here.end - here.first) break;
      }
      col = static_cast<int>(here.first + next - before) * tile_cols;
    }
    const Tile tile{row, col, min(tile_rows, rows - row), min(tile_cols, cols - col), strips};
    __syncthreads();  // the lines of the tile before are not needed any more
    load_lines(a, tile, b);
    __syncthreads();
    body(tile);
  }
}

}  // namespace accublas::cuda::reconstructing
