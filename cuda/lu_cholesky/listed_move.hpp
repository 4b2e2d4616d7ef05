// Lists of the rows that row exchanges move. Code without CUDA, so that it is tested without a GPU.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// The move of a row from one position to another.
struct alignas(8) ListedMove {
  int source, target;
};

/// Turns exchanges of rows of a matrix into lists of moves.
class ListsOfMoves {
 public:
  /// `rows`: the matrix has this many, fewer than 2^31.
  explicit ListsOfMoves(Index rows) : origin_(static_cast<std::size_t>(rows)) {
    std::iota(origin_.begin(), origin_.end(), 0);
  }
  /// Appends to `moves` the moves of the exchanges of row i with row pivots[i], in the order i = first .. first + count
  /// - 1. Rows of `pivots` are counted from 1. Returns the number of moves, at most 2 count.
  int append(const std::int64_t* pivots, Index first, Index count, std::vector<ListedMove>& moves) {
    const std::size_t before = moves.size();
    const auto origin = [&](Index row) -> int& { return origin_[static_cast<std::size_t>(row)]; };
    for (Index i = first; i < first + count; ++i) std::swap(origin(i), origin(pivots[i] - 1));
    const auto list = [&](Index row) {
      const int target = static_cast<int>(row);
      if (origin(row) != target) moves.push_back({std::exchange(origin(row), target), target});
    };
    for (Index i = first; i < first + count; ++i) {
      list(i);
      list(pivots[i] - 1);
    }
    return static_cast<int>(moves.size() - before);
  }

 private:
  std::vector<int> origin_;  ///< origin_[row] = row between calls
};

}  // namespace accublas::cuda
