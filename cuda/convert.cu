// Operands to bytes: residues of the scaled integers a', and the certificate's 7-bit magnitudes.
//
// A block takes tiles of 32 lines by 128 terms: it reads them along the operand's unit stride into shared memory, and a
// warp then has four lines and a lane four consecutive terms, so that every plane is written in whole rows of 128
// bytes.
#include "cuda/arithmetic.hpp"
#include "cuda/check.hpp"
#include "cuda/kernels.hpp"
#include "cuda/scaling.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

namespace {

constexpr int tile_lines = 32, tile_terms = 128, threads = 256, warps = threads / 32;
constexpr int lines_a_warp = tile_lines / warps, terms_a_lane = tile_terms / 32;
static_assert(terms_a_lane == 4);

/// Entry (line, term) of the tile in shared memory: a gap after every 16 terms and an odd pitch, so that neither 32
/// adjacent lines nor every fourth term of a line meet in one bank.
constexpr int pitch = tile_terms + tile_terms / 16 + 1;
__device__ constexpr int at(int line, int term) { return line * pitch + term + term / 16; }

/// a' = sum_i piece_i 2^(piece_bits i), the lower pieces at most 2^(piece_bits - 1) in magnitude.
constexpr int piece_bits = 42;
/// For abs(a') <= 2^bits: a single piece is at most 2^51; of several, the top one is at most 2^43.
__device__ int pieces_of(int bits) { return bits <= 51 ? 1 : bits <= 85 ? 2 : bits <= 127 ? 3 : 4; }

/// One modulus p. With weights w_i = 2^(piece_bits i) mod p, abs(w_i) <= 128, the integer x = sum_i w_i piece_i is
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
      m.integer_weight[i] = power_of_two_residue(piece_bits * i, list.p[l]);
      m.weight[i] = m.integer_weight[i];
    }
  }
  return t;
}
__constant__ ModulusTable modulus_table = make_modulus_table();

/// Sum of a[j] 256^j, modulo 2^32.
__device__ std::uint32_t pack(std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3) {
  return a0 + (a1 << 8) + ((a2 + (a3 << 8)) << 16);
}

/// Four consecutive terms of a line in `Pieces` pieces, and the same packed, modulo 2^32. Piece 0 of each is 1/2 too
/// large.
template <int Pieces>
struct FourTerms {
  double piece[Pieces][4];
  std::uint32_t packed[Pieces];
};

/// `top_scale`: 2^(scale - piece_bits (Pieces - 1)). What the top piece leaves is exact, at most 1/2, and gives the
/// next ones; the last is rounded to nearest even, and with it a', since the others are even in its units.
template <int Pieces>
__device__ FourTerms<Pieces> take_apart(const double* terms, const PowerScale& top_scale) {
  FourTerms<Pieces> t;
  std::uint32_t word[Pieces][4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    double x = terms[j] * top_scale.first, scale = top_scale.second;
#pragma unroll
    for (int i = Pieces - 1; i >= 0; --i) {
      const double rounded = __fma_rn(x, scale, round_to_integer);
      word[i][j] = low_word(rounded);
      t.piece[i][j] = rounded - round_to_integer;
      x = __fma_rn(x, scale, -t.piece[i][j]);
      scale = static_cast<double>(1ll << piece_bits);
    }
    t.piece[0][j] += 0.5;
  }
#pragma unroll
  for (int i = 0; i < Pieces; ++i) t.packed[i] = pack(word[i][0], word[i][1], word[i][2], word[i][3]);
  return t;
}

/// The four residues modulo m, a byte each: all are in 0 .. p - 1, so one product serves them all.
template <int Pieces>
__device__ std::uint32_t residues(const FourTerms<Pieces>& t, const Modulus& m) {
  std::uint32_t quotient[4], x = t.packed[0];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    double y = t.piece[0][j];
#pragma unroll
    for (int i = 1; i < Pieces; ++i) y = __fma_rn(t.piece[i][j], m.weight[i], y);
    quotient[j] = low_word(fma_down(y, m.inverse, round_to_integer));
  }
#pragma unroll
  for (int i = 1; i < Pieces; ++i) x += t.packed[i] * static_cast<std::uint32_t>(m.integer_weight[i]);
  return x + pack(quotient[0], quotient[1], quotient[2], quotient[3]) * static_cast<std::uint32_t>(m.minus_p);
}

/// What the lines of a tile need.
struct LineScale {
  PowerScale scale;
  bool wanted;  ///< exists, and has finite entries other than zero
};
struct Shared {
  double tile[tile_lines * pitch];
  LineScale line[tile_lines];
};

