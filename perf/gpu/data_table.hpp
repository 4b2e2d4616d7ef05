// Costs of random, structured and decaying data on a GPU, as one table with limits.
#pragma once

#include <string>
#include <vector>

#include "perf/gpu/data.hpp"

namespace gpu_bench {

/// The routines of the table: dgemm, and those that are compared with their own time on random data.
std::vector<std::string> data_table_routines();

/// DGEMM in dot2, cr and dp:repro over cublasDgemm's time, for every order; then DGETRF, DPOTRF, DTRSM and DGEQRF in cr
/// over their time on random data, of the least order or a file's own. C = A A, but for data with two operands. Calls
/// that take a second are not repeated. `routines`: empty for all. `data`: names, and paths of files. True if every
/// limit is kept.
bool print_data_table(const std::vector<std::string>& routines, const std::vector<std::string>& data,
                      const std::vector<Index>& orders);

}  // namespace gpu_bench
