// The certificate's test over a block of sums (docs/modes.md, dp), exact in 64-bit integers.
//
// T suffices where 2^s (k + 1) X >= lambda + mu + least, s = T + 11 - v >= 0 (lib/numerics/certificate.hpp). Divided by
// 2^s, that is (k + 1) X >= ceil((lambda + mu + least) / 2^s): no number here is above 2^63 for k < 2^31, X being below
// 2^31.
#include "cuda/check.hpp"
#include "cuda/kernels.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas::cuda {

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int rows_a_block = 64, cols_a_block = 32 * warps;
constexpr int batch = 8;  ///< rows whose sums are in flight

struct Rung {
  int t, shift;
  std::int64_t least;
};
struct Rungs {
  int count;
  Rung rung[6];
};
template <class T>
Rungs make_rungs(Index k) {
  constexpr CertificateRungs list = certificate_rungs<T>();
  Rungs r{};
  r.count = list.count;
  for (int i = 0; i < list.count; ++i)
    r.rung[i] = {list.t[i], list.t[i] + 11 - list.digits, certificate_test(list.t[i], list.digits, k).least};
  return r;
}

/// What is known of a line; `needed` is that of a line that drops bits at every rung if it is special.
struct LineFacts {
  std::int64_t lambda;
  int needed;
  bool special;
};
__device__ LineFacts facts_of(const Lines& lines, Index i) {
  // lambda is an integer, also where it is an upper bound.
  return {static_cast<std::int64_t>(lines.lambda[i]),
          static_cast<int>(lines.exponent[i]) - static_cast<int>(lines.last_bit[i]), lines.special[i] != 0};
}

__device__ bool suffices(const Rung& rung, int needed, std::int64_t lambda_mu, std::int64_t scaled_sum) {
  if (needed <= rung.t) return true;
  const std::int64_t bound = lambda_mu + rung.least + ((std::int64_t{1} << rung.shift) - 1);
  return scaled_sum >= bound >> rung.shift;
}

/// A warp takes 32 columns, a word of `open`, and goes through the block's rows. What suffices at T suffices above, so
/// an element is tried first at the largest rung so far.
__global__ void __launch_bounds__(threads)
    certify_block(const std::int32_t* sums, Index block_cols, Lines rows, Lines cols, Index first_row, Index rows_count,
                  Index first_col, Index cols_count, const __grid_constant__ Rungs rungs, std::uint32_t* open,
                  CallState* state) {
  __shared__ LineFacts row_facts[rows_a_block];
  __shared__ int block_rung;
  __shared__ unsigned block_rejected;
  const Index r0 = Index{blockIdx.y} * rows_a_block, c0 = Index{blockIdx.x} * cols_a_block;
  const int count = static_cast<int>(rows_count - r0 < rows_a_block ? rows_count - r0 : rows_a_block);
  if (threadIdx.x < count) row_facts[threadIdx.x] = facts_of(rows, first_row + r0 + threadIdx.x);
  if (threadIdx.x == 0) block_rung = 0, block_rejected = 0;
  __syncthreads();

  const int lane = threadIdx.x % 32;
  const Index c = c0 + threadIdx.x, words = OpenBits::words_per_row(cols.count);
  const bool exists = c < cols_count;
  const LineFacts col = exists ? facts_of(cols, first_col + c) : LineFacts{0, 0, false};
  const Index factor = rows.k + 1;
  int rung = 0;
  bool accepted_any = false;
  unsigned rejected = 0;
  if (c - lane < cols_count) {
    const std::int32_t* from = sums + r0 * block_cols + c;
    std::uint32_t* const to = open + (first_row + r0) * words + (first_col + c) / 32;
    for (int r = 0; r < count; r += batch) {
      std::int32_t x[batch];
#pragma unroll
      for (int i = 0; i < batch; ++i) x[i] = exists && r + i < count ? __ldcs(from + (r + i) * block_cols) : 0;
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        if (r + i >= count) break;
        const LineFacts& row = row_facts[r + i];
        const bool special = row.special || col.special;
        bool accepted = false;
        if (exists && !special) {
          const std::int64_t lambda_mu = row.lambda + col.lambda, scaled = x[i] * factor;
          const int needed = max(row.needed, col.needed);
          int at = rung;
          while (at < rungs.count && !suffices(rungs.rung[at], needed, lambda_mu, scaled)) ++at;
          accepted = at < rungs.count;
          accepted_any |= accepted;
          rejected += !accepted;
          if (accepted) rung = at;
        }
        const unsigned word = __ballot_sync(0xFFFFFFFFu, exists && !accepted);
        if (lane == 0) to[(r + i) * words] = word;
      }
    }
  }

  rejected = __reduce_add_sync(0xFFFFFFFFu, rejected);
  rung = __reduce_max_sync(0xFFFFFFFFu, accepted_any ? 1 + rung : 0);
  if (lane == 0) {
    if (rung > 0) atomicMax(&block_rung, rung);
    if (rejected > 0) atomicAdd(&block_rejected, rejected);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    if (block_rung > *static_cast<volatile std::int32_t*>(&state->largest_rung))
      atomicMax(&state->largest_rung, block_rung);
    if (block_rejected > 0) {
      atomicAdd(&state->rejected, static_cast<unsigned long long>(block_rejected));
      atomicAdd(&state->rejected_in_all, static_cast<unsigned long long>(block_rejected));
    }
  }
}

}  // namespace

template <class T>
void certify(const DeviceModel&, const std::int32_t* sums, Index block_cols, const Lines& rows, const Lines& cols,
             Index first_row, Index rows_count, Index first_col, Index cols_count, std::uint32_t* open,
             CallState* state, cudaStream_t stream) {
  if (rows_count <= 0 || cols_count <= 0) return;
  const Rungs rungs = make_rungs<T>(rows.k);
  // The second dimension of a grid ends at 65,535.
  constexpr Index most_rows = Index{65535} * rows_a_block;
  for (Index r = 0; r < rows_count; r += most_rows) {
    const Index count = rows_count - r < most_rows ? rows_count - r : most_rows;
    const dim3 grid(static_cast<unsigned>((cols_count + cols_a_block - 1) / cols_a_block),
                    static_cast<unsigned>((count + rows_a_block - 1) / rows_a_block));
    certify_block<<<grid, threads, 0, stream>>>(sums + r * block_cols, block_cols, rows, cols, first_row + r, count,
                                                first_col, cols_count, rungs, open, state);
  }
  check_launch("certify");
}

template void certify<double>(const DeviceModel&, const std::int32_t*, Index, const Lines&, const Lines&, Index, Index,
                              Index, Index, std::uint32_t*, CallState*, cudaStream_t);
template void certify<float>(const DeviceModel&, const std::int32_t*, Index, const Lines&, const Lines&, Index, Index,
                             Index, Index, std::uint32_t*, CallState*, cudaStream_t);

}  // namespace accublas::cuda
