// TRSM and TRSV in cr and dot2 on a device.
#pragma once

#include "cuda/core/staging.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {

/// The system's unknowns, device operands, as lib/cpu/solve/solve.cpp defines them; modes cr, dp:repro and sp:repro
/// (cr's values) and dot2. alpha: null, or where it lies in device memory instead of in the system. Asynchronous;
/// throws Error(ACCUBLAS_ERROR_MEMORY) before anything is written.
template <class E>
void solve_by_sums(State&, const TriangularSystem<E>&, const E* alpha, const Mode&, Execution&);

}  // namespace accublas::cuda
