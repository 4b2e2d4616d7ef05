// A panel of LU with partial pivoting: a few columns of L and U from their first row on.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/lu_cholesky/told_words.hpp"
#include "cuda/trsm/solve_kernels.hpp"

namespace accublas::cuda {

inline constexpr int lu_panel_columns = 32;  ///< the most columns of a panel

/// The moves of exchanged rows: row source[i] becomes row target[i].
struct RowMoves {
  int count;
  Index source[2 * lu_panel_columns], target[2 * lu_panel_columns];
};

/// The best pivot that a thread block of a panel found in its rows.
template <class E>
struct PivotCandidate {
  E value;
  Index row, position;  ///< the row in memory, and its position after the exchanges; row -1: none
};

/// Device memory that the panels of a factorization share: the moves, and in addition either the words that
/// factor_resident_panel passes between thread blocks (`told`) or the other members.
template <class E>
struct LuMemory {
  ToldWord* told;                 ///< words of all thread blocks for two steps, told_words<E, lu_panel_columns> each
  PivotCandidate<E>* candidates;  ///< two for each thread block
  Index* position;                ///< position of each row
  /// Sums of the panel's columns, one after the other, each of m rows (for complex numbers one array per part).
  double2* pair;
  double* error;
  RowMoves* moves;
  unsigned* arrived;  ///< counts thread blocks at the barriers of all panels since it was zero
};

/// A panel consists of columns first .. first + width - 1 of an m x n matrix.
template <class E>
struct LuPanel {
  Matrix<E> a;
  Index m, first;
  int width;
  /// Sums over what lies to the left of the panel, of rows 0 .. m - 1 and the panel's columns.
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
/// belong. `barriers` counts the arrivals that `arrived` has seen; it grows by those of this panel. The panel may have
/// any number of rows, since the sums are in memory.
template <class E>
void factor_panel(const DeviceModel&, const LuPanel<E>&, unsigned& barriers, cudaStream_t);

/// Applies the moves of rows to columns 0 .. columns - 1 of A, and to columns 0 .. levels - 1 of origins
/// (cuda/lu_cholesky/row_order.hpp).
template <class E>
void move_rows(const DeviceModel&, const RowMoves*, const Matrix<E>& a, Index columns, cudaStream_t,
               const Matrix<int>& origins = {}, Index levels = 0);
/// Applies the moves to sums, with `parts` rows of sums for each row, in columns 0 .. columns - 1.
void move_sums(const DeviceModel&, const RowMoves*, const PairSums&, int parts, Index columns, cudaStream_t);

/// Exchanges rows of B by `pivots`, in the order 0 .. count - 1 or backwards, in columns 0 .. columns - 1. Does nothing
/// if `stop` is not null and *stop > 0.
template <class E>
void exchange_rows(const DeviceModel&, const Matrix<E>& b, Index columns, const std::int64_t* pivots, Index count,
                   bool backwards, const long long* stop, cudaStream_t);

}  // namespace accublas::cuda
