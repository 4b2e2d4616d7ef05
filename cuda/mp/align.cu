// The planes of a matrix from its elements: a thread block takes a piece of a column.
#include "cuda/mp/align.hpp"

namespace accublas::cuda {

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr std::size_t shared_limit = 48 * 1024,
                      shared_wanted = 32 * 1024;  // so that four or more thread blocks are resident

struct Job {
  mp::Elements a;
  mp::Block block;
  MpScaling scaling;
  MpExtension extension;
  MpAligned aligned;
  Index tiles;  ///< of a column
  int sharers;  ///< warps of a tile
};

template <int count>
__global__ void __launch_bounds__(threads) align_kernel(const Job g) {
  extern __shared__ uint4 shared[];
  const int number = threadIdx.x / 32 / g.sharers, words = tile_words(g.extension.from + 1, g.sharers, count);
  const TileWarp warp{static_cast<int>(threadIdx.x) / 32 % g.sharers, g.sharers,
                      reinterpret_cast<std::uint32_t*>(shared) + number * words};
  const Index tile_number = static_cast<Index>(blockIdx.x) * (warps / g.sharers) + number;
  const Index j = tile_number / g.tiles, first = tile_number % g.tiles * (32 * count);
  const bool exists = j < g.block.columns;
  TileElements<count> tile;
#pragma unroll
  for (int c = 0; c < count; ++c) {
    const Index i = first + c * 32 + threadIdx.x % 32;
    tile.to[c] = exists && i < g.aligned.ld ? j * g.aligned.ld + i : -1;
    tile.from[c] = -1;
    tile.rest[c] = 0;
    tile.negative[c] = false;
    BandAndRest s{0, 0};
    if (exists && i < g.block.rows) {
      // The residues of zeros, infinities and NaN are zero already: nothing that is loaded waits for the exponent.
      const Index at = element_at(g.block, i, j);
      const std::int32_t e = g.a.exponent[at];
      const BandAndRest finite =
          band_and_rest(static_cast<std::int64_t>(e) - g.a.format.precision - g.scaling.column[j] - g.scaling.row[i]);
      if (!mp::is_special(e)) s = finite;
      tile.from[c] = at;
      tile.rest[c] = s.rest;
      tile.negative[c] = g.a.sign[at] != 0;
    }
    if (g.aligned.band && tile.to[c] >= 0 && warp.member == 0) g.aligned.band[tile.to[c]] = s.band;
  }
  extend_tile(warp, g.extension, g.a, tile, load_residues(warp, g.extension, g.a, tile, 0), g.aligned.a,
              g.aligned.plane);
}

/// Shared memory of a thread block.
std::size_t shared_bytes(int from, int sharers, int count) {
  return static_cast<std::size_t>(warps / sharers * tile_words(from + 1, sharers, count)) * sizeof(std::uint32_t);
}

template <int count>
void align(Job g, cudaStream_t stream) {
  g.tiles = (g.aligned.ld + 32 * count - 1) / (32 * count);
  g.sharers = 1;
  while (g.sharers < warps && shared_bytes(g.extension.from, g.sharers, count) > shared_wanted) g.sharers *= 2;
  const Index of_block = warps / g.sharers, blocks = (g.tiles * g.block.columns + of_block - 1) / of_block;
  align_kernel<count>
      <<<static_cast<unsigned>(blocks), threads, shared_bytes(g.extension.from, g.sharers, count), stream>>>(g);
  check_launch("mp_align");
}

}  // namespace

void mp_align(const mp::Elements& a, const mp::Block& block, const MpScaling& scaling, const MpExtension& extension,
              const MpAligned& aligned, cudaStream_t stream) {
  if (block.size() == 0) return;
  const Job g{a, block, scaling, extension, aligned, 0, 0};
  // Four elements a thread where their factors fit into shared memory and the columns are long enough.
  if (block.rows > 32 && shared_bytes(extension.from, warps, 4) <= shared_limit) return align<4>(g, stream);
  align<1>(g, stream);
}

}  // namespace accublas::cuda
