// How the rows and columns of a matrix are distributed among the processes of a team.
#pragma once

#include <cstdint>
#include <vector>

#include "c_api/pblas/grid.hpp"
#include "lib/call/problem.hpp"

namespace accublas::pblas {

/// A descriptor of ScaLAPACK, of either type: 1, or 2 with first blocks of another size.
struct Descriptor {
  int type, context, rows, cols, first_row_block, first_col_block, row_block, col_block, row_source, col_source, ld;
};
Descriptor read_descriptor(const int* desc);
/// These functions return how many of the first `count` rows and columns of the matrix this process has.
std::int64_t rows_before(const Grid& grid, const Descriptor& d, int count);
std::int64_t cols_before(const Grid& grid, const Descriptor& d, int count);
/// These functions return how many rows and columns of the matrix this process has.
std::int64_t own_rows(const Grid& grid, const Descriptor& d);
std::int64_t own_cols(const Grid& grid, const Descriptor& d);

/// The coordinate of a process that decides which indices of an axis it has. With `nothing` all processes have the
/// same indices.
enum class By { row, col, rank, nothing };

/// The indices 0, 1, ... of one dimension of a matrix, each of which belongs to a group of processes: those with the
/// same row, column or rank. A process stores its indices in ascending order.
struct Axis {
  static constexpr int every_group = -2, no_group = -1;

  int count = 0;
  By by = By::nothing;
  /// The group of each index, or every_group or no_group. If `owner` is empty, every group in `members` has every
  /// index. If `members` is empty too, every group at all has every index.
  std::vector<int> owner;
  std::vector<char> members;

  bool everywhere() const { return owner.empty(); }
  int group_of(const Team& team, int rank) const;
  bool has(int index, int group) const;
  /// Returns the indices of a group.
  std::vector<int> of_group(int group) const;
  /// Returns the largest number of indices that a group has.
  int most() const;
  /// Returns the axis on which each group keeps `length` of its indices: those at its own positions from `first` on.
  Axis slice(int first, int length) const;

  /// Returns an axis whose indices every process has.
  static Axis all(int count) { return {count, By::nothing, {}, {}}; }
};

/// Returns the axis that gives each row, or column, of a matrix to one process that has elements of it, so that a row
/// is sent only within its row of processes. The processes get equal shares. `lines` is an axis of the matrix.
Axis shares_of(const Team& team, const Axis& lines);

/// A process's part of a matrix: data points to the first of its elements.
struct Part {
  Axis rows, cols;
  void* data = nullptr;
  std::int64_t ld = 1;
};

/// Returns the part of the m x n sub-matrix at row `i` and column `j`, from 1. `data` is the local array.
Part part_of(const Grid& grid, const Descriptor& d, void* data, int i, int j, int m, int n, std::size_t element);

/// Returns the scope that has all elements of the parts, which are in the layouts of descriptors. `is_member` becomes
/// whether this process is in the scope.
Scope scope_of(const Grid& grid, std::initializer_list<const Part*> parts, bool& is_member);

}  // namespace accublas::pblas
