// LAPACK's factorizations beside cuSOLVER's.
#pragma once

#include <vector>

#include "perf/gpu/measure.hpp"

namespace gpu_bench {

/// A table of dgetrf and dpotrf on device memory by cuSOLVER, where that is there, and in modes dp and cr: single
/// calls; targets are marked. The residuals of sampled elements, in units of u (abs(L) abs(U)), stand behind. True if
/// all targets are met.
bool print_factor(const std::vector<Index>& orders, const Effort& effort);

}  // namespace gpu_bench
