// Cholesky's factorization and LU of distributed matrices (docs/distributed.md). Every element of a factor is defined
// by those before it, and each is computed by one process with all its terms. So no distribution changes a bit.
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

/// Computes the factors of the m x n matrix A in its place. `left` are the first min(m, n) columns of A. The rows that
/// were exchanged with the first rows, counted from 0, become `pivots`. Returns LAPACK's info.
template <class E>
int factor_lu(const Caller& by, const Team& team, const Part& left, const Part& a, std::vector<std::int64_t>& pivots);

/// A triangle of a factor, op(A) with the transposition and the conjugation named.
struct FactorTriangle {
  Triangle stored;
  bool transposed = false, conjugate = false, unit = false;
};
/// Solves op(A) X = X' in the place of X', for the right-hand sides that this process has in its columns. All processes
/// take part.
template <class E>
void substitute(const Caller& by, const Team& team, const Part& a, const FactorTriangle& factor, Buffer<E>& x);

/// Runs a step of lib/cpu/lu_cholesky/shared_rows.hpp.
template <class E>
void run_step(const Caller& by, Operation operation, void* step) {
  require(by.name, accublas_private_run_factor_step(nullptr, {operation, type_of<E>}, step));
}

/// The indices of one dimension in blocks of equal width, which the ranks have in turn.
struct Turns {
  int count, width, ranks;

  /// The ranks shall have several blocks each, since later blocks need more work.
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

/// The rows first .. end - 1 of a matrix in which a process computes, for all processes: entry (p, q) of its first
/// `end` columns. The memory before the first row's entries is unused, so that rows have their numbers.
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

/// Sends numbers from a rank to all.
template <class E>
void broadcast(const Team& team, E* numbers, std::int64_t count, int rank) {
  constexpr std::int64_t most = std::int64_t{1} << 26;  // MPI's counts have 32 bits
  for (std::int64_t at = 0; at < count; at += most)
    MPI_Bcast(numbers + at, static_cast<int>(std::min(most, count - at) * static_cast<std::int64_t>(sizeof(E))),
              MPI_BYTE, rank, team.comm);
}

}  // namespace accublas::pblas
