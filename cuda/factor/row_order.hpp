// Rows that change places for several panels of LU at once: where they came from is kept in columns of integers whose
// rows move with the panels' own, and becomes a list for all other columns of the matrix.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/factor/lu_panel.hpp"

namespace accublas::cuda {

/// A row that goes from one place to another.
struct alignas(8) ListedMove {
  int source, target;
};
struct ListedMoves {
  ListedMove* move;
  int* count;
};

/// Panels' columns whose moves one list has at most: a thread block keeps the moved numbers of a column, or of 32 bytes
/// of each row where those lie side by side, in shared memory.
template <class E>
Index most_listed_columns(const Matrix<E>& a);

/// origins(row, level) = row, m x levels.
void begin_origins(const DeviceModel&, const Matrix<int>& origins, Index m, Index levels, cudaStream_t);

/// The moves of rows first .. m - 1 since origin[row] was row, which it is again.
void list_moves(const DeviceModel&, int* origin, Index first, Index m, const ListedMoves&, cudaStream_t);

/// Those moves in columns 0 .. columns - 1 of A. `most`: they are no more.
template <class E>
void move_listed_rows(const DeviceModel&, const ListedMoves&, Index most, const Matrix<E>& a, Index columns,
                      cudaStream_t);

}  // namespace accublas::cuda
