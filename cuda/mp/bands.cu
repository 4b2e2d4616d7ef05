// Computes sums of a matrix in bands with vectors. The terms of an output whose bands of matrix and vector are equal
// form a group, and every group has its own residue sum. The matrix is read once for up to `window` groups. A term is
// multiplied once a group, by zero if it belongs to another: 4 instructions a residue and group, while memory leaves
// time for 31. Segments of the inner dimension keep separate sums; the kernel that finishes the outputs adds them up.
#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/core/loads.hpp"
#include "cuda/mp/device.hpp"
#include "cuda/mp/kernels.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int bands_threads = 256, bands_warps = bands_threads / 32;
constexpr int bands_unroll = 4;            // N: columns that are loaded at a time
constexpr Index most_shared_terms = 1024;  // N: terms of a segment, kept in shared memory
constexpr std::uint32_t no_group = 1u << 20;

struct BandsJob {
  MpResidueProduct p;
  MpBandSums sums;
  const std::uint8_t* a_band;
  const std::int32_t* z_band;
  const MpCall* call;
  const MpMatrixState* matrix;
  int width;
};

/// A thread block's share of the grid.
struct Share {
  int k, r, window;
  Index segment;
};
__device__ __forceinline__ Share share_of(const BandsJob& g) {
  const int z = blockIdx.z, k = z % g.p.moduli, rest = z / g.p.moduli;
  return {k, rest % g.p.columns, rest / g.p.columns, static_cast<Index>(blockIdx.y)};
}

/// Returns the number of bands of the vector, or 0 if there is no room for the groups.
__device__ __forceinline__ std::uint32_t vector_bands(const BandsJob& g, int r) {
  const MpVector& v = g.call->vector[r];
  return static_cast<std::uint32_t>(mp_band_groups(v, g.width, g.matrix->largest_band, g.sums.groups) == 0
                                        ? 0
                                        : (v.greatest - v.least) / g.width + 1);
}

__device__ __forceinline__ std::uint32_t* sum_at(const BandsJob& g, const Share& at, int group) {
  return g.sums.sum + mp_band_sum_at(g.sums, g.p.columns, g.p.moduli, g.p.y_stride, at.segment, group, at.r, at.k);
}
__device__ __forceinline__ std::uint8_t* mask_at(const BandsJob& g, const Share& at) {
  return g.sums.mask + mp_band_mask_at(g.sums, g.p.columns, g.p.y_stride, at.segment, at.window, at.r);
}

/// Returns the index of a term's group in a window, or a number beyond the window.
__device__ __forceinline__ std::uint32_t group_of(std::uint32_t a_band, std::uint32_t bands, std::uint32_t z_key) {
  return a_band * bands + z_key;
}
/// Returns band b' of the vector less the window's first group, or no_group if there is no term.
__device__ __forceinline__ std::uint32_t key_of(std::int32_t z_band, int first_group) {
  return z_band < 0 ? no_group : static_cast<std::uint32_t>(z_band - first_group);
}

