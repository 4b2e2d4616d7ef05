// The bandwidth of DOT, NRM2, ASUM and GEMV beside cuBLAS's.
#pragma once

#include <string>
#include <vector>

namespace gpu_bench {

/// The names that print_vectors takes.
std::vector<std::string> vector_routines();

/// A table of `routines` (none: all), every size, data and mode; targets are marked. The figures also go to the CSV file
/// `csv`, unless its name is empty. True if all targets are met.
bool print_vectors(const std::vector<std::string>& routines, int repetitions, const std::string& csv);

}  // namespace gpu_bench
