// Finishes a row of a dot2 GEMV from its pair. Device code.
#pragma once

#include "cuda/sums/dot2_pair.hpp"
#include "cuda/vector/vector_device.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Rounds row i once from its pair. If the pair is not finite, leaves the row pending, for cr's value.
template <class T>
__device__ void finish_pair_of_row(const RowProblem<T>& p, const OpenRows& open, Index i, Pair pair) {
  if (!is_finite(pair.s) || !is_finite(pair.c)) return leave_open(open, i);
  T* const y = p.y.data + i * p.y.stride;
  *y = round_pair(p.alpha.get(), pair, p.beta.get(), y);
}

#endif

}  // namespace accublas::cuda
