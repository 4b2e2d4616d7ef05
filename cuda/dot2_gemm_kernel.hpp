// The kernel of dot2's GEMM (docs/modes.md, dot2), for a tile shape of cuda/dot2_gemm_table.hpp; the twin of
// lib/cpu/kernels/dot2_gemm.cpp. For .cu files.
//
// A thread block has a tile of C and goes through k in steps: terms of its rows and columns come to shared memory, widened to
// binary64, while the step before is computed; a thread keeps the chains of its outputs in registers. After every 128 terms
// the chains are combined with the sums so far, which lie in shared memory.
#pragma once

#include <climits>

#include "cuda/dot2_gemm_table.hpp"
#include "cuda/dot2_pair.hpp"
#include "cuda/finish_element.hpp"
#include "cuda/open_elements.hpp"
#include "cuda/ptx_portable.hpp"

namespace accublas::cuda {

/// How a step learns which of two numbers is the larger: by comparing them, a tenth of its work on the FP64 units, or by their
/// high words, read as binary32, on the integer units.
///
/// The words order magnitudes by exponent, which is all that Dekker's sequence asks for, as long as none is a NaN of
/// binary32: numbers below 2^1017.
enum class Dot2Compare { numbers, high_words };

/// The largest exponent that a tile's partial sums may reach where high words are compared.
inline constexpr int dot2_high_word_exponent = 1016;

#ifdef __CUDACC__

namespace dot2 {

__device__ __forceinline__ bool smaller_high_word(double a, double b) {
  return fabsf(__int_as_float(__double2hiint(a))) < fabsf(__int_as_float(__double2hiint(b)));
}

/// step of docs/modes.md: 7 operations of binary64 (and a comparison).
template <class T, Dot2Compare compare>
__device__ __forceinline__ void add_term(Pair& pair, double x, double y) {
  if constexpr (!compensated<T>) {
    pair.s = fma_rn(x, y, pair.s);
  } else {
    const double p = mul_rn(x, y), s = add_rn(pair.s, p);
    const bool swap = compare == Dot2Compare::high_words ? smaller_high_word(pair.s, p) : fabs(pair.s) < fabs(p);
    const double large = swap ? p : pair.s, small = swap ? pair.s : p;
    const double q = add_rn(small, -add_rn(s, -large));
    pair.c = add_rn(pair.c, add_rn(q, fma_rn(x, y, -p)));
    pair.s = s;
  }
}

/// The place of a thread block in C.
struct Tile {
  Index row, col;
};

/// Tiles column by column inside stripes of rows: those at work together share lines in L2.
template <Dot2Shape shape>
__device__ Tile tile_at(Index index, Index m, Index n) {
  constexpr Index stripe = 1024 / shape.rows;
  const Index row_tiles = (m + shape.rows - 1) / shape.rows, col_tiles = (n + shape.cols - 1) / shape.cols;
  const Index first = index / (stripe * col_tiles) * stripe, in_stripe = index - first * col_tiles;
  const Index height = min(row_tiles - first, stripe);
  return {(first + in_stripe % height) * shape.rows, in_stripe / height * shape.cols};
}

/// Whether no product and no partial sum of finite lines can reach 2^dot2_high_word_exponent, judged for the dot2_judged_lines rows
/// and columns around the tile, so that all shapes agree who serves it. By all threads.
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

/// A thread's share of the entries of `lines` lines that a step brings to shared memory: entry (line, term) goes to word
/// term pitch + line. Neighbouring threads have neighbouring entries in memory, whichever way the lines lie.
template <class T, Dot2Shape shape, int lines, int pitch>
class Share {
 public:
  static constexpr int count = lines * shape.step / shape.threads();

  __device__ Share(const Operand<T>& x, Index first_line) : x_(x) {
    const int line = adjacent() ? threadIdx.x % width : threadIdx.x / deep;
    const int term = adjacent() ? threadIdx.x / width : threadIdx.x % deep;
    word_ = term * pitch + line;
    lines_left_ = static_cast<int>(min(x.count - first_line, Index{lines})) - line;
    terms_left_ = x.k - term;
    next_ = x.data + (first_line + line) * x.stride + term * x.k_stride;
  }

