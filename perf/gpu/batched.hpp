// Batches of small matrices beside cuBLAS's.
#pragma once

#include <string>
#include <vector>

namespace gpu_bench {

/// A table of strided-batched DGEMM and SGEMM: every order, kind of data and mode; targets are marked. True if all are
/// met.
bool print_batched(const std::vector<std::string>& routines, const std::vector<std::string>& data, int repetitions);

}  // namespace gpu_bench
