// Products of level 3 beside cuBLAS's own routines.
#pragma once

#include <string>
#include <vector>

#include "perf/gpu/measure.hpp"

namespace gpu_bench {

/// The names that print_level3 takes.
std::vector<std::string> level3_routines();

/// A table of square products of level 3 by cuBLAS's own routine (mode native) and in other modes; targets are marked.
/// No `routines` means all that have targets. True if all targets are met.
bool print_level3(const std::vector<std::string>& routines, const std::vector<std::string>& data,
                  const std::vector<Index>& orders, const Effort& effort);

}  // namespace gpu_bench
