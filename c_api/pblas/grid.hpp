// The process grids of the BLACS, and the groups of their processes that compute a call together.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "include/accublas.h"
#include "lib/call/mode.hpp"

namespace accublas::pblas {

/// A BLACS context as a process sees it. `rows` is negative in a process that the context does not have.
struct Grid {
  int context, rows, cols;  ///< rows and columns of processes
  int row, col;             ///< this process
};
Grid grid_of(int context);

/// The processes that compute a call: all of a grid, or one row or column of it.
enum class Scope { grid, row, column };

/// The processes of a scope, with a communicator of their own. Its ranks are numbered row by row, and `first_row` and
/// `first_col` are the grid's coordinates of rank 0.
struct Team {
  MPI_Comm comm = MPI_COMM_NULL;
  int first_row = 0, first_col = 0, rows = 0, cols = 0;
  int rank = 0;
  std::int64_t buffer_bytes = 0;  ///< approximate limit of the panels of a call (ACCUBLAS_PBLAS_MIB)
  bool on_host = true;            ///< no process computes on a device

  int size() const { return rows * cols; }
  int row_of(int of_rank) const { return first_row + of_rank / cols; }
  int col_of(int of_rank) const { return first_col + of_rank % cols; }
};

/// Returns this process's team. The first call for a scope of a context is collective over the scope. The communicator
/// lives as long as the context.
const Team& team_of(const Grid& grid, Scope scope);

/// Returns the next definition of a PBLAS routine behind this library: ScaLAPACK's own. Ends all processes if there is
/// none.
void* real_routine(const char* name);

/// Ends the processes of all ranks, after one line to standard error.
[[noreturn]] void fail(const char* routine, const char* message);

/// Ends all processes if a local call of the library has failed. `routine` is the PBLAS routine.
void require(const char* routine, accublas_status status);

/// Returns the mode of a routine in the thread's default context.
Mode mode_of(const char* name, Routine routine);

/// Whether ScaLAPACK computes a mode: one whose bits accublas does not define.
inline bool is_scalapacks(const Mode& mode) {
  return mode.kind == ACCUBLAS_MODE_NATIVE || (is_grade(mode) && !mode.reproducible);
}

}  // namespace accublas::pblas
