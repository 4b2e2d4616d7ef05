// Sums in device memory that several functions add to: pairs, and bounds of their errors (cuda/sums/bounded_pair.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// 2^lift times the sum of element (row, col) is within error[at] of pair[at], at = row stride + col. `error` is null
/// for dot2, whose pairs are defined by the operations.
struct PairSums {
  double2* pair;
  double* error;
  Index stride;
  int lift = 0;

  PairSums from(Index row, Index col) const {
    const Index at = row * stride + col;
    return {pair + at, error ? error + at : nullptr, stride, lift};
  }
};

}  // namespace accublas::cuda
