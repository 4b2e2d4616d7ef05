// Finishes a row of cr or fixed:T from its sum. Device code.
#pragma once

#include "cuda/vector/row_terms.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Rounds sum `number`, or leaves it pending. With `Fixed` the sum is in units of the row's and x's powers of two.
template <class E, bool Fixed>
__device__ void finish_by_triple(const RowProblem<E>& p, const FixedScaling& fixed, const OpenRows& open,
                                 bool all_undecided, Index number, TripleSum sum) {
  using T = RealOf<E>;
  T* const y = p.result(number);
  const T alpha = p.alpha.get(), beta = p.beta.get(), addend = read_addend(beta, y);
  int exponent = 0;
  bool known = triple_known(sum);
  if (Fixed) {
    const Index i = number / component_count<E>;
    const T row = magnitude_of<T>(fixed.most[i]), x = magnitude_of<T>(fixed.most[p.m]);
    if (!is_finite(row) || !is_finite(x)) {
      known = false;
    } else if (is_zero(row) || is_zero(x)) {
      *y = finish(alpha, wide_zero<2>(), 0, beta, addend);
      return;
    } else {
      exponent = exponent_above(row) + exponent_above(x);
    }
  }
  T out;
  if (known && !all_undecided && finish_triple(alpha, sum, exponent, beta, addend, &out)) {
    *y = out;
  } else {
    leave_open(open, number);
  }
}

#endif

}  // namespace accublas::cuda
