// Kernels for batches of small matrices. Launchers put work on the stream and return; none allocates or waits.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/operand.hpp"
#include "lib/call/batch.hpp"
#include "lib/call/mode.hpp"

namespace accublas::cuda {

/// A batch with its scalars. Element (i, p) of A lies i a_row + p a_term after its matrix's first element; B and C are
/// laid out in the same way.
template <class T>
struct BatchProblem {
  Index m, n, k, count;
  BatchArray<const T> a, b;
  BatchArray<T> c;
  Index a_row, a_term, b_col, b_term, c_row, c_col;
  Scalar<T> alpha, beta;
};

// ---- batch_cr.cu, batch_fixed.cu, batch_squares.cu, batch_exact.cu
/// The most terms of a sum that the totals of the kernels can hold.
inline constexpr Index most_batch_terms = 512;

/// The division of results into tiles, and of these into squares of 16 x 8 elements. Word 4 w + q of the bitmap of
/// pending elements belongs to the w-th square of all (matrices, tiles by columns, squares by columns), q = 2 h + e.
/// Bit i of it stands for row i / 4 + 8 h and column 2 (i % 4) + e of the square.
struct BatchTiles {
  int rows, cols;  ///< size of a tile
  Index row_tiles, col_tiles;
  bool long_sums = false;  ///< selects the kernels that compute sums in chunks, of up to most_batch_terms terms
  /// If not zero, there is one matrix, and the bitmap is OpenBits of its transpose, with open_pitch words a column.
  /// Then state->rejected counts the pending elements of finite lines.
  Index open_pitch = 0;
  ACCUBLAS_HD Index of_a_matrix() const { return row_tiles * col_tiles; }
  ACCUBLAS_HD int squares() const { return rows / 16 * (cols / 8); }
  std::size_t open_words(Index matrices) const {
    return static_cast<std::size_t>(matrices * of_a_matrix() * squares() * 4);
  }
};

/// Returns how much shared memory a thread block can have: 163 KiB on compute capabilities 8.0 and 8.7, 99 KiB on 8.6,
/// 8.9 and 12.x, and 227 KiB on the others.
std::size_t shared_limit(const DeviceModel&);
/// Returns whether the kernels of mode cr for small matrices can compute a shape. m, n and k must be at most 512, and
/// the tiles must fit in shared memory.
bool batch_cr_serves(const DeviceModel&, Index m, Index n, Index k);
/// Returns the fastest tiles for `count` matrices of a shape for which batch_cr_serves is true.
BatchTiles batch_tiles(const DeviceModel&, Index m, Index n, Index k, Index count);
/// Returns the fastest tiles for sums in chunks. They have 32 or 64 rows.
BatchTiles long_tiles(const DeviceModel&, Index m, Index n, Index count);
/// The largest m n k for which the kernels for small matrices are faster than single calls in `fixed:T`, and for one
/// product in `cr`, by measurements on an H200. At order 512, single calls take two thirds of the time in `fixed:T`. A
/// single product in `cr` saves a tenth on random data there, and loses a fifth on data that decay.
inline constexpr Index most_small_work = Index{384} * 384 * 384;

/// Returns whether batch_fixed can compute a shape faster than single calls. t must be at most 64, m n k at most 384^3,
/// and batch_cr_serves must be true.
bool batch_fixed_serves(const DeviceModel&, Index m, Index n, Index k, int t);
/// Returns whether the kernels for small matrices can compute a product with the mode's values. In dp:repro and
/// sp:repro the values are cr's for all sums that the kernels can hold.
inline bool batch_serves(const DeviceModel& model, const Mode& mode, Index m, Index n, Index k) {
  static_assert(most_batch_terms <= most_terms_as_cr);
  if (mode.kind == ACCUBLAS_MODE_FIXED) return batch_fixed_serves(model, m, n, k, mode.parameter);
  return batch_cr_serves(model, m, n, k);
}

/// Computes every element that Ziv's test decides, in one kernel. It sets the bits of the other elements in `open`, and
/// counts them in state->open[0]. If alpha, in device memory, is zero, it computes C_i = beta C_i. Tests set
/// `all_undecided`, with which no element is decided.
template <class T>
void batch_cr(const DeviceModel&, const BatchProblem<T>&, const BatchTiles&, std::uint32_t* open, bool all_undecided,
              CallState* state, cudaStream_t);

/// Returns the fastest tiles for a shape for which batch_fixed_serves is true.
BatchTiles batch_fixed_tiles(const DeviceModel&, Index m, Index n, Index k, Index count);
/// Counterpart of batch_cr for fixed:t. Pending elements are those of lines with Inf or NaN.
template <class T>
void batch_fixed(const DeviceModel&, const BatchProblem<T>&, const BatchTiles&, int t, std::uint32_t* open,
                 CallState* state, cudaStream_t);

/// Computes squares with several pending elements by pairs of doubles with a bound. It writes the elements that the
/// bound decides, clears their bits, and subtracts their number from state->open[0].
template <class T>
void batch_squares(const DeviceModel&, const BatchProblem<T>&, const BatchTiles&, std::uint32_t* open, CallState* state,
                   cudaStream_t);

/// Computes the elements whose bits are set, including special values. If tiles.long_sums is set, grid sums decide most
/// elements. Exact accumulators compute the others.
template <class T>
void batch_exact(const DeviceModel&, const BatchProblem<T>&, const BatchTiles&, const std::uint32_t* open,
                 CallState* state, cudaStream_t);

/// Counterpart of batch_exact for one matrix, whose bitmap is OpenBits of its transpose (BatchTiles::open_pitch).
template <class T>
void exact_of_one(const DeviceModel&, const BatchProblem<T>&, const std::uint32_t* open, Index pitch, CallState*,
                  cudaStream_t);

}  // namespace accublas::cuda
