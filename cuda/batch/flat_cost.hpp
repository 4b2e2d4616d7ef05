// The time of a flat product of mode cr by digits. No bit of the mode depends on it.
#pragma once

#include "cuda/batch/flat_kernels.hpp"
#include "cuda/core/device_model.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

/// Times of flat products in microseconds of an H200. `accublas-gpu-bench shapes -m cr` measures them.
struct FlatTimes {
  double start = 45;  ///< launches and pending elements
  // A tile of 64 x 64 elements on a multiprocessor, with up to 64 terms and with more.
  double tile = 9.5, long_tile = 16.9;
  double single_tile = 7.4, single_long_tile = 9.7;
};

/// Returns the time of an m x n product of k <= flat_terms terms.
inline double flat_time(const DeviceModel& model, bool single, Index m, Index n, Index k) {
  constexpr FlatTimes times;
  const Index tiles = ceil_div(m, Index{flat_lines}) * ceil_div(n, Index{flat_lines});
  const double of_tile = k <= flat_terms / 2 ? (single ? times.single_tile : times.tile)
                                             : (single ? times.single_long_tile : times.long_tile);
  return times.start + of_tile * static_cast<double>(ceil_div(tiles, Index{model.processors}));
}

}  // namespace accublas::cuda
