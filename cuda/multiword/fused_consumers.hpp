// The consumers of the fused multiword product: two warpgroups multiply the words in the ring by warpgroup MMAs of 64 x
// 128 or 64 x 256 and write C.
#pragma once

#include "cuda/core/ptx_hopper.hpp"
#include "cuda/multiword/fused_output.hpp"
#include "cuda/multiword/fused_ring.hpp"
#include "cuda/multiword/words.hpp"

namespace accublas::cuda::hopper::fused {

/// Accumulators of `pieces` pieces, each of 64 rows and 128 columns.
template <int pieces>
using Sums = float[pieces][64];

/// Computes sums = (add ? sums : 0) + words of rows times words of columns.
template <WordKind words, int pieces>
__device__ __forceinline__ void mma(Sums<pieces>& sums, std::uint64_t rows, std::uint64_t cols, int add) {
#pragma unroll
  for (int i = 0; i < pieces; ++i, cols += 128 * 128 / 16) {
    if constexpr (words == WordKind::tf32)
      ptx::mma_tf32(sums[i], rows, cols, add);
    else
      ptx::mma_half(sums[i], rows, cols, add);
  }
}

template <class C>
__device__ void consume(const Job& job, const Ring<C>& ring) {
  const int warpgroup = threadIdx.x / 128, warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
  const int rank = C::cluster > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
  const Index steps = ceil_div(job.product.rows.k, Index{C::step});
  const auto free_stage = [&](int stage) {
    if (lane < C::cluster) ptx::barrier_arrive(ring.empty(stage), lane);
  };
  // Sums are added to the kept ones by plain additions, which round to nearest.
  float4* const mine = ring.kept + threadIdx.x;
  constexpr int in_shared = 16 - C::kept_registers / 4;  // of 16 groups of four sums
  [[maybe_unused]] float kept[C::kept_registers + 1];
  const auto add_kept = [&](auto& sums, int i) {
    float* const s = &sums[0][4 * i];
    if (i >= in_shared) {
#pragma unroll
      for (int j = 0; j < 4; ++j) s[j] += kept[4 * (i - in_shared) + j];
    } else {
      const float4 old = mine[i * 128 * consumers];
      s[0] += old.x, s[1] += old.y, s[2] += old.z, s[3] += old.w;
    }
  };
  const auto keep = [&](auto& sums, bool any) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (any) add_kept(sums, i);
      const float* const s = &sums[0][4 * i];
      if (i >= in_shared) {
#pragma unroll
        for (int j = 0; j < 4; ++j) kept[4 * (i - in_shared) + j] = s[j];
      } else {
        mine[i * 128 * consumers] = {s[0], s[1], s[2], s[3]};
      }
    }
  };
  constexpr float minor_scale = C::words == WordKind::tf32_half ? 1 / words::second_scale : 1.0f;
  Position<C> at{0, 0};
  for (Walk<C> walk(job); !walk.ended(); walk.advance()) {
    Sums<C::cols / 128> major, minor;  // minor: used if small products are added up separately
    for (Index step = 0; step < steps; ++step, at.advance()) {
      const bool keeps = C::apart && step > 0 && step % (kept_terms / C::step) == 0;
      if (keeps) keep(major, step > kept_terms / C::step);
      ptx::barrier_wait(ring.full(at.stage), at.parity);
      const std::uint64_t rows1 = ptx::line_descriptor(ring.row_words(at.stage, 0) + warpgroup * unit_bytes);
      const std::uint64_t cols1 = ptx::line_descriptor(ring.col_words(at.stage, 0));
      const std::uint64_t rows2 = rows1 + C::row_bytes / 16, cols2 = cols1 + C::col_bytes / 16;
      ptx::mma_begin();
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const int add = step > 0 || part > 0;
        const std::uint64_t on = 2 * part;
        if constexpr (C::apart) {
          if constexpr (C::products > 3) mma<C::words>(minor, rows2 + on, cols2 + on, add);
          mma<C::words>(minor, rows2 + on, cols1 + on, C::products > 3 ? 1 : add);
          mma<C::words>(minor, rows1 + on, cols2 + on, 1);
        }
        mma<C::words>(major, rows1 + on, cols1 + on, part > 0 || (step > 0 && !keeps));
      }
      ptx::mma_commit();
      // The other warpgroup's MMAs fill the gap. If the stage were freed later, the producers would lack it.
      ptx::mma_wait<0>();
      free_stage(at.stage);
    }
    if (C::apart && steps > kept_terms / C::step) {
#pragma unroll
      for (int i = 0; i < 16; ++i) add_kept(major, i);
    }

    Output<C> output(job, walk.row + rank * rows + warpgroup * unit_lines + 2 * (warp * 16 + lane / 4) % 64 +
                              (warp * 16 + lane / 4) / 32);
#pragma unroll
    for (int group = 0; group < C::cols / 16; ++group) {
      const Index col = walk.col + group * 16 + 4 * (lane % 4);
      const auto columns = output.columns(col);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float sums[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int q = 4 * (group % 8 / 4 * 8 + group % 4 + 4 * (i % 2)) + 2 * half + i / 2;
          sums[i] = major[group / 8][q];
          if constexpr (C::apart) sums[i] += minor_scale * minor[group / 8][q];
        }
        output.store(sums, half, col, columns);
      }
    }
  }
}

}  // namespace accublas::cuda::hopper::fused