  /// body(q, word, address, whether there is such an entry) for the thread's entries of the next step.
  template <class Body>
  __device__ __forceinline__ void fetch(Body&& body) {
    const int terms_left = static_cast<int>(min(terms_left_, Index{shape.step}));
    visit([&](int q, int line, int term) {
      body(q, word_ + term * pitch + line, next_ + line * x_.stride + term * x_.k_stride, line < lines_left_ && term < terms_left);
    });
    terms_left_ -= shape.step;
    next_ += shape.step * x_.k_stride;
  }

  /// body(q, word) for the same entries.
  template <class Body>
  __device__ __forceinline__ void words(Body&& body) const {
    visit([&](int q, int line, int term) { body(q, word_ + term * pitch + line); });
  }

 private:
  // At once: `width` neighbouring lines, or `deep` neighbouring terms.
  static constexpr int width = lines < shape.threads() ? lines : shape.threads(), deep = 8;

  __device__ static Index magnitude(Index x) { return x < 0 ? -x : x; }
  __device__ bool adjacent() const { return magnitude(x_.stride) <= magnitude(x_.k_stride); }

  /// body(q, line, term) with places relative to the thread's first entry; constants once unrolled.
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

/// Brings step after step to shared memory: binary64 by copies in the background, as many steps ahead as there are stages but
/// one; binary32 through registers, one step ahead, because it is widened on the way. What is not there is zero: a term of 0
/// times 0 changes nothing, since s and c are never -0.
template <class T, Dot2Shape shape>
class Steps {
 public:
  __device__ Steps(const ExactArguments<T>& g, const Tile& tile, double* memory)
      : rows_(g.rows, tile.row), cols_(g.cols, tile.col), left_(g.rows.k), memory_(memory) {
    if constexpr (compensated<T>) {
      for (int stage = 0; stage < shape.stages - 1; ++stage) start();
    } else {
      start();
      finish();
    }
  }

  /// The words of the next step, rows first; they stay until all threads call this again.
  __device__ __forceinline__ const double* next() {
    if constexpr (compensated<T>) ptx::copies_wait_but<shape.stages - 2>();
    __syncthreads();
    const double* const words = memory_ + reading_ * shape.stage_words();
    reading_ = reading_ + 1 == shape.stages ? 0 : reading_ + 1;
    start();
    return words;
  }

  /// After the work on a step.
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
  T row_entry_[compensated<T> ? 1 : RowShare::count], col_entry_[compensated<T> ? 1 : ColShare::count];  // binary32 only
};

/// A thread's outputs: two neighbouring rows in every 8 of its warp's, two neighbouring columns in every 16, so that 16-byte
/// loads of a warp meet no bank conflict.
template <Dot2Shape shape>
struct Outputs {
  int row, col;  ///< of the first, in the tile

  __device__ Outputs() {
    constexpr int across = shape.cols / shape.warp_cols();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    row = warp / across * shape.warp_rows() + lane / 8 * 2;
    col = warp % across * shape.warp_cols() + lane % 8 * 2;
  }
  __device__ static constexpr int row_offset(int i) { return i / 2 * 8 + i % 2; }
  __device__ static constexpr int col_offset(int j) { return j / 2 * 16 + j % 2; }
};

/// The sums of the blocks so far, in shared memory: pairs, or for binary32 numbers.
template <class T, Dot2Shape shape>
class Totals {
 public:
  __device__ explicit Totals(double* memory) : memory_(memory) {}
  __device__ Pair get(int row, int col) const {
    const int at = row * shape.cols + col;
    if constexpr (!compensated<T>) return {memory_[at], 0};
    const double2 v = reinterpret_cast<const double2*>(memory_)[at];
    return {v.x, v.y};
  }
  __device__ void set(int row, int col, Pair pair) const {
    const int at = row * shape.cols + col;
    if constexpr (compensated<T>) {
      reinterpret_cast<double2*>(memory_)[at] = {pair.s, pair.c};
    } else {
      memory_[at] = pair.s;
    }
  }

