// Combines the row exchanges of several panels of LU. Columns of integers record the origins of rows and move with the
// panels' own rows; they then become a list of moves for all other columns of the matrix.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/lu_cholesky/listed_move.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

struct ListedMoves {
  ListedMove* move;
  int* count;
};

/// Returns how many columns of panels one list can cover. A thread block keeps the moved numbers of a column in shared
/// memory, or of 32 bytes of each row if those are adjacent.
template <class E>
Index most_listed_columns(const Matrix<E>& a);

/// Sets origins(row, level) = row, for m x levels elements.
void begin_origins(const DeviceModel&, const Matrix<int>& origins, Index m, Index levels, cudaStream_t);

/// Lists the moves of rows first .. m - 1 since origin[row] was row, and sets origin[row] to row again.
void list_moves(const DeviceModel&, int* origin, Index first, Index m, const ListedMoves&, cudaStream_t);

/// Applies the listed moves to columns 0 .. columns - 1 of A; there are at most `most` of them.
template <class E>
void move_listed_rows(const DeviceModel&, const ListedMoves&, Index most, const Matrix<E>& a, Index columns,
                      cudaStream_t);

}  // namespace accublas::cuda
