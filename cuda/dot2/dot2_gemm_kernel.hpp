// The kernel of dot2's GEMM (docs/modes.md, dot2), for a tile shape of cuda/dot2/dot2_gemm_table.hpp. The CPU's
// counterpart is lib/cpu/kernels/dot2_gemm.cpp. For .cu files.
//
// A thread block computes a tile of C and goes through k in steps. Terms of its rows and columns are brought to shared
// memory, widened to binary64, while the previous step is computed. A thread keeps the chains of its outputs in
// registers. After every 128 terms the chains are combined with the sums so far, which are in shared memory.
#pragma once

#include <climits>

#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/ptx_portable.hpp"
#include "cuda/dot2/dot2_chains.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/finish_element.hpp"
#include "cuda/exact/open_elements.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

namespace dot2 {

/// The position of a thread block's tile in C.
struct Tile {
  Index row, col;
};

/// Numbers the tiles column by column inside stripes of rows, so that concurrent tiles share lines in L2.
template <Dot2Shape shape>
__device__ Tile tile_at(Index index, Index m, Index n) {
  constexpr Index stripe = 1024 / shape.rows;
  const Index row_tiles = ceil_div(m, shape.rows), col_tiles = ceil_div(n, shape.cols);
  const Index first = index / (stripe * col_tiles) * stripe, in_stripe = index - first * col_tiles;
  const Index height = min(row_tiles - first, stripe);
  return {(first + in_stripe % height) * shape.rows, in_stripe / height * shape.cols};
}

/// Returns whether no product and no partial sum of finite lines can reach 2^dot2_high_word_exponent. The test covers
/// the dot2_judged_lines rows and columns around the tile, so that all shapes agree on the result. All threads call
/// this.
template <class T, Dot2Shape shape>
__device__ bool exponents_are_small(const ExactArguments<T>& g, const Tile& tile) {
  __shared__ int most[2];
  if (threadIdx.x < 2) most[threadIdx.x] = INT_MIN / 2;
  __syncthreads();
  const std::int32_t* const rows = g.row_lines.exponent + tile.row / dot2_judged_lines * dot2_judged_lines;
  const std::int32_t* const cols = g.col_lines.exponent + tile.col / dot2_judged_lines * dot2_judged_lines;
  for (int i = threadIdx.x; i < dot2_judged_lines; i += shape.threads()) {  // within the arrays' padding
    atomicMax(&most[0], rows[i]);
    atomicMax(&most[1], cols[i]);
  }
  __syncthreads();
  return most[0] + most[1] + (64 - __clzll(g.rows.k)) + 1 <= dot2_high_word_exponent;
}

/// A thread's share of the entries of `lines` lines that a step brings to shared memory: entry (line, term) goes to
/// word term pitch + line, without the sign that an operand of pairs gives it. Neighbouring threads have neighbouring
/// entries in memory, whichever stride is smaller.
template <class T, Dot2Shape shape, int lines, int pitch>
class Share {
 public:
  static constexpr int count = lines * shape.step / shape.threads();

  /// Starts at term p of x and ends below `end`.
  __device__ Share(const Operand<T>& x, Index first_line, Index p, Index end) : x_(x) {
    const int line = adjacent() ? threadIdx.x % width : threadIdx.x / deep;
    const int term = adjacent() ? threadIdx.x / width : threadIdx.x % deep;
    word_ = term * pitch + line;
    lines_left_ = static_cast<int>(min(x.count - first_line, Index{lines})) - line;
    terms_left_ = end - p - term;
    next_ = x.at(first_line + line, p + term);
  }

  /// Calls body(q, word, address, whether there is such an entry) for the thread's entries of the next step.
  template <class Body>
  __device__ __forceinline__ void fetch(Body&& body) {
    const int terms_left = static_cast<int>(min(terms_left_, Index{shape.step}));
    visit([&](int q, int line, int term) {
      body(q, word_ + term * pitch + line, next_ + line * x_.stride + term * x_.k_stride,
           line < lines_left_ && term < terms_left);
    });
    terms_left_ -= shape.step;
    next_ += shape.step * x_.k_stride;
  }

  /// Calls body(q, word) for the same entries as fetch().
  template <class Body>
  __device__ __forceinline__ void words(Body&& body) const {
    visit([&](int q, int line, int term) { body(q, word_ + term * pitch + line); });
  }

 private:
  // A pass covers `width` neighbouring lines, or `deep` neighbouring terms.
  static constexpr int width = lines < shape.threads() ? lines : shape.threads(), deep = 8;

  __device__ static Index magnitude(Index x) { return x < 0 ? -x : x; }
  __device__ bool adjacent() const { return magnitude(x_.stride) <= magnitude(x_.k_stride); }

  /// Calls body(q, line, term) with positions relative to the thread's first entry; they are constants once unrolled.
  template <class Body>
  __device__ __forceinline__ void visit(Body&& body) const {
    if (adjacent()) {
      constexpr int terms = shape.threads() / width, many = lines / width;
#pragma unroll
      for (int q = 0; q < count; ++q) body(q, q % many * width, q / many * terms);
    } else {
      constexpr int at_once = shape.threads() / deep, many = lines / at_once;
#pragma unroll
      for (int q = 0; q < count; ++q) body(q, q % many * at_once, q / many * deep);
    }
  }