 private:
  double* memory_;
};

template <int count, int spacing>
__device__ __forceinline__ void load_pairs(double (&out)[count], const double* words) {
#pragma unroll
  for (int i = 0; i < count; i += 2) {
    const double2 v = *reinterpret_cast<const double2*>(words + i / 2 * spacing);
    out[i] = v.x;
    out[i + 1] = v.y;
  }
}

/// The elements of a tile from its sums: rounded, or open for cr's value where a pair is not finite. A warp has 32 neighbouring
/// columns of a row.
template <class T, Dot2Shape shape>
__device__ void write_tile(const ExactArguments<T>& g, const Tile& tile, const Totals<T, shape>& totals) {
  constexpr int words = shape.cols / 32;
  const Index m = g.rows.count, n = g.cols.count, words_per_row = OpenBits::words_per_row(n);
  const T alpha = g.alpha.get(), beta = g.beta.get();
  for (int q = threadIdx.x / 32; q < shape.rows * words; q += shape.threads() / 32) {
    const int tile_row = q / words, tile_col = q % words * 32 + threadIdx.x % 32;
    const Index row = tile.row + tile_row, col = tile.col + tile_col, word = (tile.col + q % words * 32) / 32;
    if (row >= m || word >= words_per_row) continue;
    const bool inside = col < n;
    const Pair pair = totals.get(tile_row, tile_col);
    const bool open = !is_finite(pair.s) || !is_finite(pair.c);
    if (inside && !open) {
      T* const at = element(g.at, row, col);
      *at = round_pair(alpha, pair, beta, at);
    }
    const bool special = inside && (g.row_lines.special[row] != 0 || g.col_lines.special[col] != 0);
    write_open_word(g.open + row * words_per_row + word, inside, open, special, &g.state->rejected);
  }
}

}  // namespace dot2

/// C = alpha A B + beta C on the tiles that `compare` serves, and the bits of `open`, by the shape of a row of a table like
/// Dot2Table. A grid of one thread block a tile.
template <class T, class Table, int index, Dot2Compare compare>
__global__ void __launch_bounds__(Table::rows[index].shape.threads(), Table::rows[index].shape.resident)
    dot2_gemm_kernel(const __grid_constant__ ExactArguments<T> g) {
  using namespace dot2;
  constexpr Dot2Shape shape = Table::rows[index].shape;
  extern __shared__ __align__(16) double memory[];
  if (leaves_c(*g.state, g.alpha)) return;
  const Tile tile = tile_at<shape>(blockIdx.x, g.rows.count, g.cols.count);
  if (compensated<T> && exponents_are_small<T, shape>(g, tile) != (compare == Dot2Compare::high_words)) return;

  constexpr int rows = shape.thread_rows, cols = shape.thread_cols;
  const Outputs<shape> own;
  const Totals<T, shape> totals(memory + shape.stages * shape.stage_words());
  Steps<T, shape> steps(g, tile, memory);
  for (Index first = 0; first < g.rows.k; first += dot2_block_terms) {
    Pair chain[rows][cols] = {};
    const int terms = static_cast<int>(min(g.rows.k - first, Index{dot2_block_terms}));
#pragma unroll 1
    for (int t = 0; t < terms; t += shape.step) {
      const double* const x_words = steps.next() + own.row;
      const double* const y_words = x_words - own.row + shape.step * shape.row_pitch() + own.col;
#pragma unroll(shape.unroll)
      for (int p = 0; p < shape.step; ++p) {
        double x[rows], y[cols];
        load_pairs<rows, 8>(x, x_words + p * shape.row_pitch());
        load_pairs<cols, 16>(y, y_words + p * shape.col_pitch());
#pragma unroll
        for (int i = 0; i < rows; ++i)
#pragma unroll
          for (int j = 0; j < cols; ++j) add_term<T, compare>(chain[i][j], x[i], y[j]);
      }
      steps.finish();
    }
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < cols; ++j) {
        const int row = own.row + own.row_offset(i), col = own.col + own.col_offset(j);
        totals.set(row, col, first == 0 ? chain[i][j] : combine<T>(totals.get(row, col), chain[i][j]));
      }
  }
  __syncthreads();
  write_tile<T, shape>(g, tile, totals);
}

#endif

}  // namespace accublas::cuda
