// GER, SYR, SYR2 and their Hermitian forms: every wanted element of C is RN(c + alpha x_i y_j), with both products for
// SYR2 and HER2, as an exact sum that is rounded once (docs/modes.md, "Level 2 other than GEMV").
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/product.hpp"

namespace accublas::cuda {

/// A product of one term (of two pairs) that is added to C; alpha is not zero.
template <class E>
void update(const DeviceModel&, const Product<E>&, cudaStream_t);

}  // namespace accublas::cuda
