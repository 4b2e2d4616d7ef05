// The smallest systems of TRSM in dp, in binary64's own arithmetic.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {

/// Unknowns that solve_leaf takes at most.
inline constexpr Index leaf_unknowns = 128;

/// The system by substitution: of each unknown alpha b_i (rounded) less a_ij x_j one after the other in FMAs, in the
/// order of substitution, and a true division. So abs(alpha B - A X) <= (n + 2) u abs(A) abs(X) to first order, which a
/// rounding each makes: alpha b_i, n - 1 terms at most, the quotient. Special values follow from IEEE's operations.
void solve_leaf(const DeviceModel&, const TriangularSystem<double>&, cudaStream_t);

}  // namespace accublas::cuda
