// Cholesky's factorization and LU of distributed matrices (docs/distributed.md). Earlier elements define every element
// of a factor, and one process computes an element with all its terms. So no distribution changes a bit.
#pragma once

#include <algorithm>
#include <vector>

#include "c_api/pblas/exchange.hpp"
#include "c_api/pblas/local.hpp"
#include "c_api/private.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/routine.hpp"
#include "lib/cpu/lu_cholesky/shared_rows.hpp"

namespace accublas::pblas {

/// Computes Cholesky's factor in the stored triangle of A, of order n. Returns LAPACK's info.
template <class E>
int factor_cholesky(const Caller& by, const Team& team, bool upper, const Part& a);

/// Overwrites the m x n matrix A with its factors. `left` has the first min(m, n) columns of A. `pivots` receives, for
/// each of the first rows, the row that it was exchanged with, counted from 0. Returns LAPACK's info.
template <class E>
int factor_lu(const Caller& by, const Team& team, const Part& left, const Part& a, std::vector<std::int64_t>& pivots);

/// A triangle T of a factored matrix, and op(T).
struct FactorTriangle {
  Triangle stored;
  bool transposed = false, conjugate = false, unit = false;
};
/// Solves op(T) X = B for the triangle T of A, of order n. `x` has this process's right-hand sides (columns of B), and
/// receives their solutions. All processes of the team call this, also those without right-hand sides.
template <class E>
void substitute(const Caller& by, const Team& team, const Part& a, const FactorTriangle& factor, Buffer<E>& x);

/// Runs a step of lib/cpu/lu_cholesky/shared_rows.hpp. If it fails, all ranks end.
template <class E>
void run_step(const Caller& by, Operation operation, void* step) {
  require(by.name, accublas_private_run_factor_step(nullptr, {operation, type_of<E>}, step));
}

/// A block-cyclic distribution of the indices of one dimension: the ranks have blocks of equal width in turn.
struct Turns {
  int count, width, ranks;

  /// Each rank gets several blocks if possible, because later blocks need more work.
  Turns(const Team& team, int count)
      : count(count),
        width(std::clamp(count / (4 * team.size()), 1, static_cast<int>(cpu::SharedRows<double>::most_columns))),
        ranks(team.size()) {}

  int rank_of(int index) const { return index / width % ranks; }
  /// Returns how many of the first `end` indices a rank has.
  int before(int end, int rank) const {
    const int blocks = end / width, rest = blocks % ranks;
    return (blocks / ranks + (rank < rest)) * width + (rank == rest ? end % width : 0);
  }
  Axis axis() const {
    Axis axis{count, By::rank, {}, {}};
    for (int i = 0; i < count; ++i) axis.owner.push_back(rank_of(i));
    return axis;
  }
};

/// Rows first .. end - 1 of a matrix, at most `width` of them, with their first `end` columns. One process computes
/// them and sends them to all. p in matrix()(p, q) is the row of the whole matrix, so memory before row `first` is
/// unused.
template <class E>
class SharedLines {
 public:
  SharedLines(const char* routine, int order, int width) : width_(width), memory_(routine, order, width + 1) {
    std::fill_n(memory_.data.get(), memory_.rows * memory_.cols, E{});
  }
  Matrix<E> matrix() { return {memory_.data.get(), 1, width_}; }
  E* first(int row) { return memory_.data.get() + row; }
  std::int64_t numbers(int first, int end) const { return std::int64_t{end - 1} * width_ + end - first; }

 private:
  std::int64_t width_;
  Buffer<E> memory_;
};

}  // namespace accublas::pblas