  const Operand<T>& x_;
  const T* next_;
  Index terms_left_;
  int word_, lines_left_;
};

/// Brings step after step to shared memory. binary64 comes by copies in the background, one step less ahead than there
/// are stages. binary32 comes through registers, one step ahead, because it is widened on the way. Entries that do not
/// exist are zero: a term of 0 times 0 changes nothing, since s and c are never -0.
template <class T, Dot2Shape shape>
class Steps {
 public:
  /// Covers the terms from p on, below `end`.
  __device__ Steps(const ExactArguments<T>& g, const Tile& tile, Index p, Index end, double* memory)
      : rows_(g.rows, tile.row, p, end), cols_(g.cols, tile.col, p, end), left_(end - p), memory_(memory) {
    if constexpr (compensated<T>) {
      for (int stage = 0; stage < shape.stages - 1; ++stage) start();
    } else {
      start();
      finish();
    }
  }

  /// Returns the words of the next step, rows first; they stay valid until all threads call this again.
  __device__ __forceinline__ const double* next() {
    if constexpr (compensated<T>) ptx::copies_wait_but<shape.stages - 2>();
    __syncthreads();
    const double* const words = memory_ + reading_ * shape.stage_words();
    reading_ = reading_ + 1 == shape.stages ? 0 : reading_ + 1;
    start();
    return words;
  }

  /// Finishes a step; call it after the work on the step.
  __device__ __forceinline__ void finish() {
    if constexpr (!compensated<T>) {
      rows_.words([&](int q, int word) { row_words()[word] = row_entry_[q]; });
      cols_.words([&](int q, int word) { col_words()[word] = col_entry_[q]; });
      turn();
    }
  }

 private:
  using RowShare = Share<T, shape, shape.rows, shape.row_pitch()>;
  using ColShare = Share<T, shape, shape.cols, shape.col_pitch()>;

  __device__ double* row_words() const { return memory_ + writing_ * shape.stage_words(); }
  __device__ double* col_words() const { return row_words() + shape.step * shape.row_pitch(); }
  __device__ void turn() { writing_ = writing_ + 1 == shape.stages ? 0 : writing_ + 1; }

  __device__ __forceinline__ void start() {
    const bool any = left_ > 0;
    left_ -= shape.step;
    if constexpr (compensated<T>) {
      if (any) {
        const std::uint32_t rows = ptx::shared_address(row_words()), cols = ptx::shared_address(col_words());
        rows_.fetch([&](int, int word, const T* from, bool inside) { ptx::copy_8(rows + 8 * word, from, inside); });
        cols_.fetch([&](int, int word, const T* from, bool inside) { ptx::copy_8(cols + 8 * word, from, inside); });
      }
      ptx::copies_commit();
      turn();
    } else if (any) {
      rows_.fetch([&](int q, int, const T* from, bool inside) { row_entry_[q] = inside ? __ldg(from) : T(0); });
      cols_.fetch([&](int q, int, const T* from, bool inside) { col_entry_[q] = inside ? __ldg(from) : T(0); });
    }
  }

  RowShare rows_;
  ColShare cols_;
  Index left_;
  double* memory_;
  int reading_ = 0, writing_ = 0;
  T row_entry_[compensated<T> ? 1 : RowShare::count],
      col_entry_[compensated<T> ? 1 : ColShare::count];  // used for binary32 only
};

/// The sums of the blocks so far, in shared memory: for dot2 pairs, or numbers for binary32; for cr pairs, then errors.
template <class T, Dot2Shape shape, bool cr = false>
class Totals {
 public:
  using Sum = BoundedPair<T, cr>;
  static constexpr bool pairs = compensated<SumType<T, cr>>;
  static constexpr int bytes = 8 * shape.rows * shape.cols * (1 + pairs + cr);

  __device__ explicit Totals(double* memory) : memory_(memory) {}
  __device__ Sum get(int row, int col) const {
    const int at = row * shape.cols + col;
    if constexpr (!pairs) return {{memory_[at], 0}};
    const double2 v = reinterpret_cast<const double2*>(memory_)[at];
    return {{v.x, v.y}, cr ? errors()[at] : 0};
  }
  /// Adds the sum of a block, or sets it if it is the first one.
  __device__ __forceinline__ void add(int row, int col, Sum sum, bool first) const {
    const int at = row * shape.cols + col;
    if (!first) {
      Sum total = get(row, col);
      total.add(sum);
      sum = total;
    }
    if constexpr (pairs) {
      reinterpret_cast<double2*>(memory_)[at] = {sum.pair.s, sum.pair.c};
    } else {
      memory_[at] = sum.pair.s;
    }
    if constexpr (cr) errors()[at] = sum.error;
  }

 private:
  __device__ double* errors() const { return memory_ + 2 * shape.rows * shape.cols; }

