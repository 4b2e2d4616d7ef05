// The speed on the GPU that the project has set itself, as one table.
#pragma once

#include "perf/gpu/table.hpp"

namespace gpu_bench {

/// Measures, prints every row, then the targets; `methods`: the columns wanted. True if every target is met.
bool print_targets(Table& table, const std::vector<Method>& methods, const Effort& effort);

/// Single calls that are small, flat or deep, and dp:repro beside cr: every row, then the targets. True if all are met.
bool print_short_targets(Table& table, const Effort& effort);

}  // namespace gpu_bench
