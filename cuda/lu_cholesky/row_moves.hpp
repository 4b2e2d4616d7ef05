// The row exchanges of LU: the moves of one panel, and the exchanges that LAPACK's ipiv lists.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/sums/pair_sums.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

inline constexpr int lu_panel_columns = 32;  ///< the most columns of a panel

/// The moves of exchanged rows: row source[i] becomes row target[i].
struct RowMoves {
  int count;
  Index source[2 * lu_panel_columns], target[2 * lu_panel_columns];
};

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
