// Residuals of the factorizations in dp beside cuSOLVER's.
#pragma once

#include <string>
#include <vector>

#include "perf/gpu/data.hpp"

namespace gpu_bench {

/// Prints the residuals of dgetrf, dpotrf and dgeqrf by cuSOLVER and in dp, on matrices of phi 0, 0.5 and 2, graded,
/// badly scaled and nearly singular ones. The units are those of print_factor. Returns whether every residual of dp is
/// at most 4 times cuSOLVER's. Throws std::runtime_error.
bool print_residuals(const std::vector<std::string>& routines, const std::vector<Index>& orders);

}  // namespace gpu_bench
