// Costs of random, structured and decaying data, as one table with limits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perf/bench/table.hpp"

namespace bench {

struct DataTableOptions {
  std::vector<std::int64_t> orders;
  int threads;
  double seconds;                 ///< per measured row; a call that takes 8 times as long is not repeated
  std::vector<std::string> data;  ///< kinds of data; empty: matrices::listed()
  std::string folder;             ///< where the shipped matrices lie
};

/// DGEMM in dot2, cr and dp:repro over OpenBLAS's time, and factorizations in cr over their time on random data. A
/// limit is 4 times OpenBLAS's time or 1.5 times dot2's, whichever is more; factorizations take 3 times their time on
/// random data, kernels that decay 10 times.  True if every limit is kept.
bool print_data_table(Table& table, const DataTableOptions& options);

}  // namespace bench