  double* memory_;
};

/// Adds the terms of a block of the definition to chains.
template <Dot2Shape shape, class T, class Chains>
__device__ __forceinline__ void add_block(Steps<T, shape>& steps, Chains& chains, int terms) {
#pragma unroll 1
  for (int t = 0; t < terms; t += shape.step) {
    const double* const words = steps.next();
    chains.add_step(words, words + shape.step * shape.row_pitch());
    steps.finish();
  }
}

/// Writes 32 neighbouring elements of a row from their sums, by a warp. An element is rounded, or pending for cr's
/// value if its pair is not finite. If g.pairs is set, the sums are stored unchanged.
template <class T>
__device__ void write_word(const ExactArguments<T>& g, Index row, Index word, Pair pair, T alpha, T beta) {
  const Index col = 32 * word + threadIdx.x % 32;
  if (g.pairs) {
    if (col < g.cols.count) store_pair(g.pairs + row * g.cols.count + col, pair);
    return;
  }
  const bool inside = col < g.cols.count, open = !is_finite(pair.s) || !is_finite(pair.c);
  if (inside && !open) {
    T* const at = element(g.at, row, col);
    *at = round_pair(alpha, pair, beta, at);
  }
  const bool special = inside && (g.row_lines.special[row] != 0 || g.col_lines.special[col] != 0);
  write_open_word(g.open + row * OpenBits::words_per_row(g.cols.count) + word, inside, open, special,
                  &g.state->rejected);
}

template <class T, Dot2Shape shape>
__device__ void write_tile(const ExactArguments<T>& g, const Tile& tile, const Totals<T, shape>& totals) {
  constexpr int words = shape.cols / 32;
  const T alpha = g.alpha.get(), beta = g.beta.get();
  for (int q = threadIdx.x / 32; q < shape.rows * words; q += shape.threads() / 32) {
    const Index row = tile.row + q / words, word = tile.col / 32 + q % words;
    if (row >= g.rows.count || 32 * word >= g.cols.count) continue;
    write_word(g, row, word, totals.get(q / words, q % words * 32 + threadIdx.x % 32).pair, alpha, beta);
  }
}

/// Stores the tile's sums in pairs[row n + col].
template <class T, Dot2Shape shape>
__device__ void store_tile(const ExactArguments<T>& g, const Tile& tile, const Totals<T, shape>& totals, Pair* pairs) {
  for (int q = threadIdx.x; q < shape.rows * shape.cols; q += shape.threads()) {
    const Index row = tile.row + q / shape.cols, col = tile.col + q % shape.cols;
    if (row < g.rows.count && col < g.cols.count)
      store_pair(pairs + row * g.cols.count + col, totals.get(q / shape.cols, q % shape.cols).pair);
  }
}

}  // namespace dot2

/// The part of k that a launch computes, in blocks of the definition.
struct Dot2Blocks {
  Index first, end;
  Index segment;  ///< blocks of a thread block; its number along y selects them
  /// Memory for the pairs of the blocks: that of block b and element (row, col) at ((b - first) m + row) n + col. If
  /// null, a thread block computes its tile over all blocks, and finishes it.
  Pair* pairs;
};

/// Computes C = alpha A B + beta C on the tiles that `compare` serves, and the bits of `open`, by the shape of a row of
/// a table like Dot2Table. The grid has as many thread blocks along x as there are tiles.
template <class T, class Table, int index, Dot2Compare compare>
__global__ void __launch_bounds__(Table::rows[index].shape.threads(), Table::rows[index].shape.resident)
    dot2_gemm_kernel(const __grid_constant__ ExactArguments<T> g, const __grid_constant__ Dot2Blocks blocks) {
  using namespace dot2;
  constexpr Dot2Shape shape = Table::rows[index].shape;
  extern __shared__ __align__(16) double memory[];
  await_predecessor();
  if (leaves_c(*g.state, g.alpha)) return;
  const Tile tile = tile_at<shape>(blockIdx.x, g.rows.count, g.cols.count);
  if (compensated<T> && exponents_are_small<T, shape>(g, tile) != (compare == Dot2Compare::high_words)) return;

  const Index begin = blocks.first + blockIdx.y * blocks.segment, end = min(begin + blocks.segment, blocks.end);
  const Index end_term = min(end * dot2_block_terms, g.rows.k);
  const Totals<T, shape> totals(memory + shape.stages * shape.stage_words());
  Steps<T, shape> steps(g, tile, begin * dot2_block_terms, end_term, memory);
  for (Index block = begin; block < end; ++block) {
    Chains<T, shape, compare> chains;
    const int terms = static_cast<int>(min(end_term - block * dot2_block_terms, Index{dot2_block_terms}));
    add_block<shape>(steps, chains, terms);
    chains.visit([&](int row, int col, const BoundedPair<T, false>& sum) {
      totals.add(row, col, sum, block == begin || blocks.pairs);
    });
    if (blocks.pairs) {
      __syncthreads();  // the totals are complete; the next block's steps wait before its sums overwrite them
      store_tile<T, shape>(g, tile, totals, blocks.pairs + (block - blocks.first) * g.rows.count * g.cols.count);
    }
  }
  if (blocks.pairs) return;
  __syncthreads();
  write_tile<T, shape>(g, tile, totals);
}

#endif

}  // namespace accublas::cuda