/// Terms t < terms of the tile, where term(t) is the entry of the line; else zero, as are lines that are not wanted.
template <class T, class Term>
__device__ void load(const Operand<T>& x, Index first_line, Index terms, Term&& term, Shared& shared) {
  constexpr int each = tile_lines * tile_terms / threads;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  double v[each];
  const Index stride = x.stride < 0 ? -x.stride : x.stride, k_stride = x.k_stride < 0 ? -x.k_stride : x.k_stride;
  if (stride < k_stride) {
    const T* const from = x.data + (first_line + lane) * x.stride;
    const bool wanted = shared.line[lane].wanted;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const int t = warp + warps * i;
      v[i] = wanted && t < terms ? static_cast<double>(__ldcs(from + term(t) * x.k_stride)) : 0;
    }
#pragma unroll
    for (int i = 0; i < each; ++i) shared.tile[at(lane, warp + warps * i)] = v[i];
  } else {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const int line = warp + warps * (i / 4), t = lane + 32 * (i % 4);
      const T* const from = x.data + (first_line + line) * x.stride;
      v[i] = shared.line[line].wanted && t < terms ? static_cast<double>(__ldcs(from + term(t) * x.k_stride)) : 0;
    }
#pragma unroll
    for (int i = 0; i < each; ++i) shared.tile[at(warp + warps * (i / 4), lane + 32 * (i % 4))] = v[i];
  }
}

/// Residues of the warp's four lines, `Together` lines at a time. `out`: of the lane's terms of the warp's first line,
/// plane 0.
template <int Pieces, int Together>
__device__ void write_residues(const Shared& shared, int moduli, Index k_padded, std::uint8_t* out) {
  const int line = threadIdx.x / 32 * lines_a_warp, lane = threadIdx.x % 32;
#pragma unroll 1
  for (int i = 0; i < lines_a_warp; i += Together) {
    FourTerms<Pieces> t[Together];
#pragma unroll
    for (int r = 0; r < Together; ++r)
      t[r] = take_apart<Pieces>(&shared.tile[at(line + i + r, terms_a_lane * lane)], shared.line[line + i + r].scale);
    std::uint8_t* to = out + i * k_padded;
#pragma unroll 2
    for (int l = 0; l < moduli; ++l) {
#pragma unroll
      for (int r = 0; r < Together; ++r)
        *reinterpret_cast<std::uint32_t*>(to + r * k_padded) = residues(t[r], modulus_table.modulus[l]);
      to += line_group * k_padded;
    }
  }
}

/// Lines of a block, rounded up to whole groups, and its tiles.
struct Tiles {
  Index first, lines, k_tiles;
  __device__ Index count() const { return lines / tile_lines * k_tiles; }
};

template <class T>
struct ConvertSides {
  ConvertSide<T> side[2];
};

template <class T>
__device__ Tiles tiles_of(const ConvertSide<T>& side, Index block_lines, Index k_padded) {
  if (!side.wanted) return {0, 0, 1};
  const Index first = side.block * block_lines, left = side.operand.count - first;
  return {first, left <= 0 ? 0 : padded_lines(left < block_lines ? left : block_lines), k_padded / tile_terms};
}

template <class T>
__device__ void convert_tile(const ConvertSide<T>& side, const PassPlan& plan, int bits, const Tiles& tiles, Index tile,
                             Index p0, Index terms, Index k_padded, Shared& shared) {
  const Index line = tile / tiles.k_tiles * tile_lines, p = tile % tiles.k_tiles * tile_terms;
  const int pieces = pieces_of(bits), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  __syncthreads();  // the tile before is read
  if (threadIdx.x < tile_lines) {
    const Index i = tiles.first + line + threadIdx.x;
    const bool wanted = i < side.operand.count && side.lines.norm[i] > 0;
    const int scale = wanted ? line_scale(plan, side.lines, i, bits) - piece_bits * (pieces - 1) : 0;
    shared.line[threadIdx.x] = {power_scale(scale), wanted};
  }
  __syncthreads();
  const Index first_term = p0 + p;
  load(
      side.operand, tiles.first + line, terms - p, [&](int t) { return first_term + t; }, shared);
  __syncthreads();
  const Index at_line = line + warp * lines_a_warp;
  std::uint8_t* const out = side.out +
                            (at_line / line_group * plan.moduli * line_group + at_line % line_group) * k_padded + p +
                            terms_a_lane * lane;
  switch (pieces) {
    case 1:
      return write_residues<1, 4>(shared, plan.moduli, k_padded, out);
    case 2:
      return write_residues<2, 2>(shared, plan.moduli, k_padded, out);
    case 3:
      return write_residues<3, 1>(shared, plan.moduli, k_padded, out);
    default:
      return write_residues<4, 1>(shared, plan.moduli, k_padded, out);
  }
}

