// Resolves undecided unknowns of one row of a thread block, for solve_kernels.cu.
#pragma once

#include "cuda/trsm/solve_block.hpp"

namespace accublas::cuda::solve {

/// The terms before the unknown at `position` of a right-hand side. Unknowns from position `near` on are in `x`; the
/// others are stored in the system.
template <class E>
struct SolveTerms {
  const SolveJob<E>* job;
  const E (*x)[edge + 1];
  Index near, position, side;
  __device__ Index count() const { return position; }
  __device__ E entry(Index q) const {
    if (job->far.has(q)) return job->far(position, q);
    const accublas::Operand<E>& m = job->system.m;
    return conjugate_if(m.conjugate, m.stored(job->place(position), job->place(q)));
  }
  __device__ E known(Index q) const { return q < near ? job->system.x(job->place(q), side) : x[q - near][side % edge]; }
  /// Returns the right-hand side, which stays in memory until the block's unknowns are stored.
  __device__ E right_side() const { return job->system.x(job->place(position), side); }
};

/// Resolves the unknowns x[i] of a row for the lanes i in `hard`. `sums` has the row's sums, and `terms` are those of
/// the lane's right-hand side. All warps call this, and must wait at `everyone` before they read the result. The
/// function is not a member, because an object would have to lie in memory for the call.
template <class E, class Everyone>
__device__ ACCUBLAS_NOINLINE void resolve_row(unsigned hard, Unknown<E> unknown, SolveTerms<E> terms,
                                              const Chain<RealOf<E>, true> (&sums)[parts_of<E>][32],
                                              WarpShares<E, 3>* shares, E* x, bool exactly,
                                              unsigned long long* undecided, Everyone everyone) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  if (!exactly) {
    bool lifted = is_lifted<E>(magnitude_of<E>(sums[0][lane]));
    for (unsigned which = hard; which != 0;) {
      TripleSum numerators[parts_of<E>];
      numerators_by_warps<E, 3>(which, unknown.alpha, terms, lifted, warps + 1, shares, everyone, numerators);
      const bool mine = (which >> lane & 1) != 0;
      E value{};
      const bool decided = mine && decided_by_numerators(unknown, numerators, lifted, value);
      if (decided && warp == 0) x[lane] = value;
      hard &= ~__ballot_sync(0xFFFFFFFFu, decided);
      // The error of the sum before may have hidden that the numerator is near underflow.
      const bool again = mine && !decided && !lifted && is_lifted<E>(numerators[0].a1);
      lifted |= again;
      which = __ballot_sync(0xFFFFFFFFu, again);
      if (which != 0) everyone();
    }
  }
  const Index side = terms.side - lane;
  for (int i = 0; hard != 0; hard &= hard - 1, ++i) {
    if (i % (warps + 1) != warp) continue;
    const int of = __ffs(static_cast<int>(hard)) - 1;
    terms.side = side + of;
    const E found = resolve_one(unknown, terms, exactly, undecided);
    if (lane == 0) x[of] = found;
  }
}

}  // namespace accublas::cuda::solve
