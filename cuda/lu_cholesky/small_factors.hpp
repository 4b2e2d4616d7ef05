// Factorizations and solutions of small matrices, a matrix a thread block, in cr and in plain arithmetic.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/core/matrices.hpp"
#include "lib/call/factorization_batch.hpp"

namespace accublas::cuda {

/// Returns whether small_factors serves a batch of this shape: whole matrices fit in the shared memory of a thread
/// block, a row of each a thread.
template <class E>
bool small_factors_serve(const DeviceModel&, const FactorizationBatch<E>&);

/// Computes the batch on device operands, as docs/factorizations.md defines it (`cr`) or with every operation rounded.
/// `info`, unless null, receives the info values. The number of elements that exact sums compute is added to
/// *undecided.
template <class E>
void small_factors(const DeviceModel&, const FactorizationBatch<E>&, bool cr, std::int64_t* info,
                   unsigned long long* undecided, cudaStream_t);

}  // namespace accublas::cuda
