// Whether dp and sp take the faster of cuBLAS and the emulation, over shapes.
#pragma once

#include "perf/gpu/table.hpp"

namespace gpu_bench {

/// Measures single calls, prints every row, then the shapes where the slower was taken, by 5 % or more. True where
/// there is none.
bool print_shapes(Table& table, const std::vector<std::string>& routines, const std::vector<std::string>& data,
                  const Effort& effort);

}  // namespace gpu_bench
