// LAPACK's factorizations beside cuSOLVER's.
#pragma once

#include <string>
#include <vector>

#include "perf/gpu/measure.hpp"

namespace gpu_bench {

/// The names that print_factor takes.
std::vector<std::string> factor_routines();

/// A table of dgetrf, dpotrf, dgeqrf and dgesv_certified on device memory by cuSOLVER, where that is there, and in
/// modes dp and (but for dgeqrf) cr: single calls; targets are marked. The residuals of sampled elements, in units of
/// u (abs(L) abs(U)), stand behind, of dgeqrf those of columns in units of u times their norms, of dgesv_certified
/// those of rows in units of u (abs(A) abs(x)). No `routines` means all. The figures also go to the CSV file `csv`,
/// unless its name is empty. True if all targets are met.
bool print_factor(const std::vector<std::string>& routines, const std::vector<std::string>& data,
                  const std::vector<Index>& orders, const Effort& effort, const std::string& csv);

}  // namespace gpu_bench
