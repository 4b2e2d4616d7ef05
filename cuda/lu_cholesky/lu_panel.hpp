// A panel of LU with partial pivoting: a few columns of L and U from their first row on.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/core/grid_exchange.hpp"
#include "cuda/lu_cholesky/row_moves.hpp"
#include "cuda/trsm/solve_kernels.hpp"

namespace accublas::cuda {

/// The best pivot that a thread block of a panel found in its rows.
template <class E>
struct PivotCandidate {
  E value;
  Index row, position;  ///< the row in memory, and its position after the exchanges; row -1: none
};

/// Device memory that the panels of a factorization share: the moves, and in addition either the words of
/// factor_resident_panel or the other members.
template <class E>
struct LuMemory {
  FlaggedWord* words;             ///< resident_panel_words of them, which exchange pivots
  PivotCandidate<E>* candidates;  ///< two for each thread block
  Index* position;                ///< position of each row
  /// Sums of the panel's columns, one after the other, each of m rows (for complex numbers one array per part).
  double2* pair;
  double* error;
  RowMoves* moves;
  unsigned* arrived;  ///< of the GridBarrier of all panels
};

/// A panel consists of columns first .. first + width - 1 of an m x n matrix.
template <class E>
struct LuPanel {
  Matrix<E> a;
  Index m, first;
  int width;
  /// Sums over what lies to the left of the panel less A's numbers, of rows 0 .. m - 1 and the panel's columns.
  PairSums sums;
  LuMemory<E> memory;
  std::int64_t* pivots;  ///< LAPACK's ipiv
  long long* info;       ///< LAPACK's info: the first column without a pivot; 0 before one was found
  unsigned long long* undecided;
  bool all_undecided;
  FarEntries<E> far;  ///< far entries of L
};

/// Returns the most thread blocks of a panel of `rows` rows.
template <class E>
int lu_panel_blocks(const DeviceModel&, Index rows);

/// Factors the panel in cr (docs/factorizations.md, "GETRF"). Rows stay in place; moves and pivots say where they
/// belong. `arrived` is the value of the barrier's counter; it grows by the arrivals of this panel. The panel may have
/// any number of rows, since the sums are in memory.
template <class E>
void factor_panel(const DeviceModel&, const LuPanel<E>&, unsigned& arrived, cudaStream_t);

}  // namespace accublas::cuda
