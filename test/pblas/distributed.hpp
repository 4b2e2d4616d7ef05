// Whole matrices that every process has, and their distributed forms, for the tests of libaccublas_pblas. This file
// computes the distribution element by element and shares no code with the library.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "test/pblas/device_memory.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int cols);
void Cblacs_gridinfo(int context, int* rows, int* cols, int* row, int* col);
void Cblacs_gridexit(int context);
void Cblacs_exit(int keep_mpi);
}

namespace accublas::test {

using Random = std::mt19937_64;

/// Returns a number from `least` to `most`. The standard's distributions differ between libraries.
inline int number(Random& random, int least, int most) {
  return least + static_cast<int>(random() % static_cast<std::uint64_t>(most - least + 1));
}

struct Grid {
  int context = -1, rows = 0, cols = 0, row = -1, col = -1;
  bool has_me() const { return row >= 0; }
};

/// How one dimension is distributed.
struct Blocks {
  int first, rest, source, processes;

  int owner(int index) const {
    if (source < 0) return -1;  // every process has it
    int process = source, left = index - first;
    for (; left >= 0; left -= rest) process = (process + 1) % processes;
    return process;
  }
  bool has(int index, int process) const { return owner(index) < 0 || owner(index) == process; }
};

/// A matrix of `rows` x `cols` with a descriptor, of which a sub-matrix is an operand.
template <class E>
struct Distributed {
  Grid grid;
  int rows, cols, i, j;  ///< the sub-matrix begins at (i, j), from 1
  Blocks row_blocks, col_blocks;
  int ld = 1;
  std::vector<E> whole, before;
  LocalArray<E> local;  ///< the process's array
  int desc[11];

  /// The blocks are random, and with `extended` the descriptor has first blocks of other sizes or a replicated axis.
  Distributed(const Grid& grid, Random& random, int m, int n, bool extended) : grid(grid) {
    i = number(random, 1, 9), j = number(random, 1, 9);
    rows = i - 1 + m + number(random, 0, 5), cols = j - 1 + n + number(random, 0, 5);
    if (rows == 0) rows = 1;
    if (cols == 0) cols = 1;
    const int sizes[] = {1, 2, 3, 5, 8, 16, 32, 64};
    const auto blocks = [&](int processes) {
      Blocks b{0, sizes[number(random, 0, 7)], number(random, extended ? -1 : 0, processes - 1), processes};
      b.first = extended ? number(random, 1, 2 * b.rest) : b.rest;
      return b;
    };
    row_blocks = blocks(grid.rows), col_blocks = blocks(grid.cols);
    complete(random, extended);
  }
  /// Makes a matrix with square blocks whose sub-matrix begins at a block, as factorizations need. Its rows are
  /// distributed like those of `like`, unless that is null.
  Distributed(const Grid& grid, Random& random, int m, int n, const Distributed* like) : grid(grid) {
    const int sizes[] = {1, 2, 3, 5, 8, 16, 32, 64};
    const int block = like ? like->row_blocks.rest : sizes[number(random, 0, 7)];
    i = 1 + block * number(random, 0, 2), j = 1 + block * number(random, 0, 2);
    rows = i - 1 + m + number(random, 0, 5), cols = j - 1 + n + number(random, 0, 5);
    if (rows == 0) rows = 1;
    if (cols == 0) cols = 1;
    row_blocks = {block, block, number(random, 0, grid.rows - 1), grid.rows};
    col_blocks = {block, like ? sizes[number(random, 0, 7)] : block, number(random, 0, grid.cols - 1), grid.cols};
    col_blocks.first = col_blocks.rest;
    if (like)
      while (row_blocks.owner(i - 1) != like->row_blocks.owner(like->i - 1))
        row_blocks.source = (row_blocks.source + 1) % grid.rows;
    complete(random, false);
  }

  E& at(int r, int c) {
    return whole[static_cast<std::size_t>(r) + static_cast<std::size_t>(c) * static_cast<std::size_t>(rows)];
  }
  /// The sub-matrix.
  E& sub(int r, int c) { return at(i - 1 + r, j - 1 + c); }
  E* sub() { return &sub(0, 0); }

  void complete(Random& random, bool extended) {
    whole.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols), E{});
    int own = 0;
    for (int r = 0; r < rows; ++r) own += row_blocks.has(r, grid.row);
    ld = own + number(random, 0, 3);
    if (ld < 1) ld = 1;
    const int plain[] = {
        1, grid.context, rows, cols, row_blocks.rest, col_blocks.rest, row_blocks.source, col_blocks.source, ld, 0, 0};
    const int inb[] = {2,
                       grid.context,
                       rows,
                       cols,
                       row_blocks.first,
                       col_blocks.first,
                       row_blocks.rest,
                       col_blocks.rest,
                       row_blocks.source,
                       col_blocks.source,
                       ld};
    std::memcpy(desc, extended ? inb : plain, sizeof desc);
  }

  /// Calls body(element of the whole matrix, element of the process's array).
  template <class Body>
  void for_local(Body&& body) {
    int at_col = 0;
    for (int c = 0; c < cols; ++c) {
      if (!col_blocks.has(c, grid.col)) continue;
      int at_row = 0;
      for (int r = 0; r < rows; ++r)
        if (row_blocks.has(r, grid.row))
          body(at(r, c), local[static_cast<std::size_t>(at_row++) +
                               static_cast<std::size_t>(at_col) * static_cast<std::size_t>(ld)]);
      ++at_col;
    }
  }
  /// Copies the whole matrix into the processes' arrays.
  void distribute() {
    int own = 0;
    for (int c = 0; c < cols; ++c) own += col_blocks.has(c, grid.col);
    E outside{};
    std::memset(static_cast<void*>(&outside), 0xab, sizeof outside);
    local.assign(static_cast<std::size_t>(ld) * static_cast<std::size_t>(own) + 1, outside);
    for_local([](E& of_whole, E& of_local) { of_local = of_whole; });
    before = local;
  }
  /// Returns how many elements of the process's array differ from those of the whole matrix. Padding must be as it was.
  int differences() {
    const std::vector<E> result = local;
    local = before;
    for_local([](E& of_whole, E& of_local) { of_local = of_whole; });
    int count = 0;
    for (std::size_t at = 0; at < local.size(); ++at) count += std::memcmp(&local[at], &result[at], sizeof(E)) != 0;
    return count;
  }
};

}  // namespace accublas::test
