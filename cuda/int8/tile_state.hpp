// The state of a thread block of the reconstruction, for the pass and for a tile: alpha and beta, weights, and the
// lines of the tile. Device code.
//
// Where residues are complex, a column is a pair of columns of C, the two parts of complex numbers, which are as many
// sums over the same planes. A policy `Numbers` says what differs: parts, of a column; later, of Steps;
// crt(moduli, part), leading_bytes(moduli, part) and limbs_of(moduli), the limbs that hold S: P without its top bit,
// and a sign.
#pragma once

#include "cuda/core/arithmetic.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/exact/finish_element.hpp"
#include "cuda/int8/finish_leading.hpp"
#include "cuda/int8/reconstruct.hpp"

namespace accublas::cuda::reconstructing {

inline constexpr int threads = 256, blocks = 2;  ///< of a multiprocessor: 128 registers a thread
/// In a group, whose products have few rows for a thread block: 168 registers a thread, so that none go to local
/// memory.
inline constexpr int group_threads = 128, group_blocks = 3;
inline constexpr int most_rows = 128, strip = 128,
                     most_cols = threads / 32 * strip;  ///< of a tile; a warp has a strip of columns
__device__ inline int warps_of_block() { return static_cast<int>(blockDim.x / 32); }

/// alpha and beta, and which arithmetic they want.
template <class T>
struct Factors {
  enum Kind { power_of_two, general, slow } kind;
  T alpha, beta;
  int exponent;   ///< power_of_two: alpha = +-2^exponent
  unsigned sign;  ///< power_of_two: the sign bit of alpha
};

template <class T>
__device__ Factors<T> classify(T alpha, T beta) {
  Factors<T> f{Factors<T>::general, alpha, beta, 0, 0};
  if (!is_finite(alpha) || !is_finite(beta) || is_zero(alpha)) {
    f.kind = Factors<T>::slow;
    return f;
  }
  const Decoded a = decode(alpha);
  if (!is_zero(beta) || (a.mantissa & (a.mantissa - 1)) != 0) return f;
  f.kind = Factors<T>::power_of_two;
  f.exponent = a.exponent + 63 - leading_zeros(a.mantissa);
  f.sign = a.negative ? 0x80000000 : 0;
  return f;
}

/// A row for the leading bits. 2^shift is the unit of a sum's head before the column's scale is taken off; errors are
/// in these units.
struct TileRow {
  int shift;
  unsigned special;  ///< all ones, or none
  bool normal;       ///< the leading bits may be tried
  double error, drop;
};
/// The data of a tile that the threads of a block share.
struct TileLines {
  TileRow row[most_rows];
  alignas(16) unsigned scale[most_cols];  ///< times 2^20
  alignas(16) double error[most_cols], drop[most_cols];
  std::uint8_t special[most_cols];
  std::uint8_t without_terms[most_rows];  ///< strips, a bit each, with which a row has no term: all sums are zero
  int least_scale, largest_scale;         ///< of the columns
};

/// The shared data of a block: the pass, its tables, and the rows and columns of the current tile.
template <class T, class Numbers>
struct BlockState {
  PassPlan plan;
  Factors<T> factors;
  LeadingWeights<Numbers::later> weights[Numbers::parts];
  TileLines lines;
};

/// A tile of the block: its place in it, its size, and how many strips side by side the warps take.
struct Tile {
  Index row, col;
  int height, width, strips;
};

/// The facts about a column. Both parts of complex numbers have those of the real part, so that they are scaled alike.
template <class Numbers>
__device__ FinishLine column_line(const PassPlan& plan, const Lines& cols, Index column) {
  return finish_line(plan, cols, Numbers::parts * column, false);
}

/// Returns the strips of a tile, a bit each, with which a row has no term.
template <class T>
__device__ std::uint8_t strips_without_terms(const ReconstructArguments<T>& a, const Tile& tile, Index row,
                                             Index first_col) {
  static_assert(most_cols / strip <= 8);
  unsigned strips = 0;
  if (a.nonzero.matter()) {
    for (int s = 0; s * strip < tile.width; ++s) {
      const TermRange needed = a.nonzero.needed(row, first_col + s * strip);
      if (needed.end <= needed.first) strips |= 1u << s;
    }
  }
  return static_cast<std::uint8_t>(strips);
}

/// Loads the facts about a tile's rows and columns. All threads call, and synchronise before and after.
template <class Numbers, class T>
__device__ void load_lines(const ReconstructArguments<T>& a, const Tile& tile, BlockState<T, Numbers>& b) {
  const Index first_row = a.row_block * b.plan.block_rows + tile.row;
  const Index first_col = a.col_block * b.plan.block_cols + tile.col;
  const int thread = static_cast<int>(threadIdx.x);
  TileLines& lines = b.lines;
  FinishLine row{0, {0, 0}, true};
  static_assert(most_rows <= threads && most_rows <= group_threads);
  if (thread < tile.height) row = finish_line(b.plan, a.rows, first_row + thread, true);
  if (thread == 0) {
    lines.least_scale = 1 << 20;
    lines.largest_scale = -(1 << 20);
  }
  __syncthreads();
  int least_scale = 1 << 20, largest_scale = -(1 << 20);
  for (int i = thread; i < tile.strips * strip; i += static_cast<int>(blockDim.x)) {
    FinishLine col{0, {0, 0}, true};
    if (i < tile.width) {
      col = column_line<Numbers>(b.plan, a.cols, first_col + i);
      least_scale = min(least_scale, col.scale);
      largest_scale = max(largest_scale, col.scale);
    }
    lines.scale[i] = static_cast<unsigned>(col.scale) << 20;
    lines.error[i] = col.error.error;
    lines.drop[i] = col.error.drop;
    lines.special[i] = col.special;
  }
  least_scale = lanes_min(least_scale);
  largest_scale = lanes_max(largest_scale);
  if (thread % 32 == 0) {
    atomicMin(&lines.least_scale, least_scale);
    atomicMax(&lines.largest_scale, largest_scale);
  }
  __syncthreads();
  if (thread >= tile.height) return;
  const int exponent = b.weights[0].exponent;  // of both parts
  const int shift = exponent + 64 - row.scale + b.factors.exponent;
  const bool normal = b.factors.kind != Factors<T>::slow && !(b.plan.interval && a.all_undecided) &&
                      shift - lines.least_scale <= 800 && shift - lines.largest_scale >= -800;
  // Error of a sum in units of its head, with the roundings of the products that it enters.
  const double unit = __dmul_rn(power_of_two(-64 - exponent), 1 + 0x1p-40);
  lines.row[thread] = {shift, row.special ? ~0u : 0u, normal, __dmul_rn(row.error.error, unit),
                       __dmul_rn(row.error.drop, unit)};
  lines.without_terms[thread] = strips_without_terms(a, tile, first_row + thread, first_col);
}

/// How far the sum of a row and a column may be from its integer's, in units of its head.
__device__ __forceinline__ double element_error(const TileLines& lines, const TileRow& row, int col) {
  return __fma_rn(lines.drop[col], row.error, __dmul_rn(row.drop, lines.error[col]));
}

}  // namespace accublas::cuda::reconstructing
