// The kernels of TRSM and TRSV in cr and dot2 (docs/modes.md, "TRSM and TRSV"). The sums over the known unknowns, of
// all right-hand sides, are in memory as pairs (cuda/sums/pair_sums.hpp). Each block of solved unknowns is added to
// them, and then the next block is solved. In cr the sums begin with minus the right-hand sides, so that they are minus
// the numerators of the unknowns. Hence their errors compare with the numerators, and sums that cancellation has made
// uncertain are recognized and computed again in three words, or in six.
#pragma once

#include <cuda_runtime_api.h>

#include <type_traits>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/sums/pair_sums.hpp"
#include "lib/call/product.hpp"
#include "lib/numerics/complex.hpp"
#include "lib/numerics/dot2_block.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

/// Entries in the first columns of a matrix that are stored elsewhere, in the row order that `row` gives. They belong
/// to a matrix in host memory, and are read one by one if sums do not decide an unknown
/// (cuda/lu_cholesky/host_columns.hpp).
template <class E>
struct FarEntries {
  accublas::Operand<E> m;
  Index columns;
  const Index* row;

  ACCUBLAS_HD bool has(Index j) const { return j < columns; }
#ifdef __CUDACC__
  __device__ E operator()(Index i, Index j) const { return m(row[i], j); }
#endif
};

/// Some right-hand sides of a system. The positions of unknowns follow the order of substitution.
template <class E>
struct SolveJob {
  TriangularSystem<E> system;
  const E* alpha;     ///< alpha in device memory, instead of the system's; or null
  FarEntries<E> far;  ///< entries that replace the system's; for forward substitution only
  bool forward, dot2;
  double uncertain;  ///< relative error from which on sums are refined
  /// Row parts i + part, column side: that part of sum_j m(i, j) x(j, side) over the known unknowns, in cr less
  /// alpha x(i, side), the right-hand side.
  PairSums sums;
  unsigned char* lost;            ///< for each side: an unknown is NaN, and so are all that follow
  unsigned long long* undecided;  ///< unknowns that exact sums computed
  bool all_undecided;             ///< test hook: exact sums compute all unknowns
  /// unless null or zero there: unknowns from this position on, counted from 1, are not solved
  long long* stop;

  /// Returns the index of the unknown at a position; the same function maps an index to its position.
  ACCUBLAS_HD Index place(Index position) const { return forward ? position : system.order - 1 - position; }
};

/// About one of a thousand unknowns whose sums have this relative error is undecided.
template <class T>
inline constexpr double uncertain_sum = sizeof(T) == sizeof(double) ? 0x1p-64 : 0x1p-35;

/// Returns how many unknowns a block of solve_block has: in dot2 those of a block of its terms, in cr few enough for
/// the sums to stay in registers.
template <class E>
constexpr Index solve_block_unknowns(bool dot2) {
  return (dot2 ? dot2_block : dot2_block / 2) / (is_complex<E> ? 2 : 1);
}

/// The sums of cr are scaled by 2^sum_lift, so that products and their rounding errors lose no bits near underflow.
/// lifted_for_sums scales one factor of each product.
template <class E>
inline constexpr int sum_lift = std::is_same_v<E, double> ? 128 : 0;
template <class E, bool cr = true>
ACCUBLAS_HD E lifted_for_sums(const E& x) {
  if constexpr (cr && sum_lift<E> != 0)
    return x * power_of_two(sum_lift<E>);
  else
    return x;
}

/// Begins the sums of cr in rows 0 .. rows - 1 of x: sums = -alpha x.
template <class E>
void begin_sums(const DeviceModel&, const SolveJob<E>&, Index rows, cudaStream_t);

/// Computes sums += m x over the `terms` unknowns, at least one, from position `first` on, for the `rows` unknowns
/// after them. The sums must contain all unknowns before `first`; in cr uncertain sums are refined. In dot2 `first`
/// must be a multiple of the block.
template <class E>
void add_known(const DeviceModel&, const SolveJob<E>&, Index first, Index terms, Index rows, cudaStream_t);

/// Refines the sums of cr of the `rows` unknowns after the `known` ones, which they contain: where many of neighbouring
/// sums are uncertain, these are computed again in three words, or in six if three leave them uncertain.
template <class E>
void refine_sums(const DeviceModel&, const SolveJob<E>&, Index known, Index rows, cudaStream_t);

/// Solves `count` unknowns from position `first` on in place; `count` is at most a block.
template <class E>
void solve_block(const DeviceModel&, const SolveJob<E>&, Index first, Index count, cudaStream_t);

/// Adds *undecided to the state of a call.
void report_undecided(const DeviceModel&, const unsigned long long* undecided, CallState*, cudaStream_t);

}  // namespace accublas::cuda
