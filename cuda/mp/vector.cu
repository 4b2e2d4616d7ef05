// Aligns vectors for one product, and prepares the scalars, in one kernel; long vectors need two more kernels before
// it.
#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/core/loads.hpp"
#include "cuda/mp/align.hpp"
#include "cuda/mp/number.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int least_threads = 256;
constexpr int tile = 32;
// up to this length every thread block measures the exponents of the vector for itself
constexpr Index short_vector = 8192;
constexpr long long none_least = LLONG_MAX, none_greatest = LLONG_MIN;

/// Returns the exponent of z_q from those of its element and its scale.
__device__ __forceinline__ long long exponent_of(const MpAlignVectors& g, std::int32_t element, std::int32_t scale) {
  return static_cast<long long>(element) - g.b.format.precision + scale;
}

/// Measures the exponents of z_q for q in [first, end), over the thread block; all threads get the result.
__device__ MpVector measure_block(const MpAlignVectors& g, int r, Index first, Index end) {
  constexpr int batch = 8;  // entries that a thread loads together
  __shared__ long long least[32], greatest[32];
  long long low = none_least, high = none_greatest;
  bool special = false;
  for (Index q = first + threadIdx.x; q < end; q += batch * blockDim.x) {
    std::int32_t element[batch], scale[batch];
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      const Index at = q + u * blockDim.x;
      element[u] = at < end ? g.b.exponent[element_at(g.block, at, g.first + r)] : mp::exponent_zero;
      scale[u] = at < end ? g.scale[at] : 0;
    }
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      const long long e = exponent_of(g, element[u], scale[u]);
      const bool finite = !mp::is_special(element[u]);
      special |= !finite && element[u] != mp::exponent_zero;
      low = min(low, finite ? e : none_least);
      high = max(high, finite ? e : none_greatest);
    }
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

/// Prepares a scalar from its element, by the whole thread block.
__device__ void prepare_scalar(const MpFormat& format, const mp::Elements& from, std::int64_t at, std::uint32_t* shared,
                               MpOddScalar* to) {
  __shared__ int lowest;
  const int size = blockDim.x, rank = threadIdx.x;
  const Team<many_warps> team(rank, size, shared);
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
  const int zeros = lowest, limbs = ceil_div(format.precision - zeros, 32);
  if (rank < limbs) to->limb[rank] = team.shifted(scratch.first, size, zeros);
  if (rank == 0) {
    to->limbs = limbs;
    to->exponent = static_cast<std::int64_t>(code) - format.precision + zeros;
  }
}

/// Each group of `parts` thread blocks aligns 32 entries of a column. Unless the scalars are plain, the last two blocks
/// of the first column prepare alpha and beta.
__global__ void align_vectors(const __grid_constant__ MpAlignVectors g, int parts, bool measured) {
  extern __shared__ uint4 shared[];
  await_predecessor();
  const int r = blockIdx.y, work = static_cast<int>(gridDim.x) - (g.plain ? 0 : 2), number = blockIdx.x;
  if (r == 0 && number == 0) {
    for (Index i = threadIdx.x; i < g.ticket_count; i += blockDim.x) g.tickets[i] = 0;
    if (threadIdx.x == 0 && g.first == 0) g.call->in_bands = 0, g.call->bands = 0;
  }
  if (number >= work) {
    if (r > 0) return;
    const bool is_alpha = number == work;
    prepare_scalar(g.format, is_alpha ? g.alpha : g.beta, is_alpha ? g.alpha_at : g.beta_at,
                   reinterpret_cast<std::uint32_t*>(shared), is_alpha ? &g.call->alpha : &g.call->beta);
    return;
  }
  const int e = threadIdx.x % tile, member = threadIdx.x / tile;
  const Index n = g.block.rows, first = static_cast<Index>(number / parts) * tile, q = first + e;
  // Loads that do not depend on the exponents are in flight while the exponents are compared. The residues of zeros,
  // infinities and NaN are zero.
  TileElement element{q < n ? element_at(g.block, q, g.first + r) : -1, 0};
  const TileResidues residues = load_residues(g.extension, g.b, element.at, member, blockDim.x / tile);
  const std::int32_t own = q < n ? g.b.exponent[element.at] : mp::exponent_zero, scale = q < n ? g.scale[q] : 0;
  const bool negative = q < n && g.b.sign[element.at] != 0, term = !mp::is_special(own);
  MpVector v = measured ? g.call->vector[r] : measure_block(g, r, 0, n);
  if (v.least > v.greatest) v.least = v.greatest = 0;
  if (number == 0 && threadIdx.x == 0) {
    if (!measured) g.call->vector[r] = v;
    if (g.wanted && v.greatest - v.least >= g.width)
      *g.wanted = static_cast<std::int32_t>(min(v.greatest - v.least, static_cast<long long>(matrix_band - 1)));
  }
  BandAndRest s{0, 0};
  if (term) s = band_and_rest(exponent_of(g, own, scale) - v.least, g.width);
  element.shift = static_cast<std::uint32_t>(s.rest) | (negative ? negative_bit : 0);
  const TilePlanes planes{g.z + static_cast<Index>(r) * g.extension.to * g.z_stride + first, g.z_stride,
                          static_cast<int>(min(static_cast<Index>(tile), g.z_stride - first)), number % parts, parts};
  if (member == 0 && planes.part == 0 && e < planes.count) g.band[r * g.z_stride + q] = term ? s.band : -1;
  extend_tile<tile, 2, 4>(g.extension, g.b, element, residues, planes, TileMemory<tile>(shared, g.extension.from));
}

/// Sets the exponents of vectors without a finite nonzero entry to 0.
__global__ void finish_measure(MpCall* call) {
  MpVector& v = call->vector[threadIdx.x];
  if (v.least > v.greatest) v.least = v.greatest = 0;
}

}  // namespace

void mp_align_vectors(const DeviceModel& model, const MpAlignVectors& g, cudaStream_t stream) {
  const int needed = std::max(g.format.basis.moduli, g.format.basis.limbs + 1);
  const int threads = std::max(least_threads, round_up(needed, 32));
  const int words =
      std::max(TileMemory<tile>::words(threads, g.extension.from), team_words(threads) + number_words(threads));
  const unsigned columns = static_cast<unsigned>(g.columns);
  const bool measured = g.block.rows > short_vector;
  if (measured) {
    clear_measure<<<1, columns, 0, stream>>>(g.call);
    measure_vectors<<<dim3(static_cast<unsigned>(ceil_div(g.block.rows, short_vector)), columns), least_threads, 0,
                      stream>>>(g);
    finish_measure<<<1, columns, 0, stream>>>(g.call);
  }
  // Thread blocks share a tile if that fills the device, down to four moduli a warp.
  const Index tiles = ceil_div(g.z_stride, tile), room = model.processors / std::max<Index>(1, tiles * g.columns);
  const int units = (byte_groups(g.extension.to - g.extension.from) + threads / 32 - 1) / (threads / 32);
  const int parts = static_cast<int>(std::clamp<Index>(room, 1, std::max(1, units)));
  launch(model, "mp_align_vectors", align_vectors,
         {dim3(static_cast<unsigned>(tiles * parts) + (g.plain ? 0 : 2), columns), static_cast<unsigned>(threads),
          static_cast<std::size_t>(words) * sizeof(std::uint32_t)},
         stream, g, parts, measured);
}

}  // namespace accublas::cuda
