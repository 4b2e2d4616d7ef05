// What the kernels that align matrices and vectors share: bands and rests, and the change of basis of a tile of
// elements.
#pragma once

#include <climits>

#include "cuda/mp/device.hpp"
#include "cuda/mp/kernels.hpp"

namespace accublas::cuda {

inline constexpr std::int32_t no_column_exponent = INT_MIN, no_row_exponent = INT_MAX;
inline constexpr int matrix_band = 64;  ///< bits of a band of a matrix

#ifdef __CUDACC__

__device__ __forceinline__ Index element_at(const mp::Block& block, Index i, Index j) {
  return block.offset + i * block.row_stride + j * block.column_stride;
}

struct BandAndRest {
  std::int32_t band, rest;
};
/// above >= 0 bits over the exponent of row and column (or of the vector).
__device__ __forceinline__ BandAndRest band_and_rest(std::int64_t above, int width = matrix_band) {
  const std::uint32_t v = static_cast<std::uint32_t>(above);  // below 2^32
  const std::uint32_t band = width == matrix_band ? v / matrix_band : v / static_cast<unsigned>(width);
  return {static_cast<std::int32_t>(band), static_cast<std::int32_t>(v - band * static_cast<unsigned>(width))};
}

/// What a thread has of a tile: `count` elements of one vector or column.
template <int count>
struct TileElements {
  Index from[count];  ///< place in the array; negative: zeros are written
  Index to[count];    ///< place in the planes; negative: nothing is written
  std::int32_t rest[count];
  bool negative[count];
};

/// Words of shared memory of a tile of `rows` factors each: factors, and what extend_tile needs besides.
constexpr int tile_words(int rows, int sharers, int count) { return 32 * count * (rows + 2 * sharers); }

/// The warps that share a tile of 32 `count` elements; a thread block has as many tiles as its warps allow.
struct TileWarp {
  int member, sharers;
  std::uint32_t* shared;  ///< of the tile: tile_words(rows, sharers, count) words
};

/// A matrix product modulo m_j: emit(j, sums) gets, for j < columns and the thread's elements c < count,
/// sum_k factors[k 32 count + lane count + c] weight[k line + j] over k < rows. A thread holds `count` elements times
/// four moduli, whose factors come from shared memory and from L1.
template <int count, class Emit>
__device__ void multiply_tile(const TileWarp& warp, const std::uint32_t* factors, int rows,
                              const std::uint32_t* weights, int line, int columns, Emit&& emit) {
  const int lane = threadIdx.x % 32, groups = line / 4;
  for (int group = warp.member; group < groups; group += warp.sharers) {
    Sum96 sums[4][count];
    const uint4* weight = reinterpret_cast<const uint4*>(weights) + group;
    const std::uint32_t* factor = factors + lane * count;
#pragma unroll(count == 1 ? 8 : 4)
    for (int k = 0; k < rows; ++k, weight += groups, factor += 32 * count) {
      std::uint32_t d[count];
      if constexpr (count == 4) {
        const uint4 four = *reinterpret_cast<const uint4*>(factor);
        d[0] = four.x, d[1] = four.y, d[2] = four.z, d[3] = four.w;
      } else {
#pragma unroll
        for (int c = 0; c < count; ++c) d[c] = factor[c];
      }
      const uint4 w = __ldg(weight);
#pragma unroll
      for (int c = 0; c < count; ++c) {
        sums[0][c].add_product(d[c], w.x);
        sums[1][c].add_product(d[c], w.y);
        sums[2][c].add_product(d[c], w.z);
        sums[3][c].add_product(d[c], w.w);
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int j = group * 4 + i;
      if (j >= columns) break;
      emit(j, sums[i]);
    }
  }
}

/// Residues of a tile's elements in some of their planes: first, first + sharers, ...
template <int count>
struct TileResidues {
  static constexpr int planes = count == 1 ? 8 : 2;
  std::uint32_t of[planes][count];
};
template <int count>
__device__ __forceinline__ TileResidues<count> load_residues(const TileWarp& warp, const MpExtension& x,
                                                             const mp::Elements& elements,
                                                             const TileElements<count>& tile, int round) {
  TileResidues<count> r;
#pragma unroll
  for (int i = 0; i < r.planes; ++i)
#pragma unroll
    for (int c = 0; c < count; ++c) {
      const int k = warp.member + (round * r.planes + i) * warp.sharers;
      r.of[i][c] = k < x.from && tile.from[c] >= 0 ? elements.digits[k * elements.stride + tile.from[c]] : 0;
    }
  return r;
}

/// The residues modulo all moduli of the extension of the tile's elements (the same in all warps that share it),
/// shifted by their rests and with their signs: planes[k plane + to]. from (to - from) multiplications an element; by
/// way of limbs they would be twice as many. Called by all threads of the thread block together; tiles have from + 1
/// rows. `residues`: of round 0.
template <int count>
__device__ void extend_tile(const TileWarp& warp, const MpExtension& x, const mp::Elements& elements,
                            const TileElements<count>& tile, TileResidues<count> residues, std::uint32_t* planes,
                            Index plane) {
  constexpr int line = 32 * count;
  const int lane = threadIdx.x % 32;
  std::uint64_t* const fractions = reinterpret_cast<std::uint64_t*>(warp.shared);  // [sharers][line]
  std::uint32_t* const factors = warp.shared + 2 * warp.sharers * line;            // [from + 1][line]
  const auto put = [&](int k, int c, std::uint32_t residue, const RnsModulus& modulus) {
    if (tile.to[c] < 0) return;
    const std::uint32_t shifted = rns_mul(residue, load_factor(x.power[k].factor + tile.rest[c]), modulus);
    planes[k * plane + tile.to[c]] = tile.negative[c] ? rns_negate(shifted, modulus) : shifted;
  };

  std::uint64_t fraction[count] = {};
  for (int round = 0; warp.member + round * residues.planes * warp.sharers < x.from; ++round) {
    if (round > 0) residues = load_residues(warp, x, elements, tile, round);
#pragma unroll
    for (int i = 0; i < residues.planes; ++i) {
      const int k = warp.member + (round * residues.planes + i) * warp.sharers;
      if (k >= x.from) break;
      const RnsModulus modulus = load_modulus(x.modulus + k);
      const RnsFactor inverse = load_factor(x.inverse + k);
#pragma unroll
      for (int c = 0; c < count; ++c) {
        put(k, c, residues.of[i][c], modulus);
        const std::uint32_t d = rns_mul(residues.of[i][c], inverse, modulus);
        factors[k * line + lane * count + c] = d;
        fraction[c] += d * modulus.barrett >> 16;
      }
    }
  }
#pragma unroll
  for (int c = 0; c < count; ++c) fractions[warp.member * line + c * 32 + lane] = fraction[c];
  __syncthreads();
  // The quotient by M, in units of 2^-48: see limb_from_residues.
  for (int c = warp.member; c < count; c += warp.sharers) {
    std::uint64_t sum = std::uint64_t{1} << 47;
    for (int w = 0; w < warp.sharers; ++w) sum += fractions[w * line + c * 32 + lane];
    factors[x.from * line + lane * count + c] = static_cast<std::uint32_t>(sum >> 48);
  }
  __syncthreads();
  multiply_tile<count>(warp, factors, x.from + 1, x.weight, x.line, x.to - x.from,
                       [&](int j, const Sum96(&sums)[count]) {
                         const int k = x.from + j;
                         const RnsModulus modulus = load_modulus(x.modulus + k);
#pragma unroll
                         for (int c = 0; c < count; ++c) put(k, c, sums[c].modulo(modulus), modulus);
                       });
}

#endif

}  // namespace accublas::cuda
