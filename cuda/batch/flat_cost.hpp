// The time of a flat product of mode cr by digits. No bit of the mode depends on it.
#pragma once

#include "cuda/batch/flat_kernels.hpp"
#include "cuda/core/device_model.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

/// Times in microseconds of an H200, and the moduli that residues usually take. `accublas-gpu-bench shapes` measures
/// them.
struct FlatTimes {
  double start = 25;          ///< launches and pending elements
  double tile = 7;            ///< a tile of 64 x 64 elements on a multiprocessor, of up to 64 terms
  double long_tile = 12;      ///< a tile of up to 128 terms
  double single_share = 0.5;  ///< share of these times in single precision
  int moduli = 20, single_moduli = 11;
};

/// Returns the time of an m x n product of k <= flat_terms terms.
inline double flat_time(const DeviceModel& model, bool single, Index m, Index n, Index k) {
  constexpr FlatTimes times;
  const Index tiles = ceil_div(m, Index{flat_lines}) * ceil_div(n, Index{flat_lines});
  const double of_tile = (k <= 64 ? times.tile : times.long_tile) * (single ? times.single_share : 1);
  return times.start + of_tile * static_cast<double>(ceil_div(tiles, Index{model.processors}));
}

}  // namespace accublas::cuda
