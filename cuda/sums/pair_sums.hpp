// Sums that are added to from several places, in device memory: pairs, and bounds of what these lack
// (cuda/sums/bounded_pair.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// The sum of element (row, col) lies within error[at] of pair[at], at = row stride + col; dot2's have no errors
/// (null), they are what their operations make them.
struct PairSums {
  double2* pair;
  double* error;
  Index stride;

  PairSums from(Index row, Index col) const {
    const Index at = row * stride + col;
    return {pair + at, error ? error + at : nullptr, stride};
  }
};

}  // namespace accublas::cuda
