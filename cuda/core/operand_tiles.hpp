// Visits a block of an operand tile by tile through shared memory. This serves kernels that write along the terms,
// whatever the strides of the operand.
#pragma once

#include "cuda/core/operand.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

/// Entries p0 .. p0 + terms - 1 of lines first .. first + count - 1, followed by zeros up to terms_padded, a multiple
/// of 32.
template <class T>
struct OperandBlock {
  Operand<T> operand;
  Index first, count;
  Index p0, terms, terms_padded;
};

/// A tile has 32 lines x 32 terms; blocks of 32 x 8 threads read it.
struct OperandTile {
  static constexpr int side = 32, rows = 8;
};

/// Returns the number of thread blocks to launch for for_entries.
template <class T>
unsigned tile_blocks(const OperandBlock<T>& x) {
  constexpr Index side = OperandTile::side, most = 65536;
  const Index tiles = x.terms_padded / side * ceil_div(x.count, side);
  return static_cast<unsigned>(tiles < most ? tiles : most);
}

/// Returns whether the terms have the smaller stride; tiles are read along the smaller stride.
template <class T>
bool lies_along_terms(const Operand<T>& x) {
  const auto magnitude = [](Index stride) { return stride < 0 ? -stride : stride; };
  return magnitude(x.k_stride) <= magnitude(x.stride);
}

#ifdef __CUDACC__
/// Calls body(i, p, x) for every entry of the block, where x is entry p0 + p of line first + i. Neighbouring lanes have
/// neighbouring p.
template <class T, class Body>
__device__ __forceinline__ void for_entries(const OperandBlock<T>& block, bool along_terms, Body&& body) {
  constexpr int tile = OperandTile::side, tile_rows = OperandTile::rows;
  __shared__ T part[tile][tile + 1];  // [line][term]
  const Index term_tiles = block.terms_padded / tile, tiles = term_tiles * ceil_div(block.count, tile);
  const Operand<T>& operand = block.operand;
  const int lane = static_cast<int>(threadIdx.x), first = static_cast<int>(threadIdx.y);
  for (Index t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Index p = t % term_tiles * tile, i = t / term_tiles * tile;
    T x[tile / tile_rows];  // issues all loads before it waits for the first
#pragma unroll
    for (int q = 0; q < tile / tile_rows; ++q) {
      const int line = along_terms ? first + q * tile_rows : lane, term = along_terms ? lane : first + q * tile_rows;
      const bool exists = i + line < block.count && p + term < block.terms;
      x[q] = exists ? operand.data[(block.first + i + line) * operand.stride + (block.p0 + p + term) * operand.k_stride]
                    : T(0);
    }
#pragma unroll
    for (int q = 0; q < tile / tile_rows; ++q)
      (along_terms ? part[first + q * tile_rows][lane] : part[lane][first + q * tile_rows]) = x[q];
    __syncthreads();
    for (int line = first; line < tile && i + line < block.count; line += tile_rows)
      body(i + line, p + lane, part[line][lane]);
    __syncthreads();
  }
}
#endif

}  // namespace accublas::cuda
