// Runs TRSM and TRSV in cr and dot2 on a device.
#pragma once

#include "cuda/core/staging.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {

/// Solves the system with device operands, as lib/cpu/trsm/solve.cpp defines it, in the modes cr, dp:repro and
/// sp:repro (with cr's values) and dot2. alpha: null, or a pointer to device memory that replaces the system's alpha.
/// Asynchronous; throws Error(ACCUBLAS_ERROR_MEMORY) before anything is written.
template <class E>
void solve_by_sums(State&, const TriangularSystem<E>&, const E* alpha, const Mode&, Execution&);

}  // namespace accublas::cuda
