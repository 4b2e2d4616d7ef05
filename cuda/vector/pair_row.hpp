// Finishes a row of a dot2 GEMV from its pair. Device code.
#pragma once

#include "cuda/sums/dot2_pair.hpp"
#include "cuda/vector/vector_device.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Adds the terms of an entry of a row and of one of x to the pairs of the row's sums.
template <class E>
__device__ __forceinline__ void step_terms(Pair (&pairs)[component_count<E>], E a, E x, bool conjugate) {
#pragma unroll
  for (int c = 0; c < component_count<E>; ++c)
    for_terms(a, x, conjugate, c, [&](RealOf<E> u, RealOf<E> v) { step(pairs[c], u, v); });
}

/// Rounds a sum once from its pair. If the pair is not finite, leaves the sum pending, so that it gets cr's value.
template <class E>
__device__ void finish_by_pair(const RowProblem<E>& p, const OpenRows& open, Index sum, Pair pair) {
  if (!is_finite(pair.s) || !is_finite(pair.c)) return leave_open(open, sum);
  RealOf<E>* const y = p.result(sum);
  *y = round_pair(p.alpha.get(), pair, p.beta.get(), y);
}

#endif

}  // namespace accublas::cuda
