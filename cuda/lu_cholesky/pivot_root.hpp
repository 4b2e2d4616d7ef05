// The pivots of Cholesky's factorization in cr: roots of sums, which hold minus the squares of pivots. For .cu files.
#pragma once

#include "cuda/trsm/resolve.hpp"
#include "lib/numerics/cholesky_pivot.hpp"

namespace accublas::cuda {

template <class T>
struct FoundPivot {
  T pivot;
  bool found;
};

/// Returns a pivot, and whether there is one, if the current sum does not decide. `terms` are those of the diagonal's
/// element, in which a column is multiplied by itself. `exactly`: use exact sums in any case. Adds 1 to *undecided,
/// unless null, if an exact sum computed the pivot. All lanes of the warp call this. It is not a member function,
/// because an object would have to lie in memory for the call.
template <class E, class Terms>
__device__ ACCUBLAS_NOINLINE FoundPivot<RealOf<E>> pivot_by_terms(const Terms terms, bool exactly,
                                                                  unsigned long long* undecided) {
  using T = RealOf<E>;
  const E right_side = terms.right_side();
  T result{};
  if (!exactly) {
    TripleSum squares[parts_of<E>];
    numerators_of_terms(E{T(1)}, terms, false, squares);
    const TripleSum& square = squares[0];
    if (CholeskyPivot<T>{0}.approximate({-square.a1, -square.a2, -square.a3, square.error}, result))
      return {result, true};
  }
  ExactSum<double> above;
  add_terms<E>(terms, 0, above);
  join_lanes(above);
  const bool found = CholeskyPivot<T>{part_of(right_side, 0)}.exact(above, result);
  if (found && undecided && threadIdx.x % 32 == 0) atomicAdd(undecided, 1ull);
  return {result, found};
}

/// Returns the square of a pivot from the sum of the diagonal element, without the scale of sums.
template <class E>
__device__ TripleSum square_of_pivot(const Chain<RealOf<E>, true>& sum) {
  TripleSum left = minus(sum);
  if constexpr (sum_lift<E> != 0) {
    constexpr double back = power_of_two(-sum_lift<E>);
    // Numbers below 2^-960 may lose bits when they are scaled back. If the square is below 2^-200, it is not used.
    const bool exact = left.error == 0 && (left.a2 == 0 || fabs(left.a2) > 0x1p-800);
    left = {left.a1 * back, left.a2 * back, 0, left.error * back + (exact ? 0 : 0x1p-1000)};
  }
  return left;
}

}  // namespace accublas::cuda
