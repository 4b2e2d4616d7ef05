// Batches of small matrices beside cuBLAS's.
#pragma once

#include <string>
#include <vector>

#include "perf/gpu/data.hpp"

namespace gpu_bench {

/// A table of strided-batched DGEMM and SGEMM: every order, kind of data and mode; targets are marked. Empty `orders`
/// or `modes` stand for all of them. True if all printed targets are met.
bool print_batched(const std::vector<std::string>& routines, const std::vector<std::string>& data,
                   const std::vector<Index>& orders, const std::vector<std::string>& modes, int repetitions);

}  // namespace gpu_bench