template <int groups>
__global__ void __launch_bounds__(bands_threads) bands_rows(const __grid_constant__ BandsJob g) {
  extern __shared__ uint2 staged[];  // residue and key of each term of the segment
  __shared__ std::uint32_t of_warp[groups][bands_warps][32 * 4];
  __shared__ std::uint32_t masks[bands_warps][32];
  const MpResidueProduct& p = g.p;
  await_predecessor();
  const Share at = share_of(g);
  const std::uint32_t bands = vector_bands(g, at.r);
  if (bands == 0) return;
  const Index first = at.segment * g.sums.terms;
  const int terms = static_cast<int>(min(g.sums.terms, p.n - first));
  const std::uint32_t* const z = p.z + (static_cast<Index>(at.r) * p.moduli + at.k) * p.z_stride + first;
  const std::int32_t* const z_band = g.z_band + at.r * p.z_stride + first;
  for (int q = threadIdx.x; q < terms; q += bands_threads)
    staged[q] = make_uint2(z[q], key_of(z_band[q], at.window * mp_band_window));
  __syncthreads();

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Index quads = ceil_div(p.m, 4), quad = static_cast<Index>(blockIdx.x) * 32 + lane;
  const Index start = first * p.ld + 4 * min(quad, quads - 1);
  const uint4* const a = reinterpret_cast<const uint4*>(p.a + at.k * p.plane + start);
  const std::uint32_t* const a_band = reinterpret_cast<const std::uint32_t*>(g.a_band + start);
  const Index step = p.ld / 4;
  Sum96 sums[groups][4];
  std::uint32_t mask = 0;
  for (int q = warp; q < terms; q += bands_warps * bands_unroll) {
    uint4 v[bands_unroll];
    std::uint32_t four[bands_unroll];
#pragma unroll
    for (int u = 0; u < bands_unroll; ++u) {
      const Index column = min(q + u * bands_warps, terms - 1) * step;
      v[u] = ptx::load_once(a + column);
      four[u] = __ldg(a_band + column);
    }
#pragma unroll
    for (int u = 0; u < bands_unroll; ++u) {
      if (q + u * bands_warps >= terms) break;
      const uint2 term = staged[q + u * bands_warps];
      const std::uint32_t residue[4] = {v[u].x, v[u].y, v[u].z, v[u].w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t group = group_of(four[u] >> (8 * i) & 255, bands, term.y);
#pragma unroll
        for (int b = 0; b < groups; ++b) sums[b][i].add_product(residue[i], group == b ? term.x : 0);
        if (at.k == 0 && group < mp_band_window) mask |= 1u << (8 * i + group);
      }
    }
  }
  const RnsModulus modulus = load_modulus(p.modulus + at.k);
#pragma unroll
  for (int b = 0; b < groups; ++b)
#pragma unroll
    for (int i = 0; i < 4; ++i) of_warp[b][warp][lane * 4 + i] = sums[b][i].modulo(modulus);
  masks[warp][lane] = mask;
  __syncthreads();
  // Each warp adds up the sums of a group.
  if (quad >= quads) return;
  for (int b = warp; b < groups; b += bands_warps) {
    std::uint32_t out[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      std::uint64_t sum = 0;
      for (int w = 0; w < bands_warps; ++w) sum += of_warp[b][w][lane * 4 + i];
      out[i] = rns_reduce(sum, modulus);
    }
    const int group = at.window * mp_band_window + b;
    if (group < g.sums.groups)
      *reinterpret_cast<uint4*>(sum_at(g, at, group) + 4 * quad) = make_uint4(out[0], out[1], out[2], out[3]);
  }
  if (at.k == 0 && warp == 0) {
    for (int w = 1; w < bands_warps; ++w) mask |= masks[w][lane];
    *reinterpret_cast<std::uint32_t*>(mask_at(g, at) + 4 * quad) = mask;
  }
}

