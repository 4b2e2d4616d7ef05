// A panel of LU with partial pivoting: some columns of L and U from their first row on.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/factor/told_words.hpp"
#include "cuda/solve/solve_kernels.hpp"

namespace accublas::cuda {

inline constexpr int lu_panel_columns = 32;  ///< at most

/// Where rows go that change places: row source[i] becomes row target[i].
struct RowMoves {
  int count;
  Index source[2 * lu_panel_columns], target[2 * lu_panel_columns];
};

/// What a thread block of a panel found in its rows.
template <class E>
struct PivotCandidate {
  E value;
  Index row, position;  ///< where it lies, and its place among the rows that changed places; row -1: none
};

/// What panels of a factorization share in device memory: moves, and either told (cuda/factor/resident_panel.hpp) or
/// the rest.
template <class E>
struct LuMemory {
  ToldWord* told;                 ///< of all thread blocks for two steps, told_words<E, lu_panel_columns> each
  PivotCandidate<E>* candidates;  ///< two of each thread block
  Index* position;                ///< of each row
  double2*
      pair;  ///< sums of the panel's columns, one after the other, each of m rows (of complex numbers for each part)
  double* error;
  RowMoves* moves;
  unsigned* arrived;  ///< thread blocks, at the barriers of all panels since it was zero
};

/// Columns first .. first + width - 1 of an m x n matrix.
template <class E>
struct LuPanel {
  Matrix<E> a;
  Index m, first;
  int width;
  /// Over what lies to the left of the panel, of rows 0 .. m - 1 and the panel's columns.
  PairSums sums;
  LuMemory<E> memory;
  std::int64_t* pivots;  ///< LAPACK's ipiv
  long long* info;       ///< LAPACK's: the first column without a pivot, 0 before one was found
  unsigned long long* undecided;
  bool all_undecided;
  FarEntries<E> far;  ///< of L
};

/// Thread blocks of a panel of so many rows, at most.
template <class E>
int lu_panel_blocks(const DeviceModel&, Index rows);

/// The panel in cr (docs/factorizations.md, "GETRF"), but that rows stay where they are: moves and pivots tell where
/// they belong. `barriers`: those that `arrived` has seen, which grow by those of this panel. Rows of any number, whose
/// sums lie in memory.
template <class E>
void factor_panel(const DeviceModel&, const LuPanel<E>&, unsigned& barriers, cudaStream_t);

/// The moves of the rows of columns 0 .. columns - 1 of A, and of 0 .. levels - 1 of origins
/// (cuda/factor/row_order.hpp).
template <class E>
void move_rows(const DeviceModel&, const RowMoves*, const Matrix<E>& a, Index columns, cudaStream_t,
               const Matrix<int>& origins = {}, Index levels = 0);
/// Those of sums, `parts` rows of them to a row, columns 0 .. columns - 1.
void move_sums(const DeviceModel&, const RowMoves*, const PairSums&, int parts, Index columns, cudaStream_t);

/// The exchange of rows that `pivots` tells, 0 .. count - 1 or the other way round, in columns 0 .. columns - 1 of B;
/// nothing where *stop > 0, unless null.
template <class E>
void exchange_rows(const DeviceModel&, const Matrix<E>& b, Index columns, const std::int64_t* pivots, Index count,
                   bool backwards, const long long* stop, cudaStream_t);

}  // namespace accublas::cuda
