// Operands to bytes: residues of the scaled integers a', every plane in rows of 128 or 256 bytes.
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/lines/scaling.hpp"
#include "cuda/residues/convert.hpp"
#include "cuda/residues/convert_tiles.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

namespace {

using namespace converting;

constexpr Index enough_tiles = 16;  ///< of LongRows, for each multiprocessor

constexpr int limb_bits = int8_limb_bits;
/// For abs(a') <= 2^bits: a single limb is at most 2^51; of several, the top one is at most 2^43.
__device__ int limbs_of(int bits) {
  return bits <= 51 ? 1 : bits <= limb_bits + 43 ? 2 : bits <= 2 * limb_bits + 43 ? 3 : 4;
}

/// One modulus p. With weights w_i = 2^(limb_bits i) mod p, abs(w_i) <= 128, the integer x = sum_i w_i limb_i is
/// congruent to a', and abs(x) <= 2^50 + 2 2^48 + 2^41 < 2^51. x + 1/2 is a double, and at least 1 / (2 p) from every
/// multiple of p over p; times the rounded inverse it is off by at most 2^51 2^-53 / p. So floor((x + 1/2) inverse) =
/// floor(x / p) =: q, and x - p q is the residue in 0 .. p - 1.
struct Modulus {
  double inverse;
  double weight[4];
  int minus_p;
  int integer_weight[4];
};
struct ModulusTable {
  Modulus modulus[max_moduli];
};
constexpr ModulusTable make_modulus_table() {
  constexpr ModuliList list = moduli_list();
  ModulusTable t{};
  for (int l = 0; l < max_moduli; ++l) {
    Modulus& m = t.modulus[l];
    m.inverse = 1.0 / list.p[l];
    m.minus_p = -list.p[l];
    for (int i = 0; i < 4; ++i) {
      m.integer_weight[i] = power_of_two_residue(limb_bits * i, list.p[l]);
      m.weight[i] = m.integer_weight[i];
    }
  }
  return t;
}
__constant__ ModulusTable modulus_table = make_modulus_table();

/// Four consecutive terms of a line in `Limbs` limbs, and the same packed, modulo 2^32. Limb 0 of each is 1/2 too
/// large.
template <int Limbs>
struct FourTerms {
  double limb[Limbs][4];
  std::uint32_t packed[Limbs];
};

/// The line's scale is 2^(scale - limb_bits (Limbs - 1)). What the top limb leaves is exact, at most 1/2, and gives
/// the next ones; the last is rounded to nearest even, and with it a', since the others are even in its units.
template <int Limbs, class T>
__device__ FourTerms<Limbs> take_apart(const T* terms, const LineScale& line) {
  FourTerms<Limbs> t;
  std::uint32_t word[Limbs][4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    double x = line.wanted ? terms[j] * line.first : 0, scale = line.second;
#pragma unroll
    for (int i = Limbs - 1; i >= 0; --i) {
      const double rounded = __fma_rn(x, scale, round_to_integer);
      word[i][j] = low_word(rounded);
      t.limb[i][j] = rounded - round_to_integer;
      x = __fma_rn(x, scale, -t.limb[i][j]);
      scale = static_cast<double>(1ll << limb_bits);
    }
    t.limb[0][j] += 0.5;
  }
#pragma unroll
  for (int i = 0; i < Limbs; ++i) t.packed[i] = pack(word[i][0], word[i][1], word[i][2], word[i][3]);
  return t;
}

/// The four residues modulo m, a byte each: all are in 0 .. p - 1, so one product serves them all.
template <int Limbs>
__device__ std::uint32_t residues(const FourTerms<Limbs>& t, const Modulus& m) {
  std::uint32_t quotient[4], x = t.packed[0];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    double y = t.limb[0][j];
#pragma unroll
    for (int i = 1; i < Limbs; ++i) y = __fma_rn(t.limb[i][j], m.weight[i], y);
    quotient[j] = low_word(fma_down(y, m.inverse, round_to_integer));
  }
#pragma unroll
  for (int i = 1; i < Limbs; ++i) x += t.packed[i] * static_cast<std::uint32_t>(m.integer_weight[i]);
  return x + pack(quotient[0], quotient[1], quotient[2], quotient[3]) * static_cast<std::uint32_t>(m.minus_p);
}

