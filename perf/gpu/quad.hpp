// Times the products beyond double precision on the GPU.
#pragma once

#include <string>
#include <vector>

#include "perf/gpu/data.hpp"

namespace gpu_bench {

/// The names that print_quad takes.
std::vector<std::string> quad_routines();

/// Prints the rates of routines on n x n uniform numbers in device memory, or on vectors of n^2 of them, with the
/// phases of a call; " T" marks transposed matrices. An empty list stands for all routines. Returns whether the target
/// is met: 25 TFLOP/s for qgemm of order 4096.
bool print_quad(const std::vector<std::string>& routines, const std::vector<Index>& orders, int repetitions);

}  // namespace gpu_bench
