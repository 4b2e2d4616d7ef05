// Batches of factorizations of small matrices: the modes beside cuBLAS's and cuSOLVER's.
#pragma once

#include <string>
#include <vector>

#include "perf/gpu/data.hpp"

namespace gpu_bench {

/// Prints a line for each routine (dgetrf, dpotrf), order of the table and contender. Empty `orders` or `modes`: all.
/// Returns whether all targets are met. Throws std::runtime_error.
bool print_batched_factors(const std::vector<std::string>& routines, const std::vector<Index>& orders,
                           const std::vector<std::string>& modes, int repetitions);

}  // namespace gpu_bench