/// Stores a lane's terms of a line: long rows past the cache, which would not hold them until they are read.
__device__ inline void store_terms(std::uint8_t* to, const std::uint32_t (&x)[1]) {
  *reinterpret_cast<std::uint32_t*>(to) = x[0];
}
__device__ inline void store_terms(std::uint8_t* to, const std::uint32_t (&x)[2]) {
  __stcs(reinterpret_cast<uint2*>(to), uint2{x[0], x[1]});
}

/// Residues of the warp's lines, some lines at a time, of the tile's terms below `terms`. `out`: of the lane's
/// terms of the warp's first line, plane 0.
template <int Limbs, class Shape, class T>
__device__ void write_residues(const Buffer<T, Shape>& shared, int moduli, Index k_padded, int terms,
                               std::uint8_t* out) {
  constexpr int quads = Shape::quads, together = (Limbs == 1 ? 4 : Limbs == 2 ? 2 : quads) / quads;
  const int line = threadIdx.x / 32 * Shape::lines_a_warp, term = threadIdx.x % 32 * Shape::terms_a_lane;
  if (term >= terms) return;
#pragma unroll 1
  for (int i = 0; i < Shape::lines_a_warp; i += together) {
    FourTerms<Limbs> t[together][quads];
#pragma unroll
    for (int r = 0; r < together; ++r)
#pragma unroll
      for (int q = 0; q < quads; ++q)
        t[r][q] = take_apart<Limbs>(&shared.tile[Shape::at(line + i + r, term) + 4 * q], shared.line[line + i + r]);
    std::uint8_t* to = out + i * k_padded;
#pragma unroll 2
    for (int l = 0; l < moduli; ++l) {
#pragma unroll
      for (int r = 0; r < together; ++r) {
        std::uint32_t bytes[quads];
#pragma unroll
        for (int q = 0; q < quads; ++q) bytes[q] = residues(t[r][q], modulus_table.modulus[l]);
        store_terms(to + r * k_padded, bytes);
      }
      to += line_group * k_padded;
    }
  }
}

/// Lines of a block, rounded up to whole groups, and its tiles; 2^31 of these would be more than any memory.
struct Tiles {
  Index first;
  int across, k_tiles;
  __device__ int count() const { return across * k_tiles; }
};

template <class T>
struct ConvertSides {
  ConvertSide<T> side[2];
};

template <class Shape, class T>
__device__ Tiles tiles_of(const ConvertSide<T>& side, Index block_lines, Index k_padded) {
  if (!side.wanted) return {0, 0, 1};
  const Index first = side.block * block_lines, left = side.operand.count - first;
  const Index lines = left <= 0 ? 0 : padded_lines(left < block_lines ? left : block_lines);
  return {first, static_cast<int>(lines / tile_lines), k_tiles<Shape>(k_padded)};
}

