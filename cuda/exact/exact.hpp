// The end of every GEMM engine: computes the pending elements, first by tiles and one by one by sums with a bound of
// their error, then by exact accumulators.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_group.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/wanted.hpp"

namespace accublas::cuda {

struct Pair;

/// Exponents of the entries of each group of pending_tile_lines lines, term by term (SlabArrays of
/// cuda/int8/slab_shape.hpp). Index 0 is the rows' side, 1 the columns'. decide_by_tiles finds from them which terms a
/// tile can leave out. They are valid if state->slabs.considered.
struct TermExponents {
  const std::int16_t *top[2] = {}, *low[2] = {};  ///< null: not kept
  Index k_padded = 0;
};

/// The arguments for computing every pending element: zero by structure (no nonzero term), special values, or an exact
/// accumulator. The functions return at once if nothing is pending.
template <class T>
struct ExactArguments {
  Operand<T> rows, cols;
  Lines row_lines, col_lines;
  Matrix<T> at;
  Scalar<T> alpha, beta;
  std::uint32_t* open;
  CallState* state;
  /// if not null: dot2's pairs go here, that of (row, col) at row n + col, and C is not written
  Pair* pairs = nullptr;
  Wanted wanted{};            ///< which elements are pending if all are (CallState::all_pending)
  TermExponents exponents{};  ///< of single calls
  CallGroup<T> group{};

#ifdef __CUDACC__
  /// For arguments_of_block.
  __device__ void move_to_product() {
    rows.data = group.rows[group.product()];
    cols.data = group.cols[group.product()];
    at.data = group.at[group.product()];
    group.move(row_lines);
    group.move(col_lines);
    group.move(open);
    group.move(state);
  }
#endif
};
/// Run this after pass `index` and before a further one, which many pending elements would cause. It writes the
/// elements without a term, and clears their bits.
template <class T>
void resolve_structural_zeros(const DeviceModel&, const ExactArguments<T>&, int index, cudaStream_t);
template <class T>
void exact(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);
/// Counterpart of `exact` for small results, whose tiles do not fill the device (PendingTiles::of_small), and for
/// groups.
template <class T>
void exact_of_small(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);

/// Rows and columns of a tile of decide_by_tiles, and terms of a block that it leaves out if all its products are zero:
/// those of a word of Lines::nonzero.
inline constexpr int pending_tile_lines = 32, pending_tile_terms = 64;

#ifdef __CUDACC__

/// Two numbers of 16 bits in a word, which are below all sums of two exponents.
inline constexpr unsigned no_term_sums = 0x8300u << 16 | 0x8300u;
/// Returns the larger half of a word of two signed 16-bit numbers.
__device__ inline int larger_half(unsigned x) {
  return max(static_cast<int>(static_cast<std::int16_t>(x & 0xFFFF)), static_cast<int>(x) >> 16);
}

/// The terms of a word (Lines::nonzero) that are nonzero in at least one row of a tile (in_rows), and in at least one
/// column (in_cols). A tile needs a block of terms if a term of it is in both.
struct NonzeroTerms {
  std::uint64_t in_rows = 0, in_cols = 0;

  /// Adds `count` rows and columns. It uses the last line in place of lines that do not exist.
  template <int count>
  __device__ void add(const Lines& rows, Index row, const Lines& cols, Index col, Index word) {
    if (word >= rows.words) return;
#pragma unroll 8
    for (int i = 0; i < count; ++i) {
      in_rows |= rows.nonzero[min(row + i, rows.count - 1) * rows.words + word];
      in_cols |= cols.nonzero[min(col + i, cols.count - 1) * cols.words + word];
    }
  }
  __device__ bool needed() const { return (in_rows & in_cols) != 0; }
};

#endif

/// Numbers of pending elements from which on tiles are faster than sums one by one.
struct PendingTiles {
  Index elements;  ///< with more pending elements of finite lines
  int of_tile;     ///< in tiles with so many of them

  static PendingTiles faster_by_tiles(const DeviceModel&, Index m, Index n);
  /// Returns the numbers for tiles that leave out terms that do not matter.
  static PendingTiles faster_by_short_tiles(const DeviceModel&);
  /// Returns the numbers for results of up to 512 x 512 elements. All tiles of such a result run at the same time, and
  /// take the time of some 3000 single sums.
  static PendingTiles of_small(const DeviceModel&);
};
/// Returns whether exact() runs decide_by_tiles for an m x n result. Only then all elements may be pending.
bool computes_tiles(const DeviceModel&, Index m, Index n);
/// Counterpart of computes_tiles for exact_of_small().
bool computes_small_tiles(const DeviceModel&, Index m, Index n);

// exact() runs the following three steps.
/// Computes the tiles that have many pending elements: writes those elements of finite lines that Ziv's test decides,
/// clears their bits and subtracts them from the number of pending elements. If all elements are pending, it sets the
/// bits of the others. Defined in cuda/dot2/tile_elements.cu.
template <class T>
void decide_by_tiles(const DeviceModel&, const ExactArguments<T>&, const PendingTiles&, const PendingTiles& of_short,
                     cudaStream_t);

/// Computes pending elements of finite lines whose grid sum decides: writes them and clears their bits. It leaves the
/// others pending. Defined in grid_elements.cu.
template <class T>
void decide_by_grid_sums(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);

/// Computes all pending elements by exact accumulators. Defined in exact.cu.
template <class T>
void accumulate_open_elements(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);

}  // namespace accublas::cuda
