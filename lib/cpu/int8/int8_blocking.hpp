// How the CPU's int8 engine cuts a product: pure functions of sizes. No bit of a result depends on them.
#pragma once

#include <cstddef>
#include <string>

#include "lib/call/problem.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas {

/// Limbs of a' with abs(a') <= 2^t, see Int8Conversion.
int int8_limbs(int t);

/// Bytes between planes of so many bytes (a multiple of 64) that are read or written side by side: 128 more than a
/// multiple of 256, so that 32 of them meet in no set of the first-level cache.
constexpr Index int8_plane(Index bytes) { return bytes + (384 - bytes % 256) % 256; }
/// Bytes between rows of so many terms. Rows that lie a multiple of 4096 bytes apart would share the sets of the
/// first-level cache.
constexpr Index int8_row_stride(Index chunk) { return chunk % 512 == 0 ? chunk + 64 : chunk; }
constexpr Index int8_tile_plane(Index tile_rows, Index tile_cols) { return int8_plane((tile_rows + 32) * tile_cols); }

/// How a product is cut. rows x cols tiles are the unit of work of a thread; the residues of a block of rows and a
/// block of columns are kept over a chunk of k. With more than one chunk, the residues of the block's results are kept
/// too.
struct Int8Blocking {
  Index tile_rows, tile_cols;
  Index block_rows, block_cols;  ///< multiples of the tile
  Index chunk;                   ///< multiple of 64, at most int8_most_terms
  Index chunks;
  Index row_stride;                                ///< bytes between rows of the rows' residues
  int planes;                                      ///< moduli
  std::size_t row_bytes, col_bytes, result_bytes;  ///< buffers of the block

  Index row_plane() const { return int8_plane((block_rows + 32) * row_stride); }
  Index col_plane() const { return int8_plane(block_cols * chunk); }
  Index tile_plane() const { return int8_tile_plane(tile_rows, tile_cols); }
  std::string describe() const;
};

/// Tile shape for m x n results on `threads` threads; `available` bytes of workspace may hold the tiles of fewer only.
void int8_tile(const cpu::Int8Tuning& tuning, Index m, Index n, int& threads, std::size_t available, Index& tile_rows,
               Index& tile_cols);

/// Blocking of a product with `planes` moduli (or 1: the certificate's) in at most `available` bytes; result_size is
/// that of one result of a tile and modulus. The least blocking, one tile and 64 terms, is returned even where it needs
/// more.
Int8Blocking int8_blocking(Index m, Index n, Index k, int planes, Index tile_rows, Index tile_cols,
                           std::size_t result_size, int threads, std::size_t available);

}  // namespace accublas
