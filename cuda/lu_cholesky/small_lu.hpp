// LU factorizations of batches of matrices of at most 32 rows and columns, in cr and in plain arithmetic. A lane of a
// warp has a row.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/factorization_batch.hpp"

namespace accublas::cuda {

/// Returns whether small_lu factors the matrices of a batch.
template <class E>
bool small_lu_serves(const FactorizationBatch<E>&, bool cr);

/// Factors the matrices of a batch in device memory, as docs/factorizations.md defines it (`cr`) or with every
/// operation rounded. `info` receives the info values. The number of elements that exact sums compute is added to
/// *undecided.
template <class E>
void small_lu(const DeviceModel&, const FactorizationBatch<E>&, bool cr, std::int64_t* info,
              unsigned long long* undecided, cudaStream_t);

}  // namespace accublas::cuda
