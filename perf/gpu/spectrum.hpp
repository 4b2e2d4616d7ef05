// Certified eigenvalues and singular values beside cuSOLVER's.
#pragma once

#include <vector>

#include "perf/gpu/data.hpp"

namespace gpu_bench {

/// Prints the times of certified eigenvalues and singular values with vectors, of random matrices in device memory, and
/// of cuSOLVER's routines. Returns whether all targets are met. Throws std::runtime_error.
bool print_spectra(const std::vector<Index>& orders, int repetitions);

}  // namespace gpu_bench
