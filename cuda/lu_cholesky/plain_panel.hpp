// A panel of LU with partial pivoting in plain floating-point arithmetic (in cr: cuda/lu_cholesky/lu_panel.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/core/device_model.hpp"
#include "cuda/core/grid_exchange.hpp"
#include "cuda/lu_cholesky/row_moves.hpp"

namespace accublas::cuda {

/// A panel has at most this many columns: a thread keeps a row of them in registers.
template <class E>
inline constexpr int plain_panel_columns = sizeof(E) > 8 ? 16 : 32;
static_assert(plain_panel_columns<double> <= lu_panel_columns);

/// A thread block has this many rows, one a thread.
inline constexpr int plain_panel_rows = 512;

/// A panel consists of columns first .. first + width - 1 of an m x n matrix.
template <class E>
struct PlainPanel {
  Matrix<E> a;
  Index m, first;
  int width;
  FlaggedWord* words;  ///< plain_panel_words of them
  RowMoves* moves;
  std::int64_t* pivots;  ///< LAPACK's ipiv
  long long* info;       ///< LAPACK's info: the first column without a pivot; 0 before one was found
};

/// Returns the number of thread blocks of a panel of `rows` rows; 0 if the device does not hold that many at a time.
template <class E>
int plain_panel_blocks(const DeviceModel&, Index rows);
/// Returns how many words the thread blocks of such a panel exchange pivots through.
template <class E>
Index plain_panel_words(const DeviceModel&, Index rows);

/// Factors the panel by columns. Each element a_ij subtracts l_ik u_kj one after the other in FMAs (a complex element
/// has two for each of its parts); then comes the quotient. The pivot is the first of the rows with the largest abs
/// (complex: abs(Re) + abs(Im)), and NaN counts as larger than every number. Rows stay in place; moves and pivots say
/// where they belong. `steps` counts the steps of all panels that share the words; it grows by those of this panel.
template <class E>
void factor_panel(const DeviceModel&, const PlainPanel<E>&, std::uint32_t& steps, cudaStream_t);

}  // namespace accublas::cuda
