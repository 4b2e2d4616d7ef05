// LAPACK's factorizations beside cuSOLVER's.
#pragma once

#include <string>
#include <vector>

#include "perf/gpu/measure.hpp"

namespace gpu_bench {

/// A table of dgetrf, dpotrf, dgeqrf and dgesv_certified on device memory by cuSOLVER, where that is there, and in
/// modes dp and (but for dgeqrf) cr: single calls; targets are marked. The residuals of sampled elements, in units of
/// u (abs(L) abs(U)), stand behind, of dgeqrf those of columns in units of u times their norms, of dgesv_certified
/// those of rows in units of u (abs(A) abs(x)). One `routine`, or all where that is empty; the figures go to the CSV
/// file `csv`, too, unless its name is empty. True if all targets are met.
bool print_factor(const std::string& routine, const std::vector<Index>& orders, const Effort& effort,
                  const std::string& csv);

}  // namespace gpu_bench
