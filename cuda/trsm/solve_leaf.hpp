// Solves the smallest systems of TRSM in dp, in binary64 arithmetic.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {

/// solve_leaf takes at most this many unknowns.
inline constexpr Index leaf_unknowns = 128;

/// Solves the system by substitution. Each unknown is alpha b_i (rounded) less a_ij x_j, subtracted one after the other
/// in FMAs in the order of substitution, followed by a true division. So abs(alpha B - A X) <= (n + 2) u abs(A) abs(X)
/// to first order: alpha b_i, at most n - 1 terms, and the quotient make one rounding each. Special values follow from
/// IEEE's operations.
void solve_leaf(const DeviceModel&, const TriangularSystem<double>&, cudaStream_t);

}  // namespace accublas::cuda
