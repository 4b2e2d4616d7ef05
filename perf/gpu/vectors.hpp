// The bandwidth of DOT, NRM2, ASUM and GEMV beside cuBLAS's.
#pragma once

#include <string>
#include <vector>

namespace gpu_bench {

/// The names that print_vectors takes.
std::string vector_routines();

/// A table of the routines named ("all": all), every size, data and mode; targets are marked. True if all targets are
/// met. `csv`: a file for the figures, too; empty for none. Throws std::runtime_error for an unknown name.
bool print_vectors(const std::vector<std::string>& routines, int repetitions, const std::string& csv);

}  // namespace gpu_bench