/// Tiles with k fastest: blocks that run together then write neighbouring rows of 128 bytes.
template <class T>
__global__ void __launch_bounds__(threads, 3)
    convert_sides(const __grid_constant__ ConvertSides<T> sides, const PassPlan* plan_pointer, Index p0, Index terms,
                  Index k_padded) {
  __shared__ Shared shared;
  const PassPlan plan = *plan_pointer;
  if (!plan.active) return;
  const Tiles rows = tiles_of(sides.side[0], plan.block_rows, k_padded);
  const Tiles cols = tiles_of(sides.side[1], plan.block_cols, k_padded);
  for (Index t = blockIdx.x; t < rows.count() + cols.count(); t += gridDim.x) {
    const bool row = t < rows.count();
    convert_tile(sides.side[row ? 0 : 1], plan, row ? plan.row_bits : plan.col_bits, row ? rows : cols,
                 row ? t : t - rows.count(), p0, terms, k_padded, shared);
  }
}

/// The certificate's magnitudes: term q of the sample is entry q of the blocks of 128 that it takes.
template <class T>
__global__ void __launch_bounds__(threads, 3)
    convert_magnitudes(Operand<T> x, Lines lines, Tiles tiles, Index first_term, Index terms, Index k_padded,
                       std::uint8_t* out) {
  __shared__ Shared shared;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Index skipped = (certificate_stride(x.k) - 1) * Index{certificate_block};
  for (Index tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
    const Index line = tile / tiles.k_tiles * tile_lines, p = tile % tiles.k_tiles * tile_terms;
    __syncthreads();
    if (threadIdx.x < tile_lines) {
      const Index i = tiles.first + line + threadIdx.x;
      const bool wanted = i < x.count && lines.norm[i] > 0;
      shared.line[threadIdx.x] = {power_scale(wanted ? 7 - lines.exponent[i] : 0), wanted};
    }
    __syncthreads();
    const Index first = first_term + p;
    load(
        x, tiles.first + line, terms - p, [&](int t) { return first + t + (first + t) / certificate_block * skipped; },
        shared);
    __syncthreads();
    for (int i = 0; i < lines_a_warp; ++i) {
      const int in_tile = warp * lines_a_warp + i;
      const PowerScale scale = shared.line[in_tile].scale;
      std::uint32_t byte[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const double a = fabs(shared.tile[at(in_tile, terms_a_lane * lane + j)]) * scale.first;
        byte[j] = low_word(fma_down(a, scale.second, 0x1p52));
      }
      *reinterpret_cast<std::uint32_t*>(out + (line + in_tile) * k_padded + p + terms_a_lane * lane) =
          pack(byte[0], byte[1], byte[2], byte[3]);
    }
  }
}

/// A block a tile, up to so many that their last ones do not leave the device idle for long.
unsigned grid(const DeviceModel& device, Index tiles) {
  const Index most = Index{48} * device.processors;
  return static_cast<unsigned>(tiles < most ? tiles : most);
}

template <class T>
Index most_tiles(const ConvertSide<T>& side, Index k_padded) {
  return side.wanted ? padded_lines(side.operand.count) / tile_lines * (k_padded / tile_terms) : 0;
}

}  // namespace

template <class T>
void convert(const DeviceModel& device, const ConvertSide<T>& rows, const ConvertSide<T>& cols, const PassPlan* plan,
             Index p0, Index terms, Index k_padded, cudaStream_t stream) {
  const Index tiles = most_tiles(rows, k_padded) + most_tiles(cols, k_padded);
  if (tiles == 0) return;
  const ConvertSides<T> sides = {{rows, cols}};
  convert_sides<T><<<grid(device, tiles), threads, 0, stream>>>(sides, plan, p0, terms, k_padded);
  check_launch("convert");
}

template <class T>
void convert_certificate(const DeviceModel& device, const Operand<T>& x, const Lines& lines, Index first,
                         Index block_lines, Index first_term, Index terms, Index k_padded, std::uint8_t* out,
                         cudaStream_t stream) {
  const Tiles tiles = {first, padded_lines(block_lines), k_padded / tile_terms};
  const Index count = tiles.lines / tile_lines * tiles.k_tiles;
  if (count == 0) return;
  convert_magnitudes<T><<<grid(device, count), threads, 0, stream>>>(x, lines, tiles, first_term, terms, k_padded, out);
  check_launch("convert_certificate");
}

template void convert(const DeviceModel&, const ConvertSide<double>&, const ConvertSide<double>&, const PassPlan*,
                      Index, Index, Index, cudaStream_t);
template void convert(const DeviceModel&, const ConvertSide<float>&, const ConvertSide<float>&, const PassPlan*, Index,
                      Index, Index, cudaStream_t);
template void convert_certificate(const DeviceModel&, const Operand<double>&, const Lines&, Index, Index, Index, Index,
                                  Index, std::uint8_t*, cudaStream_t);
template void convert_certificate(const DeviceModel&, const Operand<float>&, const Lines&, Index, Index, Index, Index,
                                  Index, std::uint8_t*, cudaStream_t);

}  // namespace accublas::cuda
