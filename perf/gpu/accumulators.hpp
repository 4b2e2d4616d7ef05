// Products by accumulators in device memory compared with single calls.
#pragma once

#include <string>
#include <vector>

#include "perf/gpu/data.hpp"

namespace gpu_bench {

struct AccumulatorTable {
  std::vector<std::string> modes;  ///< cr or fixed:T
  std::vector<Index> orders;       ///< of C; every panel has `depth` terms
  std::string data;
  int panels;
  Index depth;
  int repetitions;
};

/// Prints the time of DGEMM by an accumulator of panels, from its creation to C, over the time of one call on the same
/// operands in device memory. Returns whether all ratios are at most 1.25. Throws std::runtime_error if the results
/// differ.
bool print_accumulators(const AccumulatorTable& table);

}  // namespace gpu_bench
