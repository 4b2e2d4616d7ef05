// The kernels of TRSM and TRSV in cr and dot2 (docs/modes.md, "TRSM and TRSV"): the sums over the unknowns that are
// known, of all right-hand sides, lie in memory as pairs (cuda/sums/pair_sums.hpp); blocks of unknowns are added to
// them, and the next block is solved.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/sums/pair_sums.hpp"
#include "lib/call/product.hpp"
#include "lib/numerics/complex.hpp"
#include "lib/numerics/dot2_block.hpp"

namespace accublas::cuda {

/// Entries of a matrix in its first columns that lie elsewhere, in the order that `row` tells: those of a matrix of the
/// host's, which are read one by one where sums do not decide an unknown (cuda/factor/host_columns.hpp).
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

/// Some right-hand sides of a system. Unknowns have positions in the order of substitution.
template <class E>
struct SolveJob {
  TriangularSystem<E> system;
  const E* alpha;     ///< in device memory, instead of the system's; or null
  FarEntries<E> far;  ///< instead of the system's; forward alone
  bool forward, dot2;
  /// Row parts i + part, column side: that part of sum_j m(i, j) x(j, side) over the unknowns that are known.
  PairSums sums;
  unsigned char* lost;            ///< of a side: an unknown is NaN, and so are all that follow
  unsigned long long* undecided;  ///< unknowns that exact sums computed
  bool all_undecided;             ///< test hook: all of them
  long long* stop;                ///< unless null or zero there: from this position on, counted from 1, none is solved

  /// The unknown at a position, and the other way round.
  ACCUBLAS_HD Index place(Index position) const { return forward ? position : system.order - 1 - position; }
};

/// Unknowns of a block that solve_block takes: dot2's are those of a block of its terms, and few enough for cr's sums
/// to stay in registers.
template <class E>
constexpr Index solve_block_unknowns(bool dot2) {
  return (dot2 ? dot2_block : dot2_block / 2) / (is_complex<E> ? 2 : 1);
}

/// sums += m x over the `terms` unknowns, at least one, from position `first` on, for the `rows` unknowns after them.
/// Of dot2 `first` is a multiple of its block.
template <class E>
void add_known(const DeviceModel&, const SolveJob<E>&, Index first, Index terms, Index rows, cudaStream_t);

/// The unknowns from position `first` on, up to a block of them, in their place.
template <class E>
void solve_block(const DeviceModel&, const SolveJob<E>&, Index first, Index count, cudaStream_t);

/// Adds *undecided to the state of a call.
void report_undecided(const DeviceModel&, const unsigned long long* undecided, CallState*, cudaStream_t);

}  // namespace accublas::cuda
