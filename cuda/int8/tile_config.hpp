// Tile shapes of the product kernels.
#pragma once

namespace accublas::cuda {

/// Tile shapes. A cluster's tile is rows cluster x cols of C; its blocks share the columns' bytes.
struct TileConfig {
  int rows, cols;  ///< of C, a block
  int step;        ///< bytes of k in shared memory at a time
  int stages;      ///< steps in flight
  int cluster;     ///< blocks along the rows
  int threads;
  int blocks;          ///< resident on a multiprocessor
  int raster_rows;     ///< tiles are taken column by column inside stripes of this many rows
  int lockstep_steps;  ///< steps between two meetings of the blocks; 0: none
  constexpr int cluster_rows() const { return rows * cluster; }
  constexpr int stage_bytes() const { return (rows + cols) * step; }
};
// Slower on an H200: 64-byte steps in 8 stages, 192 x 256 tiles, clusters of 4.
inline constexpr TileConfig hopper_tiles{128, 256, 128, 4, 2, 384, 1, 2048, 2};
// 64 KiB of shared memory and 128 accumulators a thread, which every device has.
inline constexpr TileConfig portable_tiles{128, 128, 128, 2, 1, 128, 2, 1024, 0};

}  // namespace accublas::cuda
