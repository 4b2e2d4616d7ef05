// The producers of the fused multiword product. They read FP32 entries of A and B, split them into words in registers
// and store the words in the ring, k-major and swizzled for operands of either orientation. A cluster of two blocks,
// one above the other, splits its columns once, half of them in each block, and each block sends its words to the
// other's shared memory.
#pragma once

#include "cuda/core/ptx_hopper.hpp"
#include "cuda/core/ptx_words.hpp"
#include "cuda/multiword/fused_ring.hpp"
#include "cuda/multiword/words.hpp"

namespace accublas::cuda::hopper::fused {

/// A thread's entries of a unit. If the operand lies along the terms, the thread has four neighbouring terms of each of
/// some lines; otherwise it has two neighbouring lines of some terms.
template <class C, bool along>
struct Entries {
  static constexpr int count = unit_lines * C::step / producer_threads;
  static constexpr int lanes = C::step / 4;  ///< lanes that share a line, if the operand lies along the terms
  static constexpr int lines_at_once = producer_threads / lanes;
  static constexpr int terms = C::step / producer_warps;  ///< terms of a warp, if the operand lies across them
  float x[count];

  __device__ __forceinline__ void load(const Operand<float>& operand, bool vectors, Index first, Index p0) {
    const int t = static_cast<int>(threadIdx.x) - 128 * consumers;
    const Index line = first + (along ? t / lanes : 2 * (t % 32)), p = p0 + (along ? 4 * (t % lanes) : t / 32 * terms);
    const float* at = operand.data + line * operand.stride + p * operand.k_stride;
    const Index far = along ? operand.stride * lines_at_once : operand.k_stride;
    if (vectors && first + unit_lines <= operand.count && p0 + C::step <= operand.k) {
      if constexpr (along) {
#pragma unroll
        for (int r = 0; r < count / 4; ++r, at += far) {
          const float4 v = ptx::load_numbers_once(reinterpret_cast<const float4*>(at));
          x[4 * r] = v.x, x[4 * r + 1] = v.y, x[4 * r + 2] = v.z, x[4 * r + 3] = v.w;
        }
      } else {
#pragma unroll
        for (int i = 0; i < terms; ++i, at += far) {
          const float2 v = ptx::load_numbers_once(reinterpret_cast<const float2*>(at));
          x[2 * i] = v.x, x[2 * i + 1] = v.y;
        }
      }
    } else if constexpr (along) {
#pragma unroll
      for (int r = 0; r < count / 4; ++r, at += far)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          x[4 * r + i] =
              line + r * lines_at_once < operand.count && p + i < operand.k ? at[i * operand.k_stride] : 0.0f;
    } else {
#pragma unroll
      for (int i = 0; i < terms; ++i, at += far)
#pragma unroll
        for (int j = 0; j < 2; ++j)
          x[2 * i + j] = line + j < operand.count && p + i < operand.k ? at[j * operand.stride] : 0.0f;
    }
  }

  /// Scales a number by the second factor if two separate factors are used.
  __device__ __forceinline__ static float pre(float x, float2 scale) { return C::separate_scales ? x * scale.y : x; }

  /// Stores the words in the unit's lines at `first` and `second` in shared memory.
  __device__ __forceinline__ void store(const float2* scales, std::uint32_t first, std::uint32_t second) const {
    using Pair = words::Pair<C::words>;
    const int t = static_cast<int>(threadIdx.x) - 128 * consumers;
    const auto scale_of = [&](int line) { return C::scaled ? scales[line] : float2{1.0f, 1.0f}; };
    if constexpr (along) {
#pragma unroll
      for (int r = 0; r < count / 4; ++r) {
        const int line = t / lanes + r * lines_at_once, n = line / 2 + 32 * (line % 2);
        const float2 s = scale_of(line);
        const float* const v = x + 4 * r;
        const Pair low(pre(v[0], s), pre(v[1], s), s.x, s.x), high(pre(v[2], s), pre(v[3], s), s.x, s.x);
        if constexpr (C::words == WordKind::tf32) {
          const std::uint32_t at = n * 128 + ((t % lanes ^ (n & 7)) << 4);
          ptx::store_shared(first + at, low.first[0], low.first[1], high.first[0], high.first[1]);
          if constexpr (C::word_sets > 1)
            ptx::store_shared(second + at, low.second[0], low.second[1], high.second[0], high.second[1]);
        } else {
          const std::uint32_t at = n * 128 + ((t % lanes / 2 ^ (n & 7)) << 4) + t % 2 * 8;
          ptx::store_shared(first + at, low.first, high.first);
          if constexpr (C::word_sets > 1) ptx::store_shared(second + at, low.second, high.second);
        }
      }
    } else {
      const int lane = t % 32;
      const std::uint32_t at = lane * 128 + ((t / 32 ^ (lane & 7)) << 4);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const float2 s = scale_of(2 * lane + j);
        const auto pair = [&](int i) { return Pair(pre(x[2 * i + j], s), pre(x[2 * i + 2 + j], s), s.x, s.x); };
        if constexpr (C::words == WordKind::tf32) {
          const Pair a = pair(0), b = pair(2);
          ptx::store_shared(first + at + j * 4096, a.first[0], a.first[1], b.first[0], b.first[1]);
          if constexpr (C::word_sets > 1)
            ptx::store_shared(second + at + j * 4096, a.second[0], a.second[1], b.second[0], b.second[1]);
        } else {
          const Pair a = pair(0), b = pair(2), d = pair(4), e = pair(6);
          ptx::store_shared(first + at + j * 4096, a.first, b.first, d.first, e.first);
          if constexpr (C::word_sets > 1)
            ptx::store_shared(second + at + j * 4096, a.second, b.second, d.second, e.second);
        }
      }
    }
  }
};

