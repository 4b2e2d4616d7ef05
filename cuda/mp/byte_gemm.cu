// Residue products for many columns on tensor cores. A residue of 31 bits is four bytes, as it lies in memory. The
// weights of its bytes are z, 2^8 z, 2^16 z and 2^24 z modulo m, four bytes each, so that a product of residues takes
// 16 products of bytes (cuda/mp/byte_product.hpp) and no change of basis.
//
// A thread block computes 128 outputs of 32 columns modulo one modulus, a warp 32 outputs of 16 columns. It takes 16
// terms at a time from shared memory, while the next ones are on their way to registers.
#include "cuda/core/launch.hpp"
#include "cuda/mp/byte_product.hpp"
#include "cuda/mp/kernels.hpp"

namespace accublas::cuda {

namespace {

constexpr int gemm_threads = 256, tile_outputs = 128, block_columns = 32, stage_terms = 16;
constexpr int warp_outputs = 32, warp_columns = 16;
constexpr int stage_steps = stage_terms / 8, column_groups = block_columns / 4, warp_groups = warp_columns / 4;
/// Terms whose products of bytes have sums below 2^32: 4 2^14 255^2.
constexpr Index terms_at_once = 1 << 14;

/// The layout of the matrix's residues in shared memory: word (term, output) is at [term by_term + output by_output].
/// Reads by byte_products' pattern have no bank conflicts.
template <bool transposed>
struct StageLayout {
  static constexpr int by_term = transposed ? 1 : tile_outputs + 8, by_output = transposed ? stage_terms + 4 : 1;
  static constexpr int words = transposed ? tile_outputs * by_output : stage_terms * by_term;
};

/// Returns 2^8 z mod m. 2^31 = 2^31 - m < 2^14 modulo m; replacing it leaves less than 2^31 + 2^22 < 2 m.
__device__ __forceinline__ std::uint32_t times_256(std::uint32_t z, std::uint32_t m) {
  const std::uint32_t r = (z << 8 & 0x7FFFFFFFu) + (z >> 23) * (0x80000000u - m);
  return r >= m ? r - m : r;
}

/// Returns byte c of each of four words.
__device__ __forceinline__ std::uint32_t bytes_of(const std::uint32_t (&w)[4], unsigned c) {
  const unsigned pair = c | (c + 4) << 4;
  return __byte_perm(__byte_perm(w[0], w[1], pair), __byte_perm(w[2], w[3], pair), 0x5410);
}

/// The residues of a stage on their way to shared memory.
struct Loaded {
  uint4 a[2];
  std::uint32_t z[2];
};

template <bool transposed>
struct Stage {
  std::uint32_t a[StageLayout<transposed>::words];
  uint4 weight[stage_steps][column_groups][32];  ///< as byte_products reads them

  static __device__ __forceinline__ Loaded load(const MpResidueProduct& p, Index k, Index output, Index column,
                                                Index term) {
    Loaded r;
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      const int x = threadIdx.x + gemm_threads * u;
      const Index line = transposed ? output + x / 4 : term + x / 32,
                  at = transposed ? term + x % 4 * 4 : output + x % 32 * 4;
      r.a[u] = line < p.n && at < p.ld ? __ldg(reinterpret_cast<const uint4*>(p.a + k * p.plane + line * p.ld + at))
                                       : make_uint4(0, 0, 0, 0);
      const Index q = term + x % stage_terms, v = column + x / stage_terms;
      r.z[u] = v < p.columns && q < p.z_stride ? __ldcg(p.z + (v * p.moduli + k) * p.z_stride + q) : 0;
    }
    return r;
  }

  __device__ __forceinline__ void store(const Loaded& r, std::uint32_t m) {
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      const int x = threadIdx.x + gemm_threads * u;
      const int at = transposed ? x / 4 * StageLayout<true>::by_output + x % 4 * 4
                                : x / 32 * StageLayout<false>::by_term + x % 32 * 4;
      *reinterpret_cast<uint4*>(a + at) = r.a[u];
      const int term = x % stage_terms, column = x / stage_terms;
      std::uint32_t w[4] = {r.z[u]};
#pragma unroll
      for (int b = 1; b < 4; ++b) w[b] = times_256(w[b - 1], m);
        // Lane 4 (2 v + c) + t of a group has bytes c and c + 2 of column v, for terms t and t + 4 of a step.
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        std::uint32_t* const to =
            reinterpret_cast<std::uint32_t*>(&weight[term / 8][column / 4][4 * (2 * (column % 4) + c) + term % 4]);
        to[term % 8 / 4] = bytes_of(w, static_cast<unsigned>(c));
        to[2 + term % 8 / 4] = bytes_of(w, static_cast<unsigned>(2 + c));
      }
    }
  }
};

