// Every mode over square, flat, deep and narrow products, and whether dp and sp take the faster of cuBLAS and the
// emulation.
#pragma once

#include "perf/gpu/table.hpp"

namespace gpu_bench {

/// Measures single calls in `modes` (empty: all that a routine has) beside cuBLAS and prints every row. Prints each
/// mode's least ratio then, and the shapes where dp (sp) took the slower way by 5 % or more. True where there is none.
bool print_shapes(Table& table, const std::vector<std::string>& routines, const std::vector<std::string>& modes,
                  const std::vector<std::string>& data, const Effort& effort);

}  // namespace gpu_bench
