// Residues of the integers that stand for binary128 numbers, pairs of doubles and doubles.
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/four_terms.hpp"
#include "cuda/quad/entries.hpp"
#include "cuda/quad/kernels.hpp"

namespace accublas::cuda {

namespace {

using converting::FourTerms;
using converting::pack;

/// A thread block converts tiles of 32 lines and 128 terms: a warp reads entries that are adjacent in memory, and then
/// has 128 terms of four lines.
constexpr int tile_lines = 32, tile_terms = 128, convert_threads = 256, warps = convert_threads / 32, blocks = 3;
constexpr int tile_bytes = tile_lines * tile_terms * static_cast<int>(sizeof(uint4));

/// Position of an entry in the tile. Lanes read every fourth term of a line, or adjacent lines, from different banks.
__device__ int cell(int line, int term) { return term * tile_lines + (line ^ (term >> 2 & 7)); }

template <int Limbs>
__global__ void __launch_bounds__(convert_threads, blocks)
    quad_convert_tiles(const __grid_constant__ QuadConversion c) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char raw[];
  ulonglong2* const tile = reinterpret_cast<ulonglong2*>(raw);
  const quad::Operand& x = c.side.entries;
  const bool aligned = reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
  const Index row = x.row_stride, col = x.col_stride;
  const bool across = lies_across(x);
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const int term_tiles = static_cast<int>(c.k_padded / tile_terms);
  const Index tiles = c.lines / tile_lines * term_tiles;
  for (Index t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Index line = t / term_tiles * tile_lines, p = t % term_tiles * tile_terms;  // of the block and the chunk
    const auto load = [&](int l, int q) {
      const Index i = c.first + line + l;
      const bool exists = i < c.side.count && p + q < c.terms;
      tile[cell(l, q)] = exists ? load_entry(x, i * row + (c.p0 + p + q) * col, aligned) : ulonglong2{0, 0};
    };
    __syncthreads();  // the tile before is converted
    if (across) {
#pragma unroll 4
      for (int q = warp; q < tile_terms; q += warps) load(lane, q);
    } else {
      for (int l = warp; l < tile_lines; l += warps)
#pragma unroll
        for (int q = 0; q < tile_terms; q += 32) load(l, q + lane);
    }
    __syncthreads();
    const int term = 4 * lane;
#pragma unroll 1
    for (int l = warp; l < tile_lines; l += warps) {
      const Index i = c.first + line + l;
      const bool wanted = i < c.side.count && c.side.facts[i].special == 0 && c.side.facts[i].norm > 0;
      const int scale = wanted ? c.side.scaling[i].scale : 0;
      FourTerms<Limbs> four;
      std::uint32_t word[Limbs][4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        std::int64_t limb[Limbs] = {};
        if (wanted) quad::cut_limbs(scaled_entry(x.format, tile[cell(l, term + j)], scale), Limbs, limb);
#pragma unroll
        for (int w = 0; w < Limbs; ++w) {
          four.limb[w][j] = static_cast<double>(limb[w]);
          word[w][j] = static_cast<std::uint32_t>(limb[w]);
        }
        four.limb[0][j] += 0.5;
      }
#pragma unroll
      for (int w = 0; w < Limbs; ++w) four.packed[w] = pack(word[w][0], word[w][1], word[w][2], word[w][3]);
      const Index at = line + l;
      std::uint8_t* to = c.out + (at / line_group * c.moduli * line_group + at % line_group) * c.k_padded + p + term;
#pragma unroll 2
      for (int m = 0; m < c.moduli; ++m, to += line_group * c.k_padded)
        *reinterpret_cast<std::uint32_t*>(to) = converting::residues(four, converting::modulus_table.modulus[m]);
    }
  }
}

}  // namespace

void quad_convert(const DeviceModel& model, const QuadConversion& c, cudaStream_t stream) {
  const auto start = [&](auto kernel) {
    allow_shared_bytes(kernel, tile_bytes, "quad_convert");
    const Index tiles = c.lines / tile_lines * (c.k_padded / tile_terms), most = Index{blocks} * model.processors;
    const LaunchShape shape{static_cast<unsigned>(tiles < most ? tiles : most), convert_threads, tile_bytes};
    launch(model, "quad_convert", kernel, shape, stream, c);
  };
  if (c.limbs <= 2) return start(quad_convert_tiles<2>);
  if (c.limbs == 3) return start(quad_convert_tiles<3>);
  start(quad_convert_tiles<4>);
}

}  // namespace accublas::cuda
