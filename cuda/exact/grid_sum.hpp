// The grid sum (cuda/sums/grid_chain.hpp) of a row and a column, by one or more warps. Device code.
#pragma once

#include "cuda/core/loads.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/sums/grid_chain.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// A warp's share of the terms of an element. There is one share, or one for each warp of a block.
struct TermShare {
  int number, of;
};

/// Returns to lane 0 the sum of the warp's share of the products of a row and a column.
template <class T>
__device__ TripleSum grid_sum(const Operand<T>& rows, Index row, const Operand<T>& cols, Index col, TermShare share) {
  constexpr Index step = 32 * chain_group;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Index first = share.number * step, next = share.of * step;
  GridChain<sizeof(T) < sizeof(double), true> chain;
  const Index x_stride = rows.k_stride, y_stride = cols.k_stride;
  const T *x = rows.at(row, first + lane), *y = cols.at(col, first + lane);
  const bool negates = rows.negates(row, lane) != cols.negates(col, lane);
  for (Index left = rows.k - first; left > 0; left -= next, x += next * x_stride, y += next * y_stride) {
    T u[chain_group], v[chain_group];
    if (left >= step) {
      load_spaced<32>(x, x_stride, u);
      load_spaced<32>(y, y_stride, v);
    } else {
      load_spaced_below<32>(x, x_stride, left - lane, u);
      load_spaced_below<32>(y, y_stride, left - lane, v);
    }
    double a[chain_group], b[chain_group];
#pragma unroll
    for (int j = 0; j < chain_group; ++j) {
      a[j] = u[j];
      b[j] = negates ? -v[j] : v[j];
    }
    chain.add(a, b);
  }
  return warp_sum(chain.result());
}

#endif

}  // namespace accublas::cuda