template <bool transposed>
__global__ void __launch_bounds__(gemm_threads, 2) byte_gemm_kernel(const __grid_constant__ MpResidueProduct p) {
  using Layout = StageLayout<transposed>;
  __shared__ Stage<transposed> stages[2];
  const Index outputs = transposed ? p.n : p.m, terms = transposed ? p.m : p.n, k = blockIdx.z,
              output = static_cast<Index>(blockIdx.x) * tile_outputs,
              column = static_cast<Index>(blockIdx.y) * block_columns;
  if (!holds_some(p.triangle, output, tile_outputs, p.first + column, block_columns)) return await_predecessor();
  const RnsModulus modulus = load_modulus(p.modulus + k);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp % (tile_outputs / warp_outputs) * warp_outputs,
            group = warp / (tile_outputs / warp_outputs) * warp_groups;
  await_predecessor();
  std::uint32_t totals[warp_groups][2][2] = {};
  for (Index first = 0; first < terms; first += terms_at_once) {
    const Index end = min(terms, first + terms_at_once);
    ByteSums<2> sums[warp_groups];
    Loaded next = Stage<transposed>::load(p, k, output, column, first);
    int current = 0;
    for (Index term = first; term < end; term += stage_terms, current ^= 1) {
      stages[current].store(next, modulus.m);
      __syncthreads();
      if (term + stage_terms < end) next = Stage<transposed>::load(p, k, output, column, term + stage_terms);
      const Stage<transposed>& stage = stages[current];
#pragma unroll
      for (int step = 0; step < stage_steps; ++step) {
        std::uint32_t rows[2][4];
        const std::uint32_t* const from =
            stage.a + (8 * step + lane % 4) * Layout::by_term + (row + lane / 4) * Layout::by_output;
#pragma unroll
        for (int t = 0; t < 2; ++t)
#pragma unroll
          for (int g = 0; g < 2; ++g)
#pragma unroll
            for (int h = 0; h < 2; ++h)
              rows[t][h + 2 * g] = from[4 * g * Layout::by_term + (16 * t + 8 * h) * Layout::by_output];
#pragma unroll
        for (int v = 0; v < warp_groups; ++v) {
          const uint4 w = stage.weight[step][group + v][lane];
#pragma unroll
          for (int t = 0; t < 2; ++t) {
            ptx::mma_16x8x32(sums[v].low[t], rows[t], w.x, w.y);
            ptx::mma_16x8x32(sums[v].high[t], rows[t], w.z, w.w);
          }
        }
      }
    }
    __syncthreads();  // before the next terms are stored
#pragma unroll
    for (int v = 0; v < warp_groups; ++v)
#pragma unroll
      for (int t = 0; t < 2; ++t)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          totals[v][t][h] = rns_add(totals[v][t][h], rns_reduce(sums[v].value(t, h), modulus), modulus);
  }
#pragma unroll
  for (int v = 0; v < warp_groups; ++v) {
    const Index c = column + 4 * (group + v) + lane % 4;
    if (c >= p.columns) continue;
    std::uint32_t* const y = p.y + (c * p.moduli + k) * p.y_stride;
#pragma unroll
    for (int t = 0; t < 2; ++t)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const Index o = output + row + 16 * t + 8 * h + lane / 4;
        if (o < outputs) y[o] = totals[v][t][h];
      }
  }
}

}  // namespace

void mp_byte_gemm(const DeviceModel& model, const MpResidueProduct& p, bool transposed, cudaStream_t stream) {
  const Index outputs = transposed ? p.n : p.m;
  const dim3 grid(static_cast<unsigned>(ceil_div(outputs, Index{tile_outputs})),
                  static_cast<unsigned>(ceil_div(p.columns, block_columns)), static_cast<unsigned>(p.moduli));
  if (transposed)
    launch(model, "mp_byte_gemm", byte_gemm_kernel<true>, {grid, gemm_threads, 0}, stream, p);
  else
    launch(model, "mp_byte_gemm", byte_gemm_kernel<false>, {grid, gemm_threads, 0}, stream, p);
}

}  // namespace accublas::cuda