/// Tiles with k fastest: blocks that run together then write neighbouring rows.
template <class T, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_a_processor)
    convert_sides(const __grid_constant__ ConvertSides<T> sides, const PassPlan* plan_pointer, Index p0, Index terms,
                  Index k_padded) {
  await_predecessor();
  const PassPlan plan = *plan_pointer;
  if (!plan.active) return;
  // The host launches as many blocks as a plan can need; this one may have fewer. At n = 8192 the columns of a block of
  // rows that is not there took 422 us.
  const auto missing = [](const ConvertSide<T>& side, Index lines) { return side.block * lines >= side.operand.count; };
  if (missing(sides.side[0], plan.block_rows) || missing(sides.side[1], plan.block_cols)) return;
  const Tiles rows = tiles_of<Shape>(sides.side[0], plan.block_rows, k_padded);
  const Tiles cols = tiles_of<Shape>(sides.side[1], plan.block_cols, k_padded);
  // Tile t of all.
  struct Place {
    bool row;
    Index first;
    int line, p;  // first line of the block, first line of the tile in it, first term of the tile in the chunk
    int bits, limbs;
  };
  const auto place = [&](int t) {
    const bool row = t < rows.count();
    const Tiles& tiles = row ? rows : cols;
    if (!row) t -= rows.count();
    return Place{row,
                 tiles.first,
                 t / tiles.k_tiles * tile_lines,
                 t % tiles.k_tiles * Shape::terms,
                 row ? plan.row_bits : plan.col_bits,
                 limbs_of(row ? plan.row_peak : plan.col_peak)};
  };
  for_tiles<T, Shape>(
      rows.count() + cols.count(),
      [&](int t) {
        const Place at = place(t);
        const Operand<T>& x = sides.side[at.row ? 0 : 1].operand;
        return Tile<T>{x, at.first + at.line, x.count, p0 + at.p, terms - at.p};
      },
      [&](int t, int line) {
        const Place at = place(t);
        const ConvertSide<T>& side = sides.side[at.row ? 0 : 1];
        const Index i = at.first + at.line + line;
        const bool wanted = i < side.operand.count && side.lines.norm[i] > 0;
        return line_scale_of(wanted,
                             wanted ? line_scale(plan, side.lines, i, at.bits) - limb_bits * (at.limbs - 1) : 0);
      },
      [&](int t, const Buffer<T, Shape>& buffer) {
        const Place at = place(t);
        const Index line = at.line + threadIdx.x / 32 * Shape::lines_a_warp;
        const int here = static_cast<int>(min(k_padded - at.p, Index{Shape::terms}));
        std::uint8_t* const out = sides.side[at.row ? 0 : 1].out +
                                  (line / line_group * plan.moduli * line_group + line % line_group) * k_padded + at.p +
                                  threadIdx.x % 32 * Shape::terms_a_lane;
        switch (at.limbs) {
          case 1:
            return write_residues<1>(buffer, plan.moduli, k_padded, here, out);
          case 2:
            return write_residues<2>(buffer, plan.moduli, k_padded, here, out);
          case 3:
            return write_residues<3>(buffer, plan.moduli, k_padded, here, out);
          default:
            return write_residues<4>(buffer, plan.moduli, k_padded, here, out);
        }
      });
}

template <class Shape, class T>
Index most_tiles(const ConvertSides<T>& sides, Index k_padded) {
  Index tiles = 0;
  for (const ConvertSide<T>& side : sides.side)
    if (side.wanted) tiles += padded_lines(side.operand.count) / tile_lines * k_tiles<Shape>(k_padded);
  return tiles;
}

/// Whether a block may have `bytes` of shared memory.
bool has_shared_memory(const DeviceModel& device, std::size_t bytes) {
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.device), "convert");
  return bytes <= static_cast<std::size_t>(most);
}

template <class T, class Shape>
void launch_convert(const DeviceModel& device, const ConvertSides<T>& sides, const PassPlan* plan, Index p0,
                    Index terms, Index k_padded, cudaStream_t stream) {
  const Index tiles = most_tiles<Shape>(sides, k_padded);
  if (tiles == 0) return;
  const auto kernel = convert_sides<T, Shape>;
  allow_shared_memory<T, Shape>(kernel);
  launch(device, "convert", kernel, {grid<Shape>(device, tiles), Shape::threads, shared_bytes<T, Shape>}, stream, sides,
         plan, p0, terms, k_padded);
}

}  // namespace

template <class T>
void convert(const DeviceModel& device, const ConvertSide<T>& rows, const ConvertSide<T>& cols, const PassPlan* plan,
             Index p0, Index terms, Index k_padded, cudaStream_t stream) {
  const ConvertSides<T> sides = {{rows, cols}};
  if (most_tiles<LongRows>(sides, k_padded) >= enough_tiles * device.processors &&
      has_shared_memory(device, shared_bytes<T, LongRows>))
    launch_convert<T, LongRows>(device, sides, plan, p0, terms, k_padded, stream);
  else
    launch_convert<T, ShortRows>(device, sides, plan, p0, terms, k_padded, stream);
}

template void convert(const DeviceModel&, const ConvertSide<double>&, const ConvertSide<double>&, const PassPlan*,
                      Index, Index, Index, cudaStream_t);
template void convert(const DeviceModel&, const ConvertSide<float>&, const ConvertSide<float>&, const PassPlan*, Index,
                      Index, Index, cudaStream_t);
}  // namespace accublas::cuda
