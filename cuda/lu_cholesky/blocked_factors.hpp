// Factorizations of batches of matrices of at most 512 rows and columns, a thread block a matrix, in cr and in plain
// arithmetic.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "lib/call/factorization_batch.hpp"

namespace accublas::cuda {

/// Returns whether blocked_factors factors the matrices of a batch.
template <class E>
bool blocked_factors_serve(const DeviceModel&, const FactorizationBatch<E>&);

/// Factors the matrices of a batch in device memory, as docs/factorizations.md defines it (`cr`) or with every
/// operation rounded. `info`, unless null, receives the info values. The number of elements that exact sums compute is
/// added to *undecided.
template <class E>
void blocked_factors(const DeviceModel&, const FactorizationBatch<E>&, bool cr, std::int64_t* info,
                     unsigned long long* undecided, cudaStream_t);

}  // namespace accublas::cuda
