// LU factorizations of batches of matrices of at most 32 rows and columns, in plain arithmetic. A lane of a warp has a
// row.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/factorization_batch.hpp"

namespace accublas::cuda {

/// Returns whether small_lu factors the matrices of a batch.
template <class E>
bool small_lu_serves(const FactorizationBatch<E>&, bool cr);

/// Factors the matrices of a batch in device memory with every operation rounded. `info` receives the info values.
template <class E>
void small_lu(const DeviceModel&, const FactorizationBatch<E>&, std::int64_t* info, cudaStream_t);

}  // namespace accublas::cuda
