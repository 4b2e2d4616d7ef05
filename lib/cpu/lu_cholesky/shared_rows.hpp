// Steps of factorizations whose rows or columns are distributed among processes (c_api/pblas/factorizations.cpp).
// Earlier elements define every element. So each process computes its own elements by the code of a single process,
// once it has the elements of other processes that they depend on.
#pragma once

#include <utility>

#include "lib/call/execution.hpp"
#include "lib/call/factorization.hpp"

namespace accublas::cpu {

template <class E>
struct PivotCandidate;

/// The rows of a panel of LU that this process has, and what the processes have to agree on. `positions` has the
/// current row of the whole matrix for each row of the process; the panel keeps it up to date.
template <class E>
class SharedRows {
 public:
  static constexpr Index most_columns = 64;  ///< of a panel
  Index* positions = nullptr;

  virtual ~SharedRows() = default;
  /// Makes `best` the best candidate of all processes for the pivot of `column`. Its row is a position, and its size
  /// is negative if the process has no row left. All processes take part.
  virtual void agree(Index column, PivotCandidate<E>& best) = 0;
  /// Called on the process that has the pivot. The panel exchanges its rows `row` and `other`.
  virtual void exchanged(Index row, Index other) = 0;
  /// Sends numbers from the process that has the last pivot to all others.
  virtual void share(E* numbers, Index count) = 0;

  /// Sends the first `count` entries of a row of U from the process that has the last pivot to all others.
  void share_row(const Matrix<E>& row, Index count) {
    E numbers[most_columns];
    for (Index c = 0; c < count; ++c) numbers[c] = row(0, c);
    if (count > 0) share(numbers, count);
    for (Index c = 0; c < count; ++c) row(0, c) = numbers[c];
  }

  /// Exchanges the positions of the row at `position`, which is the pivot's, and of the row at `column`. Rows
  /// `own` .. rows - 1 of the process are no pivots yet. Returns the one that is the pivot's, else -1. The caller
  /// exchanges it with row `own`.
  Index take(Index column, Index position, Index own, Index rows) {
    Index pivot = -1;
    for (Index r = own; r < rows; ++r) {
      if (positions[r] == position)
        pivot = r;
      else if (positions[r] == column)
        positions[r] = position;
    }
    if (pivot < 0) return -1;
    positions[pivot] = column;
    std::swap(positions[own], positions[pivot]);
    exchanged(own, pivot);
    return pivot;
  }
};

/// Computes the unknowns first .. end - 1 of a triangular system in the order of substitution. Earlier ones are known.
template <class E>
struct SubstitutionStep {
  TriangularSystem<E> system;
  Index first, end;
};

/// Computes columns first .. end - 1 of X, X^H X = A, from row `first` on. X overwrites A, and its rows before `first`
/// are known. `known` becomes `end`, or the first column without a pivot: rows from this column on keep A's elements.
template <class E>
struct CholeskyStep {
  Matrix<E> x;
  Index first, end, known;
};

/// Computes columns first .. end - 1 of L and U, at most SharedRows::most_columns, in the `rows` rows of this process
/// that are no pivots yet. `a` has these rows, and `u` has the panel's columns of U. `none` becomes the first column
/// whose pivot is zero, or -1.
template <class E>
struct PanelStep {
  Matrix<E> a, u;
  Index rows, first, end;
  SharedRows<E>* shared;
  Index none;
};

template <class E>
void run_step(const SubstitutionStep<E>&, Execution&);
template <class E>
void run_step(CholeskyStep<E>&, Execution&);
template <class E>
void run_step(PanelStep<E>&, Execution&);

}  // namespace accublas::cpu
