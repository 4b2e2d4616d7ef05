// Aligning vectors for one product, and the scalars: one kernel, with two more in front for long vectors.
#include <algorithm>

#include "cuda/mp/align.hpp"
#include "cuda/mp/number.hpp"

namespace accublas::cuda {

namespace {

constexpr int least_threads = 256;
constexpr Index short_vector = 8192;  // every thread block finds the exponents of a vector up to here for itself
constexpr long long none_least = LLONG_MAX, none_greatest = LLONG_MIN;

/// Exponent of z_q, or false where it is not finite or zero; `special` is set for infinities and NaN.
__device__ __forceinline__ bool exponent_of(const MpAlignVectors& g, Index q, int r, long long* exponent,
                                            bool* special) {
  const std::int32_t e = g.b.exponent[element_at(g.block, q, g.first + r)];
  if (mp::is_special(e)) {
    *special |= e != mp::exponent_zero;
    return false;
  }
  *exponent = static_cast<long long>(e) - g.b.format.precision + g.scale[q];
  return true;
}

/// The exponents of z_q for q in [first, end), over the thread block; in all threads.
__device__ MpVector measure_block(const MpAlignVectors& g, int r, Index first, Index end) {
  __shared__ long long least[32], greatest[32];
  long long low = none_least, high = none_greatest;
  bool special = false;
#pragma unroll 4
  for (Index q = first + threadIdx.x; q < end; q += blockDim.x) {
    long long e;
    if (!exponent_of(g, q, r, &e, &special)) continue;
    low = min(low, e);
    high = max(high, e);
  }
  for (int half = 16; half > 0; half /= 2) {
    low = min(low, __shfl_xor_sync(full_warp, low, half));
    high = max(high, __shfl_xor_sync(full_warp, high, half));
  }
  if (threadIdx.x % 32 == 0) least[threadIdx.x / 32] = low, greatest[threadIdx.x / 32] = high;
  special = __syncthreads_or(special);
  for (unsigned w = 0; w < blockDim.x / 32; ++w) {
    low = min(low, least[w]);
    high = max(high, greatest[w]);
  }
  return {low, high, special, 0};
}

__global__ void clear_measure(MpCall* call) { call->vector[threadIdx.x] = {none_least, none_greatest, 0, 0}; }

__global__ void __launch_bounds__(least_threads) measure_vectors(const MpAlignVectors g) {
  const Index first = static_cast<Index>(blockIdx.x) * short_vector;
  const MpVector part =
      measure_block(g, blockIdx.y, first, min(first + short_vector, static_cast<Index>(g.block.rows)));
  MpVector& v = g.call->vector[blockIdx.y];
  if (threadIdx.x != 0) return;
  atomicMin(&v.least, part.least);
  atomicMax(&v.greatest, part.greatest);
  if (part.special) v.special = 1;
}

/// A scalar from its element, by the whole thread block.
__device__ void prepare_scalar(const MpFormat& format, const mp::Elements& from, std::int64_t at, std::uint32_t* shared,
                               MpOddScalar* to) {
  __shared__ int lowest;
  const int size = blockDim.x, rank = threadIdx.x;
  const Team<false> team(rank, size, shared);
  const NumberScratch scratch(shared + team_words(size), size);
  const std::int32_t code = from.exponent[at];
  if (rank == 0) {
    lowest = INT_MAX;
    to->code = mp::is_special(code) ? code : 0;
    to->negative = from.sign[at] != 0;
  }
  if (mp::is_special(code)) return;
  const std::uint32_t limb = limb_of_element(team, format, from, at, scratch);
  scratch.first[rank] = limb;
  team.sync();
  if (limb != 0) atomicMin(&lowest, rank * 32 + __ffs(static_cast<int>(limb)) - 1);
  team.sync();
  const int zeros = lowest, limbs = (format.precision - zeros + 31) / 32;
  if (rank < limbs) to->limb[rank] = team.shifted(scratch.first, size, zeros);
  if (rank == 0) {
    to->limbs = limbs;
    to->exponent = static_cast<std::int64_t>(code) - format.precision + zeros;
  }
}

/// 32 entries of a column a thread block; unless the scalars are plain, the last two of the first column: alpha and
/// beta.
__global__ void align_vectors(const MpAlignVectors g, bool measured) {
  extern __shared__ uint4 shared_memory[];
  std::uint32_t* const shared = reinterpret_cast<std::uint32_t*>(shared_memory);
  await_predecessor();
  const int r = blockIdx.y, tiles = gridDim.x - (g.plain ? 0 : 2), tile_number = blockIdx.x;
  if (r == 0 && blockIdx.x == 0) {
    for (Index i = threadIdx.x; i < g.ticket_count; i += blockDim.x) g.tickets[i] = 0;
    if (threadIdx.x == 0 && g.first == 0) g.call->in_bands = 0, g.call->bands = 0;
  }
  if (tile_number >= tiles) {
    if (r > 0) return;
    const bool is_alpha = tile_number == tiles;
    prepare_scalar(g.format, is_alpha ? g.alpha : g.beta, is_alpha ? g.alpha_at : g.beta_at, shared,
                   is_alpha ? &g.call->alpha : &g.call->beta);
    return;
  }
  const Index n = g.block.rows, q = static_cast<Index>(tile_number) * 32 + threadIdx.x % 32;
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  // What does not depend on the exponents is on its way while they are compared. The residues of zeros, infinities and
  // NaN are zero.
  TileElements<1> tile;
  tile.from[0] = q < n ? element_at(g.block, q, g.first + r) : -1;
  tile.to[0] = q < g.z_stride ? q : -1;
  const TileWarp tile_warp{warp, warps, shared};
  const TileResidues<1> residues = load_residues(tile_warp, g.extension, g.b, tile, 0);
  MpVector v = measured ? g.call->vector[r] : measure_block(g, r, 0, n);
  if (v.least > v.greatest) v.least = v.greatest = 0;
  if (tile_number == 0 && threadIdx.x == 0) {
    if (!measured) g.call->vector[r] = v;
    if (g.wanted && v.greatest - v.least >= g.width)
      *g.wanted = static_cast<std::int32_t>(min(v.greatest - v.least, static_cast<long long>(matrix_band - 1)));
  }
  BandAndRest s{0, 0};
  long long e;
  bool special = false;
  if (q < n && exponent_of(g, q, r, &e, &special)) s = band_and_rest(e - v.least, g.width);
  tile.rest[0] = s.rest;
  tile.negative[0] = q < n && g.b.sign[tile.from[0]] != 0;
  if (tile.to[0] >= 0 && threadIdx.x < 32) g.band[r * g.z_stride + q] = s.band;
  extend_tile(tile_warp, g.extension, g.b, tile, residues, g.z + static_cast<Index>(r) * g.extension.to * g.z_stride,
              g.z_stride);
}

/// Vectors without a finite entry other than zero.
__global__ void settle_measure(MpCall* call) {
  MpVector& v = call->vector[threadIdx.x];
  if (v.least > v.greatest) v.least = v.greatest = 0;
}

}  // namespace

void mp_align_vectors(const DeviceModel& model, const MpAlignVectors& g, cudaStream_t stream) {
  const int needed = std::max(g.format.basis.moduli, g.format.basis.limbs + 1);
  const int threads = std::max(least_threads, (needed + 31) / 32 * 32);
  const std::size_t words =
      std::max(tile_words(g.extension.from + 1, threads / 32, 1), team_words(threads) + number_words(threads));
  const unsigned columns = static_cast<unsigned>(g.columns);
  const bool measured = g.block.rows > short_vector;
  if (measured) {
    clear_measure<<<1, mp_columns, 0, stream>>>(g.call);
    measure_vectors<<<dim3(static_cast<unsigned>((g.block.rows + short_vector - 1) / short_vector), columns),
                      least_threads, 0, stream>>>(g);
    settle_measure<<<1, mp_columns, 0, stream>>>(g.call);
  }
  const unsigned tiles = static_cast<unsigned>((g.z_stride + 31) / 32);
  launch(model, "mp_align_vectors", align_vectors,
         {dim3(tiles + (g.plain ? 0 : 2), columns), static_cast<unsigned>(threads), words * sizeof(std::uint32_t)},
         stream, g, measured);
}

}  // namespace accublas::cuda