/// The position of the producers' next loads: a step of a tile.
template <class C>
struct Source {
  Walk<C> walk;
  Index row, col;  ///< first row and column of the lines that this block splits
  Index p = 0;
  int tile = 0;

  __device__ explicit Source(const Job& job) : walk(job) {}
  __device__ void begin_tile(const Job& job, float2* scales) {
    const int rank = C::cluster > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
    row = walk.row + rank * rows;
    col = walk.col + rank * C::own_cols;
    if constexpr (C::scaled) {
      float2* const to = scales + tile % 2 * (rows + C::own_cols);
      const MultiwordProduct& m = job.product;
      for (int i = static_cast<int>(threadIdx.x) - 128 * consumers; i < rows + C::own_cols; i += producer_threads) {
        const bool of_rows = i < rows;
        const Lines& lines = of_rows ? m.row_lines : m.col_lines;
        const Index line = of_rows ? row + i : col + i - rows;
        to[i] = words::scale_factors(line < lines.count ? lines.exponent[line] : 0);
      }
    }
  }
  /// Moves on to the next step; returns true if another tile begins.
  __device__ bool advance(Index k) {
    p += C::step;
    if (p < k) return false;
    p = 0;
    ++tile;
    walk.advance();
    return true;
  }
};

template <class C, bool rows_along, bool cols_along>
__device__ void produce(const Job& job, const Ring<C>& ring) {
  const MultiwordProduct& m = job.product;
  const int rank = C::cluster > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
  const bool leader = threadIdx.x == 128 * consumers;
  constexpr int table = rows + C::own_cols;
  Source<C> source(job);
  if (source.walk.ended()) return;
  Entries<C, rows_along> of_rows[C::row_units];
  Entries<C, cols_along> of_cols[C::col_units];
  // All loads of a step are issued together: ptxas gives them one scoreboard, so a wait for one of them waits for all.
  const auto load = [&] {
#pragma unroll
    for (int u = 0; u < C::col_units; ++u)
      of_cols[u].load(m.cols, job.cols_vectors, source.col + u * unit_lines, source.p);
#pragma unroll
    for (int u = 0; u < C::row_units; ++u)
      of_rows[u].load(m.rows, job.rows_vectors, source.row + u * unit_lines, source.p);
  };
  source.begin_tile(job, ring.scales);
  load();
  ptx::barrier_sync(1, producer_threads);  // waits for the scales
  for (Position<C> at{0, 1};; at.advance()) {
    const float2* const scales = ring.scales + source.tile % 2 * table;
    if (source.advance(m.rows.k) && !source.walk.ended()) source.begin_tile(job, ring.scales);
    const bool more = !source.walk.ended();
    ptx::barrier_wait(ring.empty(at.stage), at.parity);
    // The columns come first, because they have further to go.
#pragma unroll
    for (int u = 0; u < C::col_units; ++u) {
      const std::uint32_t offset = (rank * C::own_cols + u * unit_lines) * 128;
      of_cols[u].store(scales + rows + u * unit_lines, ring.col_words(at.stage, 0) + offset,
                       ring.col_words(at.stage, 1) + offset);
    }
#pragma unroll
    for (int u = 0; u < C::row_units; ++u) {
      const std::uint32_t offset = u * unit_bytes;
      of_rows[u].store(scales + u * unit_lines, ring.row_words(at.stage, 0) + offset,
                       ring.row_words(at.stage, 1) + offset);
    }
    if (more) load();
    ptx::publish_shared_writes();
    ptx::barrier_sync(1, producer_threads);
    if (leader) {
      ptx::barrier_expect(ring.full(at.stage), C::peer_bytes);
      if constexpr (C::cluster > 1) {
        for (int word = 0; word < C::word_sets; ++word)
          ptx::copy_to_peer(ring.col_words(at.stage, word) + rank * C::own_cols * 128, C::own_cols * 128,
                            ring.full(at.stage), rank ^ 1);
      }
    }
    if (!more) return;
  }
}

}  // namespace accublas::cuda::hopper::fused
