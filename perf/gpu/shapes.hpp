// Every mode over square, flat, deep and narrow products, and whether dp and sp take the faster of cuBLAS and the
// emulation.
#pragma once

#include "perf/gpu/table.hpp"

namespace gpu_bench {

/// Measures single calls in `modes` (empty: all modes of a routine) and in cuBLAS, and prints every row. Then prints
/// each mode's least ratio, and the shapes for which dp (sp) took a way that was slower by 5 % or more. Returns true if
/// there is no such shape.
bool print_shapes(Table& table, const std::vector<std::string>& routines, const std::vector<std::string>& modes,
                  const std::vector<std::string>& data, const Effort& effort);

}  // namespace gpu_bench