/// Each warp computes an output.
template <int groups>
__global__ void __launch_bounds__(bands_threads) bands_columns(const __grid_constant__ BandsJob g) {
  const MpResidueProduct& p = g.p;
  await_predecessor();
  const Share at = share_of(g);
  const std::uint32_t bands = vector_bands(g, at.r);
  const Index j = static_cast<Index>(blockIdx.x) * bands_warps + threadIdx.x / 32;
  if (bands == 0 || j >= p.n) return;
  const int lane = threadIdx.x % 32;
  const Index first = at.segment * g.sums.terms;
  const int quads = static_cast<int>(ceil_div(min(g.sums.terms, p.m - first), 4));
  const uint4* const a = reinterpret_cast<const uint4*>(p.a + at.k * p.plane + j * p.ld + first);
  const std::uint32_t* const a_band = reinterpret_cast<const std::uint32_t*>(g.a_band + j * p.ld + first);
  const uint4* const z =
      reinterpret_cast<const uint4*>(p.z + (static_cast<Index>(at.r) * p.moduli + at.k) * p.z_stride + first);
  const int4* const z_band = reinterpret_cast<const int4*>(g.z_band + at.r * p.z_stride + first);
  Sum96 sums[groups];
  std::uint32_t mask = 0;
#pragma unroll 4
  for (int q = lane; q < quads; q += 32) {
    const uint4 v = ptx::load_once(a + q), w = z[q];
    const int4 band = z_band[q];
    const std::uint32_t four = __ldg(a_band + q);
    const std::uint32_t residue[4] = {v.x, v.y, v.z, v.w}, factor[4] = {w.x, w.y, w.z, w.w};
    const std::int32_t of_z[4] = {band.x, band.y, band.z, band.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t group = group_of(four >> (8 * i) & 255, bands, key_of(of_z[i], at.window * mp_band_window));
#pragma unroll
      for (int b = 0; b < groups; ++b) sums[b].add_product(residue[i], group == b ? factor[i] : 0);
      if (at.k == 0 && group < mp_band_window) mask |= 1u << group;
    }
  }
  const RnsModulus modulus = load_modulus(p.modulus + at.k);
#pragma unroll
  for (int b = 0; b < groups; ++b) {
    std::uint64_t sum = sums[b].modulo(modulus);
#pragma unroll
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(full_warp, sum, half);
    const int group = at.window * mp_band_window + b;
    if (lane == 0 && group < g.sums.groups) sum_at(g, at, group)[j] = rns_reduce(sum, modulus);
  }
  if (at.k != 0) return;
#pragma unroll
  for (int half = 16; half > 0; half /= 2) mask |= __shfl_down_sync(full_warp, mask, half);
  if (lane == 0) mask_at(g, at)[j] = static_cast<std::uint8_t>(mask);
}

}  // namespace

MpBandSums plan_mp_band_sums(const DeviceModel& model, Index m, Index n, int moduli, bool transposed, int columns,
                             int groups) {
  MpBandSums plan{};
  plan.groups = groups;
  const MpTuning& tuning = model.tuning().mp;
  plan.windows = ceil_div(groups, mp_band_window);
  const Index terms = transposed ? m : n, tiles = transposed ? ceil_div(n, bands_warps) : ceil_div(m, 128);
  const Index blocks = tiles * moduli * columns * plan.windows, wanted = tuning.band_blocks * model.processors;
  Index segments = std::clamp<Index>(wanted / blocks, 1, std::max<Index>(1, terms / tuning.band_terms));
  if (!transposed) segments = std::max(segments, ceil_div(terms, most_shared_terms));
  plan.terms = std::max<Index>(4, round_up(ceil_div(terms, segments), 4));
  plan.segments = static_cast<int>(ceil_div(terms, plan.terms));
  return plan;
}

void mp_band_products(const DeviceModel& model, const MpResidueProduct& p, const MpBandProduct& b, bool transposed,
                      cudaStream_t stream) {
  const BandsJob job{p, b.sums, b.a_band, b.z_band, b.call, b.matrix, b.width};
  const Index tiles = transposed ? ceil_div(p.n, bands_warps) : ceil_div(p.m, 128);
  const LaunchShape shape{dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(b.sums.segments),
                               static_cast<unsigned>(p.moduli * p.columns * b.sums.windows)),
                          bands_threads, transposed ? 0 : static_cast<std::size_t>(b.sums.terms) * sizeof(uint2)};
  const auto run = [&](auto* rows, auto* columns) {
    launch(model, "mp_band_products", transposed ? columns : rows, shape, stream, job);
  };
  if (b.sums.groups <= 2) return run(bands_rows<2>, bands_columns<2>);
  if (b.sums.groups <= 4) return run(bands_rows<4>, bands_columns<4>);
  run(bands_rows<mp_band_window>, bands_columns<mp_band_window>);
}

}  // namespace accublas::cuda
