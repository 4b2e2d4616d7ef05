// The kernels that align matrices and vectors share this header: bands and rests, and the change of basis of a tile of
// elements. That change goes through the digits of the Chinese remainder theorem with the moduli of the elements;
// tensor cores then compute the residues modulo all other moduli. A way through limbs would be twice the work.
#pragma once

#include <climits>

#include "cuda/mp/byte_product.hpp"
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
/// Splits `above` >= 0, the bits over the exponent of row and column (or of the vector), into band and rest.
__device__ __forceinline__ BandAndRest band_and_rest(std::int64_t above, int width = matrix_band) {
  const std::uint32_t v = static_cast<std::uint32_t>(above);  // below 2^32
  const std::uint32_t band = width == matrix_band ? v / matrix_band : v / static_cast<unsigned>(width);
  return {static_cast<std::int32_t>(band), static_cast<std::int32_t>(v - band * static_cast<unsigned>(width))};
}

/// The shared memory of a tile: fractions of the quotients, digits, rests and signs.
template <int elements>
struct TileMemory {
  static constexpr int line = elements + 8;  // 8 modulo 32: see byte_products
  std::uint64_t* fractions;                  ///< [threads]
  std::uint32_t* digits;                     ///< [8 byte_steps(from + 1)][line]
  std::uint32_t* shifts;                     ///< [elements]: the rest, and negative_bit

  static constexpr int words(int threads, int from) { return 2 * threads + 8 * byte_steps(from + 1) * line + elements; }
  __device__ TileMemory(void* shared, int from)
      : fractions(static_cast<std::uint64_t*>(shared)),
        digits(reinterpret_cast<std::uint32_t*>(fractions + blockDim.x)),
        shifts(digits + 8 * byte_steps(from + 1) * line) {}
};

inline constexpr std::uint32_t rest_bits = 63, negative_bit = 64;

/// Loads 2^rest mod m_k.
__device__ __forceinline__ RnsFactor load_power(const MpExtension& x, int k, std::uint32_t shift) {
  return load_factor(x.power[k].factor + (shift & rest_bits));
}
/// Returns an integer's residue, times 2^rest and with its sign.
__device__ __forceinline__ std::uint32_t shifted(std::uint32_t residue, const RnsModulus& modulus, RnsFactor power,
                                                 std::uint32_t shift) {
  const std::uint32_t r = rns_mul(residue, power, modulus);
  return (shift & negative_bit) != 0 ? rns_negate(r, modulus) : r;
}

/// The thread block's element e = thread % elements; blockDim.x / elements threads share its moduli.
struct TileElement {
  Index at;  ///< position in the array; negative: the element is zero
  std::uint32_t shift;
};
/// Residues of the thread's element in the planes first, first + members, ...
struct TileResidues {
  static constexpr int count = 8;
  std::uint32_t of[count];
};
__device__ __forceinline__ TileResidues load_residues(const MpExtension& x, const mp::Elements& elements, Index at,
                                                      int first, int members) {
  TileResidues r;
#pragma unroll
  for (int u = 0; u < r.count; ++u) {
    const int k = first + u * members;
    r.of[u] = at >= 0 && k < x.from ? elements.digits[k * elements.stride + at] : 0;
  }
  return r;
}

/// The destination of a tile's planes: element e of plane k goes to out[k plane + e], e < count. If `parts` thread
/// blocks share a tile, block `part` computes every parts-th plane.
struct TilePlanes {
  std::uint32_t* out;
  Index plane;
  int count;
  int part = 0, parts = 1;
};

/// Computes the residues of a tile's elements modulo all moduli of the extension, with shift and sign. All threads of
/// the thread block call this; a warp takes 16 `tiles` elements and four moduli at a time. `residues` start at the
/// thread's first modulus. `together`: number of a thread's moduli whose constants are loaded at once, for cases where
/// few warps hide the latency.
template <int elements, int tiles, int together>
__device__ __forceinline__ void extend_tile(const MpExtension& x, const mp::Elements& from, const TileElement& element,
                                            TileResidues residues, const TilePlanes& to,
                                            const TileMemory<elements>& s) {
  const int e = threadIdx.x % elements, member = threadIdx.x / elements, members = blockDim.x / elements;
  constexpr int line = TileMemory<elements>::line;
  if (member == 0) s.shifts[e] = element.shift;
  std::uint64_t fraction = 0;
  for (int first = member; first < x.from; first += residues.count * members) {
    if (first > member) residues = load_residues(x, from, element.at, first, members);
#pragma unroll
    for (int u = 0; u < residues.count; u += together) {
      if (first + u * members >= x.from) break;
      RnsModulus modulus[together];
      RnsFactor inverse[together], power[together];
#pragma unroll
      for (int v = 0; v < together; ++v) {
        const int k = min(first + (u + v) * members, x.from - 1);
        modulus[v] = load_modulus(x.modulus + k);
        inverse[v] = load_factor(x.inverse + k);
        power[v] = load_power(x, k, element.shift);
      }
#pragma unroll
      for (int v = 0; v < together; ++v) {
        const int k = first + (u + v) * members;
        if (k >= x.from) break;
        const std::uint32_t residue = residues.of[u + v], d = rns_mul(residue, inverse[v], modulus[v]);
        s.digits[k * line + e] = d;
        fraction += d * modulus[v].barrett >> 16;
        if (e < to.count && (to.parts == 1 || k % to.parts == to.part))
          to.out[k * to.plane + e] = shifted(residue, modulus[v], power[v], element.shift);
      }
    }
  }
  s.fractions[member * elements + e] = fraction;
  __syncthreads();
  // This is the quotient by M, in units of 2^-48: see limb_from_residues.
  if (member == 0) {
    std::uint64_t sum = std::uint64_t{1} << 47;
    for (int m = 0; m < members; ++m) sum += s.fractions[m * elements + e];
    s.digits[x.from * line + e] = static_cast<std::uint32_t>(sum >> 48);
  }
  __syncthreads();

  constexpr int runs = elements / (16 * tiles);
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32, steps = byte_steps(x.from + 1),
            groups = byte_groups(x.to - x.from);
  for (int unit = threadIdx.x / 32;; unit += warps) {
    const int group = unit / runs * to.parts + to.part, offset = unit % runs * (16 * tiles),
              k = x.from + 4 * group + lane % 4;
    if (group >= groups) break;
    const int known = min(k, x.to - 1);
    const RnsModulus modulus = load_modulus(x.modulus + known);
    std::uint32_t shift[tiles][2];
    RnsFactor power[tiles][2];
#pragma unroll
    for (int t = 0; t < tiles; ++t)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        shift[t][h] = s.shifts[offset + 16 * t + 8 * h + lane / 4];
        power[t][h] = load_power(x, known, shift[t][h]);
      }
    ByteSums<tiles> sums;
    byte_products(sums, s.digits + offset, line, 1, steps, x.byte_weight + 32 * steps * group);
    if (k >= x.to) continue;
    std::uint32_t* const out = to.out + k * to.plane + offset + lane / 4;
    const int count = to.count - offset - lane / 4;
#pragma unroll
    for (int t = 0; t < tiles; ++t)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        if (16 * t + 8 * h < count)
          out[16 * t + 8 * h] = shifted(reduce_sum(sums.value(t, h), modulus), modulus, power[t][h], shift[t][h]);
  }
}

#endif

}  // namespace accublas::cuda
