// LU factorizations of batches of matrices of at most 32 rows and columns, in plain arithmetic, and of real numbers in
// double precision in cr. A lane of a warp has a row.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/factorization_batch.hpp"

namespace accublas::cuda {

/// Returns whether small_lu factors the matrices of a batch.
template <class E>
bool small_lu_serves(const FactorizationBatch<E>&, bool cr);

/// Factors the matrices of a batch in device memory, as docs/factorizations.md defines it (`cr`) or with every
/// operation rounded. `info` receives the info values. In cr a matrix with an element that needs longer sums stays as
/// it was, and its info value is pending_info.
template <class E>
void small_lu(const DeviceModel&, const FactorizationBatch<E>&, bool cr, std::int64_t* info, cudaStream_t);

}  // namespace accublas::cuda
