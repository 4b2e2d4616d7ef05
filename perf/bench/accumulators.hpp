// Times products by accumulators against one call of GEMM on the same data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct AccumulatorTableOptions {
  std::vector<std::int64_t> sizes;
  std::vector<std::string> modes, data;
  std::vector<int> threads;
  int panels;
  double seconds;  ///< for a row; three rounds at least
};

/// Prints a row for each case: the times of one call, of the panels' additions and of the final rounding, and the ratio
/// of the accumulator's time to that of the call. The ratio that counts is that of creation, additions and rounding;
/// the measurement of exponents, which a caller may know, has a column of its own. Throws std::runtime_error if the
/// results differ in a bit.
void print_accumulator_table(const AccumulatorTableOptions& options);

}  // namespace bench
