// QR of tall matrices beside cuSOLVER's.
#pragma once

#include <vector>

#include "perf/gpu/measure.hpp"

namespace gpu_bench {

/// Prints the time of GEQRF, and of Q and R as matrices, by cuSOLVER and in dp, for matrices of phi 0.5 with 64 and
/// more rows for each column, of some numbers of columns (empty: of all). Returns whether all targets are met. Throws
/// std::runtime_error.
bool print_tall_qr(const std::vector<Index>& columns, int repetitions);

}  // namespace gpu_bench
