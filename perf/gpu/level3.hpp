// Products of level 3 beside cuBLAS's own routines.
#pragma once

#include <string>
#include <vector>

#include "perf/gpu/measure.hpp"

namespace gpu_bench {

/// A table of square products of level 3 by cuBLAS's own routine (mode native) and in other modes; targets are marked.
/// Routines that are none of level 3 are passed over; none: all of double precision that have targets. True if all are
/// met.
bool print_level3(const std::vector<std::string>& routines, const std::vector<std::string>& data,
                  const std::vector<Index>& orders, const Effort& effort);

}  // namespace gpu_bench
