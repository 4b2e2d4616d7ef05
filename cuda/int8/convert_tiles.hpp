// Tiles of an operand in shared memory, for the kernels that turn its entries into bytes (convert.cu,
// convert_certificate.cu). A block takes tiles of 32 lines by 128 or 256 terms: it reads them along the operand's unit
// stride, and a lane then has four or eight consecutive terms of its warp's lines, so that bytes are written in whole
// rows of 128 or 256. For .cu files.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "cuda/core/arithmetic.hpp"
#include "cuda/core/call_group.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/blocking.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda::converting {

/// Tiles with `Terms` terms, a multiple of 128, and the blocks that take them: two of a multiprocessor, or one twice as
/// large.
inline constexpr int tile_lines = 32;
template <int Terms>
struct Shape {
  static constexpr int terms = Terms, quads = terms / 128;  ///< a lane has `quads` times four terms of a line
  static constexpr int threads = 2 * terms, warps = threads / 32, blocks_a_processor = 512 / threads;
  static constexpr int lines_a_warp = tile_lines / warps, terms_a_lane = 4 * quads;

  /// Entry (line, term) of the tile in shared memory: a gap after every 16 terms and an odd pitch, so that neither 32
  /// adjacent lines nor every fourth or eighth term of a line meet in one bank. Places add up while terms modulo 16 do
  /// not carry.
  static constexpr int pitch = terms + terms / 16 + 1;
  __device__ static constexpr int at(int line, int term) { return line * pitch + term + term / 16; }
};
/// Longer rows are written faster (by 3 to 5 % at n >= 8192), but want 140 KB of shared memory, and more tiles than
/// small matrices have.
using LongRows = Shape<256>;
using ShortRows = Shape<128>;

template <class Shape>
ACCUBLAS_HD constexpr int k_tiles(Index k_padded) {
  return static_cast<int>(ceil_div(k_padded, Shape::terms));
}

/// Sum of a[j] 256^j, modulo 2^32.
__device__ inline std::uint32_t pack(std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3) {
  return a0 + (a1 << 8) + ((a2 + (a3 << 8)) << 16);
}

/// The scale of a vector: its entries are multiplied by `first`, then by `second`.
struct LineScale {
  double first, second;
  bool wanted;  ///< exists, and has finite entries other than zero
};
__device__ inline LineScale line_scale_of(bool wanted, int exponent) {
  const PowerScale scale = power_scale(wanted ? exponent : 0);
  return {scale.first, scale.second, wanted};
}

template <class T, class Shape>
struct Buffer {
  T tile[tile_lines * Shape::pitch];
  LineScale line[tile_lines];
};
template <class T, class Shape>
constexpr std::size_t shared_bytes = 2 * sizeof(Buffer<T, Shape>);

/// 32 lines from `line` and the terms of a tile from entry `entry` of them on; those that exist are below `lines`, and
/// `terms` of the entries. The others are zero.
template <class T>
struct Tile {
  Operand<T> x;
  Index line, lines, entry, terms;
};

template <class T>
__device__ void copy_or_clear(T* to, const T* from, const Tile<T>& t, bool exists) {
  __pipeline_memcpy_async(to, exists ? from : t.x.data, sizeof(T), exists ? 0 : sizeof(T));
}

/// Starts the copy of a tile: a warp takes 32 lines of every entry whose turn it is, or all entries of a line, 32 at a
/// time.
template <class Shape, class T>
__device__ void start_copy(const Tile<T>& t, T* to) {
  constexpr int warps = Shape::warps;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const Index stride = t.x.stride, k_stride = t.x.k_stride;
  const int lines = t.lines - t.line < tile_lines ? static_cast<int>(t.lines - t.line) : tile_lines;
  const int terms = t.terms < Shape::terms ? static_cast<int>(t.terms) : Shape::terms;
  static_assert(warps % 2 == 0, "a thread's lines, and its entries, are all first ones of pairs or second ones");
  if ((stride < 0 ? -stride : stride) < (k_stride < 0 ? -k_stride : k_stride)) {
    const T* from = t.x.at(t.line + lane, t.entry + warp);
    to += Shape::at(lane, warp);
#pragma unroll
    for (int i = 0; i < Shape::terms / warps; ++i) {
      copy_or_clear(to + Shape::at(0, warps * i), from, t, lane < lines && warp + warps * i < terms);
      from += warps * k_stride;
    }
  } else {
    const T* from = t.x.at(t.line + warp, t.entry + lane);
    to += Shape::at(warp, lane);
#pragma unroll
    for (int i = 0; i < tile_lines / warps; ++i) {
#pragma unroll
      for (int j = 0; j < Shape::terms / 32; ++j)
        copy_or_clear(to + Shape::at(warps * i, 32 * j), from + j * 32 * k_stride, t,
                      warp + warps * i < lines && lane + 32 * j < terms);
      from += warps * stride;
    }
  }
  __pipeline_commit();
}

/// Converts this block's share of those of `count` tiles that are wanted: wanted(t), tile_of(t), scale_of(t, line in
/// the tile), convert(t, buffer).
template <class T, class Shape, class IsWanted, class TileOf, class ScaleOf, class Convert>
__device__ __forceinline__ void for_tiles(int count, IsWanted&& wanted, TileOf&& tile_of, ScaleOf&& scale_of,
                                          Convert&& convert) {
  extern __shared__ double raw[];
  using Buffers = Buffer<T, Shape>;
  Buffers* const buffers = reinterpret_cast<Buffers*>(raw);
  const auto start = [&](int t, Buffers& buffer) {
    start_copy<Shape>(tile_of(t), buffer.tile);
    if (threadIdx.x < tile_lines) buffer.line[threadIdx.x] = scale_of(t, static_cast<int>(threadIdx.x));
  };
  const int blocks = static_cast<int>(gridDim.x);
  const auto from = [&](int t) {
    while (t < count && !wanted(t)) t += blocks;
    return t;
  };
  int now = 0, t = from(static_cast<int>(blockIdx.x));
  if (t < count) start(t, buffers[0]);
  while (t < count) {
    const int next = from(t + blocks);
    __pipeline_wait_prior(0);
    __syncthreads();  // this tile is there, and the one before is converted
    if (next < count) start(next, buffers[now ^ 1]);
    convert(t, buffers[now]);
    t = next;
    now ^= 1;
  }
}

/// Whether products read a tile of `tile_terms` terms from `term` on, which begins `in_chunk` terms after the chunk's
/// first one. They read the chunk's first terms even where all terms are zeros (steps_of in product_tiles.hpp).
/// needed: by the tile's group of lines.
__device__ inline bool terms_are_read(const TermRange& needed, Index term, int tile_terms, Index in_chunk) {
  return in_chunk == 0 || (term < needed.end && needed.first < term + tile_terms);
}

/// The number of blocks that run at once, for `tiles` tiles; in a group for each product.
template <class Shape>
dim3 grid(const DeviceModel& device, Index tiles, const GroupStride& group = {}) {
  const Index most = Index{Shape::blocks_a_processor} * device.processors;
  return {static_cast<unsigned>(group.blocks_of_product(tiles < most ? tiles : most, most, tiles, 0.5)),
          group.grid_rows()};
}

/// Lets a kernel have more shared memory than it gets unasked.
template <class T, class Shape, class Kernel>
void allow_shared_memory(Kernel kernel) {
  allow_shared_bytes(kernel, shared_bytes<T, Shape>, "convert");
}

}  // namespace accublas::cuda::converting
