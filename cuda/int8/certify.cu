// The certificate's test over a block of sums: where these are collected chunk by chunk (else the product kernels test
// them, cuda/int8/certify_output.hpp).
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/certify.hpp"
#include "cuda/int8/certify_element.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int cols_a_lane = 4, lanes_a_word = 32 / cols_a_lane;
constexpr int warps_across = 2, warps_down = warps / warps_across;
constexpr int cols_a_block = warps_across * 32 * cols_a_lane, rows_a_warp = 16, rows_a_block = warps_down * rows_a_warp;
constexpr int batch = 4;  ///< rows whose sums are in flight
constexpr unsigned all_lanes = 0xFFFFFFFFu;

/// A warp takes 128 columns of 16 rows; a lane has four consecutive columns, eight lanes a word of `open`.
template <bool Long>
__global__ void __launch_bounds__(threads, 4)
    certify_block(const std::int32_t* sums, Index block_cols, Lines rows, Lines cols, Index first_row, Index rows_count,
                  Index first_col, Index cols_count, const __grid_constant__ Wanted wanted,
                  const __grid_constant__ Rungs rungs, Index elements, std::uint32_t* open, CallState* state) {
  await_predecessor();
  if (state->refused || state->common_moduli > 0) return;
  __shared__ LineFacts row_facts[rows_a_block];
  __shared__ int block_rung;
  __shared__ unsigned block_rejected;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const Index r0 = Index{blockIdx.y} * rows_a_block, c0 = Index{blockIdx.x} * cols_a_block;
  const int block_rows = static_cast<int>(rows_count - r0 < rows_a_block ? rows_count - r0 : rows_a_block);
  if (threadIdx.x < block_rows) row_facts[threadIdx.x] = facts_of(rows, first_row + r0 + threadIdx.x);
  if (threadIdx.x == 0) block_rung = 0, block_rejected = 0;
  __syncthreads();

  const int row = warp / warps_across * rows_a_warp;
  const int count = block_rows - row < rows_a_warp ? block_rows - row : rows_a_warp;
  const Index c = c0 + (warp % warps_across * 32 + lane) * cols_a_lane, words = OpenBits::words_per_row(cols.count);
  LineFacts col[cols_a_lane];
  unsigned inside = 0, special = 0;
#pragma unroll
  for (int j = 0; j < cols_a_lane; ++j) {
    col[j] = c + j < cols_count ? facts_of(cols, first_col + c + j) : LineFacts{0, never};
    inside |= (c + j < cols_count ? 1u : 0u) << j;
    special |= (col[j].needed == never ? 1u : 0u) << j;
  }
  // Others may have found more already.
  const int known = *static_cast<volatile std::int32_t*>(&state->largest_rung);
  Found found(known);
  Rung rung = rungs.rung[found.rung];
  const Index terms = rows.k;
  const int last = rungs.count - 1;

  const std::int32_t* from = sums + (r0 + row) * block_cols + c;
  std::uint32_t* to = open + (first_row + r0 + row) * words + (first_col + c) / 32;
  for (int r = 0; r < count; r += batch) {
    int4 x[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      x[i] = inside != 0 && r + i < count ? __ldcs(reinterpret_cast<const int4*>(from)) : int4{};
      from += block_cols;
    }
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      if (r + i >= count) break;
      const LineFacts line = row_facts[row + r + i];
      const std::int32_t sum[cols_a_lane] = {x[i].x, x[i].y, x[i].z, x[i].w};
      const unsigned exist = inside & wanted.mask(r0 + row + r + i, c);
      unsigned bits = exist;
      if (line.needed != never) {
        unsigned good = 0;
#pragma unroll
        for (int j = 0; j < cols_a_lane; ++j) {
          const bool exact = max(line.needed, col[j].needed) <= rung.t;
          good |= (exact || suffices<Long>(rung, line.lambda, col[j].lambda, sum[j], terms) ? 1u : 0u) << j;
        }
        good &= exist & ~special;
        found.accepted |= good != 0;
        unsigned left = exist & ~special & ~good;
        if (left != 0 && found.rung < last) {
#pragma unroll
          for (int j = 0; j < cols_a_lane; ++j) {
            if ((left >> j & 1) == 0) continue;
            const auto enough = [&](int at) {
              return max(line.needed, col[j].needed) <= rungs.rung[at].t ||
                     suffices<Long>(rungs.rung[at], line.lambda, col[j].lambda, sum[j], terms);
            };
            if (found.accept(rungs.count, enough)) good |= 1u << j;
          }
          left &= ~good;
          rung = rungs.rung[found.rung];
        }
        found.rejected += __popc(left);
        bits = exist & ~good;
      }
      std::uint32_t word = bits << lane % lanes_a_word * cols_a_lane;
#pragma unroll
      for (int mask = 1; mask < lanes_a_word; mask *= 2) word |= __shfl_xor_sync(all_lanes, word, mask);
      if (lane % lanes_a_word == 0 && inside != 0) *to = word;
      to += words;
    }
  }

  const unsigned rejected = lanes_sum(found.rejected);
  const int most = lanes_max(found.accepted ? 1 + found.rung : 0);
  if (lane == 0) {
    if (most > 0) atomicMax(&block_rung, most);
    if (rejected > 0) atomicAdd(&block_rejected, rejected);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    if (block_rung > known) atomicMax(&state->largest_rung, block_rung);
    count_rejected(*state, block_rejected, elements);
  }
}

}  // namespace

template <class T>
void certify(const DeviceModel& model, const std::int32_t* sums, Index block_cols, const Lines& rows, const Lines& cols,
             Index first_row, Index rows_count, Index first_col, Index cols_count, const Wanted& wanted, Index elements,
             std::uint32_t* open, CallState* state, cudaStream_t stream) {
  if (rows_count <= 0 || cols_count <= 0) return;
  const Rungs rungs = make_rungs<T>(rows.k, all_rungs);
  const auto kernel = long_sums(rows.k) ? certify_block<true> : certify_block<false>;
  // The second dimension of a grid ends at 65,535.
  constexpr Index most_rows = Index{65535} * rows_a_block;
  for (Index r = 0; r < rows_count; r += most_rows) {
    const Index count = rows_count - r < most_rows ? rows_count - r : most_rows;
    const dim3 grid(static_cast<unsigned>(ceil_div(cols_count, cols_a_block)),
                    static_cast<unsigned>(ceil_div(count, rows_a_block)));
    launch(model, "certify", kernel, {grid, threads}, stream, sums + r * block_cols, block_cols, rows, cols,
           first_row + r, count, first_col, cols_count, wanted.from(r, 0), rungs, elements, open, state);
  }
}

template void certify<double>(const DeviceModel&, const std::int32_t*, Index, const Lines&, const Lines&, Index, Index,
                              Index, Index, const Wanted&, Index, std::uint32_t*, CallState*, cudaStream_t);
template void certify<float>(const DeviceModel&, const std::int32_t*, Index, const Lines&, const Lines&, Index, Index,
                             Index, Index, const Wanted&, Index, std::uint32_t*, CallState*, cudaStream_t);

}  // namespace accublas::cuda
